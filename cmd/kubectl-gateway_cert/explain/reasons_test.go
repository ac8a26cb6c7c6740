package explain_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/explain"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/sample"
)

// reasonCases has at least one row for each reason in the contract's table.
var reasonCases = []struct {
	name   string
	reason plan.Reason
	mutate func(*sample.Cluster)
	step   explain.Step
	state  explain.State
}{
	{"a DNS name is an IP address", plan.ReasonInvalidHostname,
		func(s *sample.Cluster) { s.App.Spec.DNSNames = []string{"10.0.0.1"} }, explain.StepHostname, explain.Broken},
	{"there are no DNS names", plan.ReasonNoDNSNames,
		func(s *sample.Cluster) { s.App.Spec.DNSNames = nil }, explain.StepHostname, explain.Broken},
	{"the Secret has no name", plan.ReasonInvalidSecretName,
		func(s *sample.Cluster) { s.App.Spec.SecretName = "" }, explain.StepSecretName, explain.Broken},
	{"the Certificate's port is none, and it is new", plan.ReasonInvalidPort,
		func(s *sample.Cluster) {
			s.App.Annotations = map[string]string{plan.ListenerPortKey: "https"}
			s.Unwritten()
		}, explain.StepPort, explain.Broken},
	{"the Certificate's port is none, and it serves", plan.ReasonInvalidPort,
		func(s *sample.Cluster) { s.App.Annotations = map[string]string{plan.ListenerPortKey: "https"} }, explain.StepPort, explain.Warning},
	{"the Gateway's port is none", plan.ReasonInvalidPort,
		func(s *sample.Cluster) { s.Annotate(plan.ListenerPortKey, "0"); s.Unwritten() }, explain.StepPort, explain.Broken},
	{"the Gateway takes its own namespace's only", plan.ReasonNamespaceNotAllowed,
		func(s *sample.Cluster) { s.Annotate(plan.CertificateNamespacesKey, "Same") }, explain.StepNamespace, explain.Broken},
	{"the Gateway takes other hostnames", plan.ReasonHostnameNotAllowed,
		func(s *sample.Cluster) { s.Annotate(plan.AllowedHostnamesKey, "*.example.org") }, explain.StepAllowedHostname, explain.Broken},
	{"the Namespace may claim other hostnames", plan.ReasonHostnameNotAllowed,
		func(s *sample.Cluster) {
			s.Namespaces["team-a"] = metav1.ObjectMeta{Name: "team-a", Annotations: map[string]string{plan.AllowedHostnamesKey: "*.example.org"}}
		}, explain.StepAllowedHostname, explain.Broken},
	{"a rule of the settings does not allow it", plan.ReasonRuleNotMet,
		func(s *sample.Cluster) { s.Defaults.Rules = forbidding("rule none: not here") }, explain.StepRules, explain.Broken},
	{"the hostname is its owner's", plan.ReasonHostnameTaken,
		func(s *sample.Cluster) {
			s.Unwritten()
			s.Edge.Spec.Listeners = append(s.Edge.Spec.Listeners, gatewayv1.Listener{
				Name: "mine", Port: 443, Protocol: gatewayv1.HTTPSProtocolType, Hostname: new(gatewayv1.Hostname("app.example.com")),
			})
		}, explain.StepNoRival, explain.Broken},
	{"the hostname is its owner's, and the Gateway's port, which is of no use here, is none", plan.ReasonHostnameTaken,
		func(s *sample.Cluster) {
			s.Unwritten()
			s.Annotate(plan.ListenerPortKey, "0")
			s.App.Annotations = map[string]string{plan.ListenerPortKey: "8443"}
			s.Edge.Spec.Listeners = append(s.Edge.Spec.Listeners, gatewayv1.Listener{
				Name: "mine", Port: 8443, Protocol: gatewayv1.HTTPSProtocolType, Hostname: new(gatewayv1.Hostname("app.example.com")),
			})
		}, explain.StepNoRival, explain.Broken},
	{"an older Certificate has the hostname", plan.ReasonHostnameTaken,
		func(s *sample.Cluster) {
			s.Unwritten()
			older := sample.Certificate(types.NamespacedName{Namespace: "team-b", Name: "a-older"}, "app.example.com")
			older.CreationTimestamp = metav1.NewTime(s.App.CreationTimestamp.Add(-1))
			s.Add(older)
		}, explain.StepNoRival, explain.Broken},
	{"the port speaks HTTP", plan.ReasonPortConflict,
		func(s *sample.Cluster) { s.App.Annotations = map[string]string{plan.ListenerPortKey: "80"} }, explain.StepPort, explain.Broken},
	{"the Gateway takes none", plan.ReasonTooManyListeners,
		func(s *sample.Cluster) { s.Annotate(plan.MaxListenersKey, "0") }, explain.StepRoom, explain.Broken},
	{"the Gateway waits until it is Ready", plan.ReasonCertificateNotReady,
		func(s *sample.Cluster) {
			s.Annotate(plan.AttachKey, "WhenReady")
			s.App.Status = certmanagerv1.CertificateStatus{}
			s.Unwritten()
		}, explain.StepAttach, explain.Broken},
	{"the API server has refused it", plan.ReasonRefusedByServer,
		func(s *sample.Cluster) {
			s.Unwritten()
			refused := plan.For(plan.Input{
				Gateway: s.Edge, Certificates: s.Certificates, Namespaces: s.Namespaces,
				Refused: map[gatewayv1.SectionName]string{"auto-app-app-example-com": "a policy says no"},
			})
			s.Annotate(plan.LedgerKey, refused.Ledger.String())
		}, explain.StepAdmission, explain.Broken},
	{"an annotation of the Certificate cannot be read", plan.ReasonMalformedAnnotation,
		func(s *sample.Cluster) {
			s.App.Annotations = map[string]string{plan.AllowedRoutesKey: "everybody"}
		}, explain.StepAnnotations, explain.Warning},
	{"an annotation of the Namespace cannot be read", plan.ReasonMalformedAnnotation,
		func(s *sample.Cluster) {
			s.Namespaces["team-a"] = metav1.ObjectMeta{Name: "team-a", Annotations: map[string]string{plan.AllowedHostnamesKey: "app.example.com, *"}}
		}, explain.StepAnnotations, explain.Warning},
	{"the Gateway's cap cannot be read, and it is new", plan.ReasonMalformedAnnotation,
		func(s *sample.Cluster) { s.Annotate(plan.MaxListenersKey, "many"); s.Unwritten() }, explain.StepRoom, explain.Broken},
	{"the Gateway publishes elsewhere", plan.ReasonPublishNotSupported,
		func(s *sample.Cluster) { s.Annotate(plan.PublishKey, "ListenerSet"); s.Unwritten() }, explain.StepRoom, explain.Broken},
	{"there is no such Gateway", plan.ReasonGatewayMissing,
		func(s *sample.Cluster) { s.App.Labels[plan.GatewayNameKey] = "egde" }, explain.StepGateway, explain.Broken},
	{"the Gateway is being deleted", plan.ReasonGatewayMissing,
		func(s *sample.Cluster) { s.Edge.DeletionTimestamp = &metav1.Time{} }, explain.StepGateway, explain.Broken},
	{"no ReferenceGrant lets the Gateway use the Secret", plan.ReasonMissingReferenceGrant,
		func(s *sample.Cluster) { s.Grants = s.Grants[:0] }, explain.StepReferenceGrant, explain.Broken},
	{"somebody keeps taking the listener off", plan.ReasonConflictingWriter,
		func(s *sample.Cluster) {
			s.Edge.Spec.Listeners = s.Edge.Spec.Listeners[:1]
			s.Told[sample.EdgeName] = []plan.Finding{{Reason: plan.ReasonConflictingWriter, Message: "somebody keeps undoing our listeners"}}
		}, explain.StepListener, explain.Broken},
	{"somebody kept taking the listener off, and it stands", plan.ReasonConflictingWriter,
		func(s *sample.Cluster) {
			s.Told[sample.EdgeName] = []plan.Finding{{Reason: plan.ReasonConflictingWriter, Message: "somebody keeps undoing our listeners"}}
		}, explain.StepListener, explain.Warning},
	{"one Secret is behind two listeners", plan.ReasonSharedSecret,
		func(s *sample.Cluster) {
			s.App.Spec.DNSNames = append(s.App.Spec.DNSNames, "b.example.com")
			s.Settle()
		}, explain.StepSecretName, explain.Warning},
	{"cert-manager reads the Gateway too", plan.ReasonCertManagerOverlap,
		func(s *sample.Cluster) { s.Annotate(certmanagerv1.IngressIssuerNameAnnotationKey, "ca") }, explain.StepListener, explain.Warning},
	{"the ledger is lost", plan.ReasonLedgerCorrected,
		func(s *sample.Cluster) { delete(s.Edge.Annotations, plan.LedgerKey) }, explain.StepListener, explain.Warning},
	{"the controller cannot have the port", plan.ReasonListenerNotAccepted,
		func(s *sample.Cluster) {
			s.Condition(gatewayv1.ListenerConditionAccepted, "False", "PortUnavailable", "m")
		}, explain.StepController, explain.Broken},
	{"the controller cannot use the Secret", plan.ReasonListenerRefsNotResolved,
		func(s *sample.Cluster) {
			s.Condition(gatewayv1.ListenerConditionResolvedRefs, "False", "InvalidCertificateRef", "m")
		}, explain.StepController, explain.Broken},
	{"the data plane has failed", plan.ReasonListenerNotProgrammed,
		func(s *sample.Cluster) {
			s.Condition(gatewayv1.ListenerConditionProgrammed, "False", "Invalid", "m")
		}, explain.StepController, explain.Broken},
	{"the controller finds a conflict with it knows what", plan.ReasonListenerConflicted,
		func(s *sample.Cluster) {
			s.Condition(gatewayv1.ListenerConditionConflicted, "True", "HostnameConflict", "m")
		}, explain.StepNoRival, explain.Broken},
	{"the controller finds a conflict with its owner's", plan.ReasonListenerConflicted, passthroughInConflict, explain.StepNoRival, explain.Broken},
	{"it has given way to its owner's", plan.ReasonListenerConflicted,
		func(s *sample.Cluster) { passthroughInConflict(s); s.Settle() }, explain.StepNoRival, explain.Broken},
	{"cert-manager made it from a listener", plan.ReasonFromListener,
		func(s *sample.Cluster) {
			s.App.OwnerReferences = []metav1.OwnerReference{{APIVersion: "gateway.networking.k8s.io/v1", Kind: "Gateway", Name: "edge", Controller: new(true)}}
		}, explain.StepOrigin, explain.Broken},
	{"the Gateway is paused before the handler came", plan.ReasonPaused,
		func(s *sample.Cluster) { s.Annotate(plan.PausedKey, "true"); s.Unwritten() }, explain.StepNotPaused, explain.Broken},
	{"the Gateway is in a dry run before the handler came", plan.ReasonDryRun,
		func(s *sample.Cluster) { s.Annotate(plan.ModeKey, "DryRun"); s.Unwritten() }, explain.StepNotDryRun, explain.Broken},
	{"the Gateway is in a dry run, and the listener's port is another now", plan.ReasonDryRun,
		func(s *sample.Cluster) {
			s.Annotate(plan.ModeKey, "DryRun")
			s.App.Annotations = map[string]string{plan.ListenerPortKey: "8443"}
		}, explain.StepNotDryRun, explain.Broken},
	{"all Gateways are in a dry run", plan.ReasonDryRun,
		func(s *sample.Cluster) { s.Defaults.Mode = plan.ModeDryRun; s.Unwritten() }, explain.StepNotDryRun, explain.Broken},
	{"the Gateway is in a dry run, and the listener stands", plan.ReasonDryRun,
		func(s *sample.Cluster) { s.Annotate(plan.ModeKey, "DryRun") }, explain.StepNotDryRun, explain.Warning},
	{"the Gateway is paused, and the listener stands", plan.ReasonPaused,
		func(s *sample.Cluster) { s.Annotate(plan.PausedKey, "true") }, explain.StepNotPaused, explain.Warning},
}

