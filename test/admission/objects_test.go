package admission

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

type kind string

const (
	certificate kind = "Certificate"
	gateway     kind = "Gateway"
	tenant      kind = "Namespace"
)

// home is where what is tried would be.
const home = "default"

// plain is an object of the kind that says nothing malformed.
func plain(k kind) client.Object {
	meta := metav1.ObjectMeta{Namespace: home, Name: "tried", Labels: map[string]string{}, Annotations: map[string]string{}}
	switch k {
	case certificate:
		meta.Labels[plan.GatewayNameKey] = "edge"
		return &certmanagerv1.Certificate{ObjectMeta: meta, Spec: certmanagerv1.CertificateSpec{
			SecretName: "tls", DNSNames: []string{"app.example.com"}, IssuerRef: cmmeta.IssuerReference{Name: "ca"},
		}}
	case gateway:
		return &gatewayv1.Gateway{ObjectMeta: meta, Spec: gatewayv1.GatewaySpec{
			GatewayClassName: "example",
			Listeners:        []gatewayv1.Listener{{Name: "http", Port: 80, Protocol: gatewayv1.HTTPProtocolType}},
		}}
	}
	meta.Namespace = ""
	return &corev1.Namespace{ObjectMeta: meta}
}

// annotated is one with an annotation of ours, given without the prefix.
func annotated(k kind, key, text string) client.Object {
	object := plain(k)
	object.GetAnnotations()[plan.KeyPrefix+key] = text
	return object
}

// refusal is what the policy says of an object that is created; empty if it lets
// it through. What else goes wrong ends the test.
func refusal(t testing.TB, c client.Client, object client.Object) string {
	t.Helper()
	said, err := words(c.Create(t.Context(), object, client.DryRunAll))
	if err != nil {
		t.Fatal(err)
	}
	return said
}

// words takes the policy's own out of the API server's answer. Any other error
// is returned.
func words(err error) (string, error) {
	if err == nil {
		return "", nil
	}
	var status apierrors.APIStatus
	_, said, denied := strings.Cut(err.Error(), "ValidatingAdmissionPolicy 'gateway-cert-contract' with binding 'gateway-cert-contract' denied request: ")
	if !denied || !errors.As(err, &status) || status.Status().Reason != metav1.StatusReasonInvalid {
		return "", fmt.Errorf("this is not the policy's refusal: %w", err)
	}
	if strings.Contains(said, "resulted in error") || strings.Contains(said, "failed expression") {
		return "", fmt.Errorf("the policy could not say what is wrong: %w", err)
	}
	return said, nil
}

func mustClient(t testing.TB) client.Client {
	t.Helper()
	c, err := newClient()
	namespace.Must(t, err)
	return c
}
