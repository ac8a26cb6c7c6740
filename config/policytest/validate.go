package policytest

import (
	"errors"
	"fmt"
	"strings"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// MaxCertificates bounds the Certificates of one test.
const MaxCertificates = 64

// Validate returns every reason, joined, for which the test cannot be run.
func (t Test) Validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if strings.TrimSpace(t.Name) == "" {
		fault("name is missing: say what is expected")
	}
	if err := isOf(t.Gateway.TypeMeta, gatewayv1.GroupVersion.String(), "Gateway"); err != nil {
		fault("gateway: %w", err)
	}
	if len(t.Certificates) > MaxCertificates {
		fault("certificates has %d entries, and at most %d are taken", len(t.Certificates), MaxCertificates)
	}
	faults = append(faults, t.certificateFaults()...)
	if t.Want.Listeners == nil && t.Want.Refusals == nil {
		fault("want is missing: list the listeners and the refusals that are expected, [] for none")
	}
	for i, want := range t.Want.Listeners {
		if want == (Listener{}) {
			fault("want.listeners[%d] says nothing of the listener", i)
		}
	}
	for i, want := range t.Want.Refusals {
		if want == (Refusal{}) {
			fault("want.refusals[%d] says nothing of the refusal", i)
		}
	}
	return errors.Join(faults...)
}

func (t Test) certificateFaults() (faults []error) {
	taken := map[types.NamespacedName]bool{}
	for i := range t.Certificates {
		certificate := &t.Certificates[i]
		if err := isOf(certificate.TypeMeta, certmanagerv1.SchemeGroupVersion.String(), certmanagerv1.CertificateKind); err != nil {
			faults = append(faults, fmt.Errorf("certificates[%d]: %w", i, err))
		}
		name := named(certificate.Name, certificate.Namespace, t.gateway())
		switch {
		case certificate.Name == "":
			faults = append(faults, fmt.Errorf("certificates[%d]: metadata.name is missing", i))
		case taken[name]:
			faults = append(faults, fmt.Errorf("certificates[%d]: there is another Certificate %s", i, name))
		}
		taken[name] = true
	}
	return faults
}

// isOf lets a type be left out, but not be another.
func isOf(said metav1.TypeMeta, apiVersion, kind string) error {
	if said.APIVersion != "" && said.APIVersion != apiVersion || said.Kind != "" && said.Kind != kind {
		return fmt.Errorf("it is of %.64q, %.64q: write %s, %s, or neither", said.APIVersion, said.Kind, apiVersion, kind)
	}
	return nil
}

// named is a Certificate's whole name; without a namespace it stands beside the
// Gateway.
func named(name, namespace string, gateway *gatewayv1.Gateway) types.NamespacedName {
	if namespace == "" {
		namespace = gateway.Namespace
	}
	return types.NamespacedName{Namespace: namespace, Name: name}
}
