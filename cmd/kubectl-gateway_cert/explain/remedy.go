package explain

import (
	"strings"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// Reasons of our own, beside the planner's and those of conditions.
const (
	reasonNoLabel        = "NoLabel"
	reasonAnnotationOnly = "AnnotationOnly"
	reasonInvalidLabel   = "InvalidLabel"
	reasonNotAsked       = "NotAsked"
	reasonWildcardDepth  = "WildcardDepth"
	reasonMissingRight   = "MissingRight"
	reasonPending        = "Pending"
	reasonTakenOff       = "TakenOff"
	reasonNoController   = "NoController"
	reasonNotLooked      = "NotLookedYet"
	reasonNotReady       = "NotReady"
)

// remedy is what there is to know of a reason: on which link it is found and
// what to do.
type remedy struct {
	step Step
	// text has the words CERTIFICATE, NAMESPACE (its), GATEWAY and
	// GATEWAY_NAMESPACE in the places of the names.
	text string
}

// remedies is the one table of reasons; docs/troubleshooting.md shows it.
var remedies = map[string]remedy{
	string(plan.ReasonInvalidHostname):         {StepHostname, "Take the name out of spec.dnsNames, or spell it as a DNS name whose whole first label may be *."},
	string(plan.ReasonNoDNSNames):              {StepHostname, "Put the hostname into spec.dnsNames; a commonName is no use to browsers."},
	string(plan.ReasonInvalidSecretName):       {StepSecretName, "Set spec.secretName to a name that a Secret can have."},
	string(plan.ReasonInvalidPort):             {StepPort, "Write a port from 1 to 65535 into the annotation listener-port, or take it off."},
	string(plan.ReasonNamespaceNotAllowed):     {StepNamespace, "The Gateway's owner can add the namespace to the annotation certificate-namespaces or, where there is none yet: kubectl annotate gateway -n GATEWAY_NAMESPACE GATEWAY 'gateway-cert-operator.io/certificate-namespaces=Selector: kubernetes.io/metadata.name in (GATEWAY_NAMESPACE, NAMESPACE)'"},
	string(plan.ReasonHostnameNotAllowed):      {StepAllowedHostname, "Who owns the object that the detail names can add the hostname to its annotation allowed-hostnames."},
	string(plan.ReasonRuleNotMet):              {StepRules, "Ask for what the rule allows, or have who runs the handler change the rule of that name in its settings."},
	string(plan.ReasonHostnameTaken):           {StepNoRival, "Take the hostname off the other, or give this one another port by its annotation listener-port; it takes over by itself when the place is free."},
	string(plan.ReasonPortConflict):            {StepPort, "Choose another port by the annotation listener-port, or have the Gateway's owner move the listener that the detail names."},
	string(plan.ReasonTooManyListeners):        {StepRoom, "Use a wildcard instead of many names or another Gateway, or have the Gateway's owner raise the annotation max-listeners, up to 64."},
	string(plan.ReasonCertificateNotReady):     {StepAttach, "See why it is not issued: kubectl describe certificate -n NAMESPACE CERTIFICATE"},
	string(plan.ReasonRefusedByServer):         {StepAdmission, "Read the API server's words: kubectl events -n NAMESPACE --for certificate/CERTIFICATE"},
	string(plan.ReasonLastListenerKept):        {StepCertificate, "Give the Gateway another listener, and this one goes; or make a Certificate that asks for it."},
	string(plan.ReasonMalformedAnnotation):     {StepAnnotations, "Mend the annotation that the detail names, or take it off; until then its strictest reading holds."},
	string(plan.ReasonPublishNotSupported):     {StepRoom, "Have the Gateway's owner take the annotation publish off: kubectl annotate gateway -n GATEWAY_NAMESPACE GATEWAY gateway-cert-operator.io/publish-"},
	string(plan.ReasonGatewayMissing):          {StepGateway, "Make the Gateway, or name another: kubectl label certificate -n NAMESPACE CERTIFICATE --overwrite gateway-cert-operator.io/gateway-name=NAME"},
	string(plan.ReasonMissingReferenceGrant):   {StepReferenceGrant, "Make a ReferenceGrant in namespace NAMESPACE from kind Gateway of namespace GATEWAY_NAMESPACE to the Secret, as docs/contract.md shows."},
	string(plan.ReasonConflictingWriter):       {StepListener, "Tell the program that the detail names to leave alone the listeners that the Gateway's annotation listeners names."},
	string(plan.ReasonSharedSecret):            {StepSecretName, "Make one Certificate for each hostname, if requests arrive at the wrong listener."},
	string(plan.ReasonCertManagerOverlap):      {StepListener, "Nothing is to be done: cert-manager has been told, or will be, to leave this listener out."},
	string(plan.ReasonListenersAdded):          {StepListener, "Nothing is to be done: listeners have come. The handler's log says which."},
	string(plan.ReasonListenersChanged):        {StepListener, "Nothing is to be done: listeners follow what their Certificates ask for. The handler's log says which."},
	string(plan.ReasonListenersDisrupted):      {StepListener, "Nothing is to be done if it was meant: Certificates that were deleted or changed have taken listeners with them. The handler's log says which."},
	string(plan.ReasonLedgerCorrected):         {StepListener, "Nothing is to be done: the handler writes its ledger anew. Who edited the annotation listeners should leave it alone."},
	string(plan.ReasonFromListener):            {StepOrigin, "Nothing is to be done: the listener that it was made from serves its hostnames."},
	string(plan.ReasonListenerConflicted):      {StepNoRival, "Choose another port by the annotation listener-port, or have the Gateway's owner move or remove the listener that is in the way; it comes back by itself."},
	string(plan.ReasonListenerNotAccepted):     {StepController, "Do what the controller's message says, or ask who runs it."},
	string(plan.ReasonListenerRefsNotResolved): {StepController, "The Secret is missing, is none for TLS, or may not be used: see the links ReferenceGrant and CertificateReady."},
	string(plan.ReasonListenerNotProgrammed):   {StepController, "See the controller's message and its log."},
	string(plan.ReasonPaused):                  {StepNotPaused, "The Gateway's owner can go on: kubectl annotate gateway -n GATEWAY_NAMESPACE GATEWAY gateway-cert-operator.io/paused-"},
	string(plan.ReasonDryRun):                  {StepNotDryRun, "Who runs the handler can end it where its settings say mode: DryRun, else the Gateway's owner: kubectl annotate gateway -n GATEWAY_NAMESPACE GATEWAY gateway-cert-operator.io/mode-"},

	reasonNoLabel:        {StepLabel, "Set the label: kubectl label certificate -n NAMESPACE CERTIFICATE gateway-cert-operator.io/gateway-name=NAME"},
	reasonAnnotationOnly: {StepLabel, "It has the old operator's annotation and no label; see kubectl gateway-cert migrate -n NAMESPACE"},
	reasonInvalidLabel:   {StepLabel, "Write a Gateway's name and namespace into the labels gateway-name and gateway-namespace."},
	reasonNotAsked:       {StepCertificate, "Make a Certificate that asks for the hostname, if it is wanted; the listener goes at the handler's next look."},
	reasonWildcardDepth:  {StepHostname, "Put the hostname itself, or the wildcard with * for its first label, into spec.dnsNames."},
	reasonMissingRight:   {StepGateway, "Ask for the right that the detail names, or ask somebody who has it."},
	reasonPending:        {StepListener, "The handler does it at the next event, or at a sweep every ten minutes; kubectl gateway-cert sweep asks for one now. If it stays, see whether all is Ready: kubectl -n gateway-cert get ksvc,apiserversource,containersource,pingsource"},
	reasonTakenOff:       {StepListener, "The handler puts it back at the next event. Whoever applies the Gateway should leave alone the listeners that its annotation listeners names."},
	reasonNoController:   {StepController, "See that the controller of the Gateway's class runs: kubectl describe gateway -n GATEWAY_NAMESPACE GATEWAY"},
	reasonNotLooked:      {StepController, "Wait for the Gateway's controller; if it stays, see that it runs."},
	reasonNotReady:       {StepCertificateReady, "See why it is not issued: kubectl describe certificate -n NAMESPACE CERTIFICATE"},
}

// wayOut returns what to do about a reason, with the names filled in.
func (w *wish) wayOut(reason string) string {
	return strings.NewReplacer(
		"GATEWAY_NAMESPACE", w.target.Namespace, "GATEWAY", w.target.Name,
		"CERTIFICATE", w.name.Name, "NAMESPACE", w.name.Namespace,
	).Replace(remedies[reason].text)
}