// passthroughInConflict has the controller find all in conflict, beside a listener
// of the owner's that speaks another protocol.
func passthroughInConflict(s *sample.Cluster) {
	s.Edge.Spec.Listeners = append(s.Edge.Spec.Listeners, gatewayv1.Listener{Name: "mine", Port: 443, Protocol: gatewayv1.TLSProtocolType})
	s.Condition(gatewayv1.ListenerConditionConflicted, "True", "ProtocolConflict", "m")
}

func TestTheRightLinkIsNamedForEachReason(t *testing.T) {
	for _, tc := range reasonCases {
		t.Run(tc.name, func(t *testing.T) {
			s := sample.New()
			tc.mutate(s)
			c := chain(s)
			link := of(t, c, tc.step)
			if link.State != tc.state || link.Reason != string(tc.reason) || link.Detail == "" || link.Remedy == "" {
				t.Errorf("link %s is %+v, want %s for %s", tc.step, link, tc.state, tc.reason)
			}
			want := explain.Step("")
			if tc.state == explain.Broken {
				want = tc.step
			}
			if c.FirstBroken != want {
				t.Errorf("the first broken link is %q, want %q: %+v", c.FirstBroken, want, c.Links)
			}
		})
	}
}

// Whoever only hears of the dry run would end it, to be told of the next thing.
func TestADryRunHidesNoOtherBrokenLink(t *testing.T) {
	s := sample.New()
	s.Annotate(plan.ModeKey, "DryRun")
	s.Annotate(plan.CertificateNamespacesKey, "Same")
	s.Unwritten()
	c := chain(s)
	if link := of(t, c, explain.StepNotDryRun); c.FirstBroken != explain.StepNamespace || link.State != explain.Warning {
		t.Errorf("the first broken link is %s, and the dry run is %s; want Namespace and a warning", c.FirstBroken, link.State)
	}
}

