package zero

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// certificate is one that cert-manager issues, with a key that is made at once:
// the node has few CPUs, and it is not the making of keys that is measured.
func certificate(name, gateway, host string) *certmanagerv1.Certificate {
	return &certmanagerv1.Certificate{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{plan.GatewayNameKey: gateway}},
		Spec: certmanagerv1.CertificateSpec{
			SecretName: name + "-tls", DNSNames: []string{host},
			PrivateKey: &certmanagerv1.CertificatePrivateKey{Algorithm: certmanagerv1.ECDSAKeyAlgorithm, Size: 256},
			IssuerRef:  cmmeta.IssuerReference{Kind: "ClusterIssuer", Name: "ca"},
		},
	}
}

// issued waits until cert-manager has fulfilled a Certificate.
func issued(t *testing.T, n *namespace.Namespace, name string) {
	t.Helper()
	eventually(t, "Certificate "+name+" is Ready", func(ctx context.Context) error {
		found, err := n.Certificates.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(found.Status.Conditions, func(c certmanagerv1.CertificateCondition) bool {
			return c.Type == certmanagerv1.CertificateConditionReady && c.Status == cmmeta.ConditionTrue
		}) {
			return errors.New("it is not")
		}
		return nil
	})
}

// pauseCertManager has nobody issue Certificates until the test ends.
func pauseCertManager(t *testing.T) {
	t.Helper()
	scaleCertManager(t, 0)
	t.Cleanup(func() { certManagerRuns(t) })
}

func certManagerRuns(t *testing.T) {
	t.Helper()
	scaleCertManager(t, 1)
}

func scaleCertManager(t *testing.T, replicas int) {
	t.Helper()
	run(t, "", "-n", "cert-manager", "scale", "deployment/cert-manager", fmt.Sprintf("--replicas=%d", replicas))
	run(t, "", "-n", "cert-manager", "rollout", "status", "deployment/cert-manager", "--timeout=60s")
}
