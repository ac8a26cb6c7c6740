package cluster_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/test/rights"
)

// allowed are the rights of the handler's account in the base.
func allowed(t *testing.T) []rights.Right {
	t.Helper()
	return rights.Of(t, "../../knative/base", "gateway-cert-handler")
}

// withRights returns the cluster as someone sees it who has these rights and no
// others.
func (l *live) withRights(t *testing.T, granted []rights.Right) *cluster.Cluster {
	t.Helper()
	rights.User{Config: plane.Config(), Name: l.user.Name}.Grant(t, granted)
	return as(t, rest.ImpersonationConfig{UserName: l.user.Name})
}

// allThatIsDone does everything that the handler does, and returns what failed.
func (l *live) allThatIsDone(t *testing.T, handler *cluster.Cluster) map[string]error {
	t.Helper()
	gateway := l.createGateway(nil)
	p := planFor(gateway, "a.example.com")
	write := func() error { _, err := handler.Write(t.Context(), gateway, p); return err }
	tell := func() error { return handler.Record(t.Context(), l.about("app", "x")) }
	var many []string // more than are read one by one
	for i := range 40 {
		many = append(many, fmt.Sprintf("%s-%d", l.user.Name, i))
	}
	failed := map[string]error{}
	for what, do := range map[string]func() error{
		"read a Gateway":          func() error { _, err := handler.Gateway(t.Context(), l.edge()); return err },
		"list Gateways":           func() error { _, err := handler.ManagedGateways(t.Context()); return err },
		"list Certificates":       func() error { _, err := handler.CertificatesOf(t.Context(), l.query("")); return err },
		"list ReferenceGrants":    func() error { _, err := handler.ReferenceGrants(t.Context()); return err },
		"read Namespaces":         func() error { _, err := handler.Namespaces(t.Context(), []string{l.user.Name}); return err },
		"read many Namespaces":    func() error { _, err := handler.Namespaces(t.Context(), many); return err },
		"try and write a Gateway": func() error { return errors.Join(handler.Try(t.Context(), gateway, p), write()) },
		"record an Event twice":   func() error { return errors.Join(tell(), tell()) },
	} {
		if err := do(); err != nil {
			failed[what] = err
		}
	}
	return failed
}

func TestTheRightsInTheManifestAreEnoughForAllThatIsDone(t *testing.T) {
	l := newLive(t)
	for what, err := range l.allThatIsDone(t, l.withRights(t, allowed(t))) {
		t.Errorf("%s: %v", what, err)
	}
}

// Whatever is taken away is missed: by one thing that is done, and by no other.
func TestEachRightInTheManifestIsNeeded(t *testing.T) {
	all := allowed(t)
	for _, taken := range all {
		t.Run(taken.String(), func(t *testing.T) {
			t.Parallel()
			l := newLive(t)
			failed := l.allThatIsDone(t, l.withRights(t, rights.Without(all, taken)))
			for what, err := range failed {
				if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), taken.Refusal()) {
					t.Errorf("%s: %v, want Forbidden: %s", what, err, taken.Refusal())
				}
			}
			if len(failed) != 1 {
				t.Errorf("without it %d things fail, want one: %v", len(failed), failed)
			}
		})
	}
}
