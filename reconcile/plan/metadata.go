package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// writeMetadata sets what of the Gateway's metadata is ours to write.
func (p *Plan) writeMetadata(in Input, before *holdings) {
	p.Annotations = map[string]string{LedgerKey: p.Ledger.String()}
	p.Labels = map[string]string{ManagedKey: ""}
	if len(p.Ledger) > 0 {
		p.Labels[ManagedKey] = ManagedValue
	}
	have := in.Gateway.Annotations[certmanagerv1.CertificateIgnoreTLSListeners]
	ignored := ignoreList(have, ignoring(in.Gateway), before, p.Ledger)
	p.Annotations[certmanagerv1.CertificateIgnoreTLSListeners] = ignored
	if ignored != have && ignoring(in.Gateway) {
		p.Notes = append(p.Notes, Finding{
			Reason: ReasonCertManagerOverlap,
			Message: fmt.Sprintf("cert-manager makes Certificates from this Gateway's listeners; it has been told by the annotation %s to leave ours out",
				certmanagerv1.CertificateIgnoreTLSListeners),
		})
	}
	p.MetadataStale = stale(in.Gateway.Annotations, p.Annotations) || stale(in.Gateway.Labels, p.Labels)
}

func stale(have, want map[string]string) bool {
	for key, value := range want {
		if have[key] != value {
			return true
		}
	}
	return false
}

// ignoring reports whether cert-manager makes Certificates from the Gateway's
// listeners, and so has to be told to leave ours out.
func ignoring(gateway *gatewayv1.Gateway) bool {
	for _, key := range []string{certmanagerv1.IngressClusterIssuerNameAnnotationKey, certmanagerv1.IngressIssuerNameAnnotationKey} {
		if gateway.Annotations[key] != "" {
			return true
		}
	}
	return gateway.Annotations["kubernetes.io/tls-acme"] == "true" // for cert-manager's default issuer
}

// ignoreList returns cert-manager's list of listeners to leave out, with ours
// added to what stands there and those taken off that were ours.
func ignoreList(have string, needed bool, before *holdings, now Ledger) string {
	var list []string
	listed := map[gatewayv1.SectionName]bool{}
	changed := false
	for part := range strings.SplitSeq(have, ",") {
		name := gatewayv1.SectionName(strings.TrimSpace(part))
		_, was := before.byName[name]
		if entry, named := now[name]; was && (!named || entry.Refused != "") || name == "" {
			changed = changed || name != ""
			continue
		}
		list, listed[name] = append(list, string(name)), true
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if needed && !listed[name] && now[name].Refused == "" {
			list, changed = append(list, string(name)), true
		}
	}
	if !changed {
		return have
	}
	return strings.Join(list, ",")
}
