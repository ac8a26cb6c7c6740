package cluster_test

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"

	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

func TestNamespacesThatDoNotExistAreLeftOut(t *testing.T) {
	l, other := newLive(t), namespace.New(t, plane.Config())
	names := []string{l.user.Name, other.Name, l.user.Name}
	for i := range 20 { // more than are read at once
		names = append(names, fmt.Sprintf("%s-missing-%d", l.user.Name, i))
	}
	found, err := l.Namespaces(t.Context(), names)
	namespace.Must(t, err)
	if len(found) != 2 {
		t.Errorf("%d Namespaces, want 2: %v", len(found), found)
	}
	for _, name := range names[:2] {
		if found[name].Labels[corev1.LabelMetadataName] != name || found[name].UID == "" {
			t.Errorf("the metadata of %s is %+v, want its labels and UID", name, found[name])
		}
	}
}

func TestNoNamespacesAreNoError(t *testing.T) {
	found, err := newLive(t).Namespaces(t.Context(), nil)
	if err != nil || len(found) != 0 {
		t.Errorf("Namespaces = %v, %v; want none", found, err)
	}
}

func TestANamespaceThatCannotBeReadFailsTheWhole(t *testing.T) {
	nobody := as(t, rest.ImpersonationConfig{UserName: "nobody-in-particular"})
	if found, err := nobody.Namespaces(t.Context(), []string{"default"}); !apierrors.IsForbidden(err) {
		t.Errorf("Namespaces = %v, %v; want Forbidden", found, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if found, err := newLive(t).Namespaces(ctx, []string{"default"}); err == nil {
		t.Errorf("Namespaces = %v after its time, want an error", found)
	}
}
