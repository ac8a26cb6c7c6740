package policytest

import (
	"strings"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// MaxCertificates bounds the Certificates of one test.
const MaxCertificates = 64

// maxWants bounds each list of what is wanted: a test is small.
const maxWants = 1000

// Validate returns every reason for which the test, which stands at that path,
// cannot be run.
func (t Test) Validate(at *field.Path) field.ErrorList {
	var faults field.ErrorList
	if strings.TrimSpace(t.Name) == "" {
		faults = append(faults, field.Required(at.Child("name"), "say what is expected"))
	}
	faults = append(faults, isOf(at.Child("gateway"), t.Gateway.TypeMeta, gatewayv1.GroupVersion.String(), "Gateway")...)
	if certificates := at.Child("certificates"); len(t.Certificates) > MaxCertificates {
		faults = append(faults, field.TooMany(certificates, len(t.Certificates), MaxCertificates))
	} else {
		faults = append(faults, t.certificateFaults(certificates)...)
	}
	return append(faults, t.Want.validate(at.Child("want"))...)
}

func (w Want) validate(at *field.Path) (faults field.ErrorList) {
	if w.Listeners == nil && w.Refusals == nil {
		return field.ErrorList{field.Required(at, "list the listeners and the refusals that are expected, [] for none")}
	}
	for _, list := range []struct {
		name   string
		length int
	}{{"listeners", len(w.Listeners)}, {"refusals", len(w.Refusals)}} {
		if list.length > maxWants {
			faults = append(faults, field.TooMany(at.Child(list.name), list.length, maxWants))
		}
	}
	if len(faults) > 0 {
		return faults
	}
	for i, want := range w.Listeners {
		if want == (Listener{}) {
			faults = append(faults, field.Required(at.Child("listeners").Index(i), "say something of the listener"))
		}
	}
	for i, want := range w.Refusals {
		if want == (Refusal{}) {
			faults = append(faults, field.Required(at.Child("refusals").Index(i), "say something of the refusal"))
		}
	}
	return faults
}

func (t Test) certificateFaults(at *field.Path) (faults field.ErrorList) {
	taken := map[types.NamespacedName]bool{}
	for i := range t.Certificates {
		certificate := &t.Certificates[i]
		faults = append(faults, isOf(at.Index(i), certificate.TypeMeta, certmanagerv1.SchemeGroupVersion.String(), certmanagerv1.CertificateKind)...)
		name := named(certificate.Name, certificate.Namespace, t.gateway())
		switch {
		case certificate.Name == "":
			faults = append(faults, field.Required(at.Index(i).Child("metadata", "name"), "give each Certificate a name"))
		case taken[name]:
			faults = append(faults, field.Duplicate(at.Index(i).Child("metadata", "name"), name.String()))
		}
		taken[name] = true
	}
	return faults
}

// isOf lets a type be left out, but not be another.
func isOf(at *field.Path, said metav1.TypeMeta, apiVersion, kind string) (faults field.ErrorList) {
	if said.APIVersion != "" && said.APIVersion != apiVersion {
		faults = append(faults, field.NotSupported(at.Child("apiVersion"), said.APIVersion, []string{apiVersion}))
	}
	if said.Kind != "" && said.Kind != kind {
		faults = append(faults, field.NotSupported(at.Child("kind"), said.Kind, []string{kind}))
	}
	return faults
}

// named is a Certificate's whole name; without a namespace it stands beside the
// Gateway.
func named(name, namespace string, gateway *gatewayv1.Gateway) types.NamespacedName {
	if namespace == "" {
		namespace = gateway.Namespace
	}
	return types.NamespacedName{Namespace: namespace, Name: name}
}
