package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// labelled are the labels of a Certificate for l's edge from elsewhere.
func (l *live) labels() map[string]string {
	return map[string]string{plan.GatewayNameKey: "edge", plan.GatewayNamespaceKey: l.user.Name}
}

func TestOnlyAdmittedNamespacesCertificatesAreReadWhole(t *testing.T) {
	l := newLive(t)
	admitted, stranger := namespace.New(t, plane.Config()), namespace.New(t, plane.Config())
	l.user.CreateCertificate("own", "edge", "own.example.com")
	admitted.CreateLabelled("admitted", l.labels(), "admitted.example.com")
	stranger.CreateLabelled("stranger", l.labels(), "stranger.example.com")

	query := l.query("")
	var asked []string
	query.Admit = func(_ context.Context, namespaces []string) ([]string, error) {
		asked = namespaces
		return []string{admitted.Name}, nil
	}
	found, err := l.CertificatesOf(t.Context(), query)
	namespace.Must(t, err)
	got := map[string]string{}
	for _, c := range found.Items {
		got[c.Name] = strings.Join(c.Spec.DNSNames, " ")
	}
	want := map[string]string{"own": "own.example.com", "admitted": "admitted.example.com", "stranger": ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("DNS names read (-want +got):\n%s", diff)
	}
	both := []string{admitted.Name, stranger.Name}
	slices.Sort(both)
	if diff := cmp.Diff(both, asked); diff != "" {
		t.Errorf("namespaces to be admitted (-want +got):\n%s", diff)
	}
}

func TestManyAdmittedNamespacesAreReadInOneList(t *testing.T) {
	l := newLive(t)
	var want []string
	for i := range 12 {
		tenant := namespace.New(t, plane.Config())
		name := fmt.Sprintf("c%02d", i)
		tenant.CreateLabelled(name, l.labels(), name+".example.com")
		want = append(want, name+".example.com")
	}
	found, err := l.CertificatesOf(t.Context(), l.query(""))
	namespace.Must(t, err)
	var got []string
	for _, c := range found.Items {
		got = append(got, c.Spec.DNSNames...)
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("DNS names (-want +got):\n%s", diff)
	}
}

func TestAnAdmissionThatCannotBeToldIsAnError(t *testing.T) {
	l := newLive(t)
	namespace.New(t, plane.Config()).CreateLabelled("tenant", l.labels(), "a.example.com")
	failed := errors.New("connection refused")
	query := l.query("")
	query.Admit = func(context.Context, []string) ([]string, error) { return nil, failed }
	if found, err := l.CertificatesOf(t.Context(), query); !errors.Is(err, failed) {
		t.Errorf("CertificatesOf = %v, %v; want the error", found, err)
	}
}

func TestMoreCertificatesThanAPageHoldsAreAllFound(t *testing.T) {
	l := newLive(t)
	tenant := namespace.New(t, plane.Config())
	const many = 230 // of pages of 100
	for i := range many {
		tenant.CreateLabelled(fmt.Sprintf("c%d", i), l.labels(), "a.example.com")
	}
	query := l.query("")
	query.Admit = func(context.Context, []string) ([]string, error) { return nil, nil }
	for _, latest := range []bool{false, true} {
		query.Latest = latest
		found, err := l.CertificatesOf(t.Context(), query)
		if err != nil || len(found.Items) != many || found.ResourceVersion == "" {
			t.Errorf("latest %v: %d Certificates at version %q, %v; want %d", latest, len(found.Items), found.ResourceVersion, err, many)
		}
	}
	everywhere, err := l.LabelledCertificates(t.Context())
	if err != nil || len(everywhere.Items) < many {
		t.Errorf("LabelledCertificates = %d, %v; want at least %d", len(everywhere.Items), err, many)
	}
}

func TestACertificateIsCutToWhatAPlanDependsOn(t *testing.T) {
	l := newLive(t)
	var names []string
	for i := range 2000 {
		names = append(names, fmt.Sprintf("h%d.example.com", i))
	}
	c := l.user.CreateCertificate("app", "edge", names...)
	c.Annotations = map[string]string{"example.com/notes": strings.Repeat("a", 100_000), plan.ListenerPortKey: "8443"}
	_, err := l.user.Certificates.Update(t.Context(), c, metav1.UpdateOptions{})
	namespace.Must(t, err)
	found, err := l.CertificatesOf(t.Context(), l.query(""))
	namespace.Must(t, err)
	got := found.Items[0]
	if len(got.Spec.DNSNames) != plan.MaxDNSNames+1 || len(got.ManagedFields) != 0 {
		t.Errorf("%d DNS names and %d managed fields, want %d and none", len(got.Spec.DNSNames), len(got.ManagedFields), plan.MaxDNSNames+1)
	}
	if diff := cmp.Diff(map[string]string{plan.ListenerPortKey: "8443"}, got.Annotations); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
	if got.Spec.SecretName != "app-tls" || got.UID == "" || got.CreationTimestamp.IsZero() {
		t.Errorf("Certificate = %+v, want its Secret, UID and age", got)
	}
}