// Of a Certificate that is gone there is no chain to ask for; its hostname is
// asked for.
func TestTheLastListenerThatNobodyAsksForIsExplained(t *testing.T) {
	s := sample.New()
	s.Edge.Spec.Listeners = s.Edge.Spec.Listeners[1:]
	s.Certificates = nil
	r := explain.Hostname(s.View, "app.example.com")
	if len(r.Chains) != 1 || r.Answer != explain.NotServed {
		t.Fatalf("report = %+v, want one chain and no service", r)
	}
	link := of(t, r.Chains[0], explain.StepCertificate)
	if r.Chains[0].FirstBroken != explain.StepCertificate || link.Reason != string(plan.ReasonLastListenerKept) || link.Remedy == "" {
		t.Errorf("the first broken link is %s, %+v; want Certificate for LastListenerKept", r.Chains[0].FirstBroken, link)
	}
}

var contractRow = regexp.MustCompile("(?m)^\\| `([A-Za-z]+)` \\|")

func TestEachReasonOfTheContractHasACase(t *testing.T) {
	page, err := os.ReadFile("../../../docs/contract.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "\n## Reasons\n")
	var listed []string
	for _, row := range contractRow.FindAllStringSubmatch(table, -1) {
		listed = append(listed, row[1])
	}
	tried := []string{string(plan.ReasonLastListenerKept)} // by tests of their own, as are these
	for _, reason := range written {
		tried = append(tried, string(reason))
	}
	for _, tc := range reasonCases {
		tried = append(tried, string(tc.reason))
	}
	slices.Sort(listed)
	slices.Sort(tried)
	if diff := cmp.Diff(listed, slices.Compact(tried)); diff != "" || len(listed) < 20 {
		t.Errorf("reasons (-docs/contract.md +tried):\n%s", diff)
	}
}

// written are the reasons by which a Gateway's owner is told what was written.
var written = []plan.Reason{plan.ReasonListenersAdded, plan.ReasonListenersChanged, plan.ReasonListenersDisrupted}

// Which listeners they were it does not say, and this one stands.
func TestThatOtherListenersWereWrittenBreaksNoLink(t *testing.T) {
	for _, reason := range written {
		s := sample.New()
		s.Told[sample.EdgeName] = []plan.Finding{{Reason: reason, Message: "of our listeners 1 went"}}
		for _, link := range chain(s).Links {
			if link.State != explain.OK {
				t.Errorf("after %s link %s is %+v", reason, link.Step, link)
			}
		}
	}
}

// Links that are no matter of the contract's reasons.
func TestTheRightLinkIsNamedForWhatOthersDo(t *testing.T) {
	for _, tc := range []struct {
		name   string
		mutate func(*sample.Cluster)
		step   explain.Step
		reason string
	}{
		{"no label", func(s *sample.Cluster) { s.App.Labels = nil }, explain.StepLabel, "NoLabel"},
		{"the old operator's annotation alone", func(s *sample.Cluster) {
			s.App.Labels, s.App.Annotations = nil, map[string]string{plan.GatewayNameKey: "edge"}
		}, explain.StepLabel, "AnnotationOnly"},
		{"a label that no Gateway can have", func(s *sample.Cluster) { s.App.Labels[plan.GatewayNameKey] = ".." }, explain.StepLabel, "InvalidLabel"},
		{"the Certificate is going", func(s *sample.Cluster) { s.App.DeletionTimestamp = &metav1.Time{} }, explain.StepCertificate, "NotAsked"},
		{"not yet written", (*sample.Cluster).Unwritten, explain.StepListener, "Pending"},
		{"another port now", func(s *sample.Cluster) { s.App.Annotations = map[string]string{plan.ListenerPortKey: "8443"} }, explain.StepListener, "Pending"},
		{"taken off once", func(s *sample.Cluster) { s.Edge.Spec.Listeners = s.Edge.Spec.Listeners[:1] }, explain.StepListener, "TakenOff"},
		{"no controller", func(s *sample.Cluster) { s.Edge.Status.Listeners = nil }, explain.StepController, "NoController"},
		{"a controller that has only begun", func(s *sample.Cluster) { s.Edge.Status.Listeners[1].Conditions = nil }, explain.StepController, "NotLookedYet"},
		{"a controller that is not done", func(s *sample.Cluster) { s.Condition(gatewayv1.ListenerConditionProgrammed, "Unknown", "Pending", "m") }, explain.StepController, "NotLookedYet"},
		{"a controller that has said no to an older state", func(s *sample.Cluster) {
			s.Condition(gatewayv1.ListenerConditionAccepted, "False", "PortUnavailable", "m")
			s.Edge.Generation++
		}, explain.StepController, "NotLookedYet"},
		{"not Ready", func(s *sample.Cluster) {
			s.App.Status.Conditions[0] = certmanagerv1.CertificateCondition{
				Type: certmanagerv1.CertificateConditionReady, Status: cmmeta.ConditionFalse, Reason: "Failed", Message: "m",
			}
		}, explain.StepCertificateReady, "NotReady"},
		{"no word of cert-manager", func(s *sample.Cluster) { s.App.Status = certmanagerv1.CertificateStatus{} }, explain.StepCertificateReady, "NotReady"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := sample.New()
			tc.mutate(s)
			c := chain(s)
			if link := of(t, c, tc.step); c.FirstBroken != tc.step || link.Reason != tc.reason || link.Detail == "" || link.Remedy == "" {
				t.Errorf("the first broken link is %q, and %s is %+v; want it broken for %s", c.FirstBroken, tc.step, link, tc.reason)
			}
		})
	}
}

