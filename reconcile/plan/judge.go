package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// leftOn judges a Gateway's listeners.
func (in MigrateInput) leftOn(gateway *gatewayv1.Gateway, all []former) []LeftListener {
	ledger, _ := ParseLedger(gateway.Annotations[LedgerKey]) // one that cannot be read names nothing, as for the handler
	j := in.judgeFor(gateway, all)
	var left []LeftListener
	for i := range gateway.Spec.Listeners {
		listener := &gateway.Spec.Listeners[i]
		if _, ours := ledger[listener.Name]; !ours && strings.HasPrefix(string(listener.Name), namePrefix) {
			left = append(left, j.verdict(listener))
		}
	}
	keepStale(gateway, left)
	slices.SortFunc(left, func(a, b LeftListener) int { return strings.Compare(string(a.Name), string(b.Name)) })
	return left
}

// keepStale says which stale listeners cannot go. They come in the order of the
// Gateway, and like the handler's last one it is the first that stays.
func keepStale(gateway *gatewayv1.Gateway, left []LeftListener) {
	paused := termsOf(Input{Gateway: gateway}).paused
	stale := 0
	for i := range left {
		if left[i].Fate == Stale {
			stale++
		}
		if left[i].Fate == Stale && paused {
			left[i].Stays = "the Gateway is paused by its annotation " + PausedKey
		}
	}
	if stale > 0 && stale == len(gateway.Spec.Listeners) && !paused {
		left[0].Stays = "a Gateway must have a listener, and there is no other"
	}
}

// judge knows what bears on one Gateway's listeners.
type judge struct {
	gateway types.NamespacedName
	askers  []former
	plan    Plan
	changes map[gatewayv1.SectionName]Change
}

// judgeFor plans as the handler will; what a pause holds up, it does later.
func (in MigrateInput) judgeFor(gateway *gatewayv1.Gateway, all []former) judge {
	j := judge{gateway: NameOf(gateway), changes: map[gatewayv1.SectionName]Change{}}
	unpaused := *gateway
	unpaused.Annotations = maps.Clone(gateway.Annotations)
	delete(unpaused.Annotations, PausedKey)
	input := Input{Gateway: &unpaused, Namespaces: in.Namespaces, Defaults: in.Defaults}
	for _, f := range all {
		if f.gateway == j.gateway {
			input.Certificates = append(input.Certificates, f.Certificate)
		}
		if f.gateway == j.gateway || f.annotated == j.gateway {
			j.askers = append(j.askers, f)
		}
	}
	j.plan = For(input)
	for _, change := range j.plan.Changes {
		j.changes[change.Listener] = change
	}
	return j
}

func (j judge) verdict(listener *gatewayv1.Listener) LeftListener {
	left := LeftListener{Name: listener.Name, Hostname: hostnameOf(listener)}
	entry, ours := j.plan.Ledger[listener.Name]
	change, changes := j.changes[listener.Name]
	asker := slices.IndexFunc(j.askers, func(f former) bool { return f.asksFor(listener) })
	unlike := unlikeTheOperators(listener)
	switch {
	case changes:
		left.Fate, left.Certificate, left.Why = TakenOver, change.Certificate, j.then(change)
	case ours:
		left.Fate, left.Certificate = TakenOver, entry.Certificate
	case asker >= 0:
		left.Fate, left.Certificate, left.Why = Kept, NameOf(&j.askers[asker]), j.whyNotTaken(&j.askers[asker], listener)
	case unlike != "":
		left.Fate, left.Why = UserOwned, unlike
	default:
		left.Fate, left.Why = Stale, j.whoElse(listener)
	}
	return left
}

// then says what the handler will do to a listener that it has taken over.
func (j judge) then(change Change) string {
	if change.Action != Removed {
		return "the handler will change its " + strings.Join(change.Fields, ", ")
	}
	why := j.refusal(change.Certificate, change.Hostname, ReasonPortConflict, ReasonHostnameTaken, ReasonTooManyListeners, ReasonRuleNotMet)
	return "the handler will remove it: " + cmp.Or(why, "the Certificate has another for this hostname")
}

func (j judge) whyNotTaken(f *former, listener *gatewayv1.Listener) string {
	if f.gateway != j.gateway {
		return fmt.Sprintf("the Certificate's annotations ask for it, but its labels name Gateway %s", f.gateway)
	}
	if owner, made := madeFrom(&f.Certificate); made {
		return fmt.Sprintf("cert-manager made the Certificate from %s, and no listener is made from it", owner)
	}
	why := j.refusal(NameOf(f), hostnameOf(listener), ReasonNamespaceNotAllowed, ReasonInvalidSecretName, ReasonHostnameNotAllowed, ReasonInvalidHostname)
	return cmp.Or(why, fmt.Sprintf("it does not refer to the Certificate's Secret %s alone", f.Spec.SecretName))
}

// refusal returns the planner's words if it refuses a Certificate a hostname for
// one of the reasons; else nothing.
func (j judge) refusal(certificate types.NamespacedName, hostname gatewayv1.Hostname, reasons ...Reason) string {
	for _, f := range j.plan.Rejections {
		about := f.Hostname == "" || spells(f.Hostname, hostname)
		if f.Certificate == certificate && about && slices.Contains(reasons, f.Reason) {
			return f.Message
		}
	}
	return ""
}

// whoElse tells of a Certificate that wants the hostname of a stale listener.
func (j judge) whoElse(listener *gatewayv1.Listener) string {
	for i := range j.askers {
		for _, dnsName := range j.askers[i].Spec.DNSNames {
			if spells(dnsName, hostnameOf(listener)) {
				return fmt.Sprintf("Certificate %s wants its hostname, by another name", NameOf(&j.askers[i]))
			}
		}
	}
	return ""
}

// unlikeTheOperators returns what the gateway-cert-operator would not have
// written; empty if it can all be its work.
func unlikeTheOperators(listener *gatewayv1.Listener) string {
	tls := tlsOf(listener)
	switch {
	case !operatorsName(listener.Name, hostnameOf(listener)):
		return "its name is not made of a Certificate's name and its hostname"
	case listener.Port != DefaultPort:
		return fmt.Sprintf("its port is %d", listener.Port)
	case listener.Protocol != gatewayv1.HTTPSProtocolType || tls.Mode == nil || *tls.Mode != gatewayv1.TLSModeTerminate:
		return "it does not terminate HTTPS"
	case len(tls.CertificateRefs) != 1 || !operatorsReference(tls.CertificateRefs[0]):
		return "it does not refer to one Secret by namespace and name"
	}
	return ""
}

// operatorsName reports whether there can be a Certificate for whose hostname
// the gateway-cert-operator would have chosen the name.
func operatorsName(name gatewayv1.SectionName, hostname gatewayv1.Hostname) bool {
	rest := strings.TrimPrefix(string(name), namePrefix)
	for end := 1; end < len(rest) && hostname != ""; end++ {
		if legacyName(types.NamespacedName{Name: rest[:end]}, hostname) == name && len(validation.IsDNS1123Subdomain(rest[:end])) == 0 {
			return true
		}
	}
	return false
}

// operatorsReference wants the namespace spelled out, as no user needs to.
func operatorsReference(ref gatewayv1.SecretObjectReference) bool {
	return (ref.Group == nil || *ref.Group == corev1.GroupName) && (ref.Kind == nil || *ref.Kind == "Secret") && ref.Namespace != nil
}