func TestAControllerThatHasNotSeenTheNewestSpecIsAWarning(t *testing.T) {
	s := sample.New()
	s.Edge.Generation++
	c := chain(s)
	if link := of(t, c, explain.StepController); link.State != explain.Warning || !c.Holds() {
		t.Errorf("the link is %+v, want a warning", link)
	}
}

// What does not hang on a broken link is told all the same.
func TestBehindABrokenLinkTheLinksThatStandAloneAreStillLookedAt(t *testing.T) {
	s := sample.New()
	s.App.Labels = nil
	s.App.Status = certmanagerv1.CertificateStatus{}
	got := map[explain.Step]explain.State{}
	for _, link := range chain(s).Links {
		got[link.Step] = link.State
	}
	for step, want := range map[explain.Step]explain.State{
		explain.StepCertificate: explain.OK, explain.StepHostname: explain.OK, explain.StepCertificateReady: explain.Broken,
		explain.StepGateway: explain.NotReached, explain.StepListener: explain.NotReached,
	} {
		if got[step] != want {
			t.Errorf("link %s is %s, want %s", step, got[step], want)
		}
	}
}

func TestOfManyNamesEachHasItsOwnChain(t *testing.T) {
	s := sample.New()
	s.App.Spec.DNSNames = []string{"app.example.com", "*", "App.Example.com.", "taken.example.com", "app.example.com"}
	s.Add(sample.Certificate(types.NamespacedName{Namespace: "infra", Name: "a"}, "taken.example.com"))
	s.Settle()
	var got []string
	for _, c := range explain.Certificate(s.View, s.App).Chains {
		got = append(got, fmt.Sprintf("%s: %s", c.Hostname, c.FirstBroken))
	}
	want := []string{"app.example.com: ", "*: Hostname", "App.Example.com.: ", "taken.example.com: NoRival"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("chains (-want +got):\n%s", diff)
	}
}

func TestAName256NamesInIsBeyondWhatTheHandlerLooksAt(t *testing.T) {
	s := sample.New()
	s.App.Spec.DNSNames = nil
	for i := range plan.MaxDNSNames + 10 {
		s.App.Spec.DNSNames = append(s.App.Spec.DNSNames, fmt.Sprintf("h%d.example.com", i))
	}
	s.Settle()
	chains := explain.Certificate(s.View, s.App).Chains
	last := chains[len(chains)-1]
	if len(chains) != plan.MaxDNSNames+1 || last.FirstBroken != explain.StepRoom {
		t.Errorf("%d chains, the last broken at %q; want %d and Room", len(chains), last.FirstBroken, plan.MaxDNSNames+1)
	}
	if first := chains[0]; first.FirstBroken != "" {
		t.Errorf("the first is broken at %q", first.FirstBroken)
	}
}

// forbidding is rules that allow nothing, for one reason.
type forbidding string

func (f forbidding) Judge(plan.Candidate) plan.Ruling { return plan.Ruling{Why: string(f)} }
