package knative_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	sourcesv1 "knative.dev/eventing/pkg/apis/sources/v1"
)

func certificateSource(t testing.TB) *sourcesv1.ApiServerSource {
	t.Helper()
	return decoded[sourcesv1.ApiServerSource](t, named(t, buildOnDisk(t, base), "ApiServerSource", "certificates"))
}

func TestTheCertificateSourceSendsLabelledCertificatesAlone(t *testing.T) {
	resources := certificateSource(t).Spec.Resources
	if len(resources) != 1 || resources[0].APIVersion != "cert-manager.io/v1" || resources[0].Kind != "Certificate" {
		t.Fatalf("it watches %+v", resources)
	}
	selector, err := metav1.LabelSelectorAsSelector(resources[0].LabelSelector)
	if err != nil {
		t.Fatalf("read the selector: %v", err)
	}
	if !selector.Matches(labels.Set{"gateway-cert-operator.io/gateway-name": "any"}) {
		t.Errorf("%s leaves out a Certificate that names a Gateway", selector)
	}
	if selector.Matches(labels.Set{"app": "shop"}) {
		t.Errorf("%s lets in a Certificate that names no Gateway", selector)
	}
}

// Knative reads a selector that is there and empty as all namespaces, and none
// at all as the source's own.
func TestTheCertificateSourceWatchesAllNamespaces(t *testing.T) {
	selector := certificateSource(t).Spec.NamespaceSelector
	if selector == nil || len(selector.MatchLabels)+len(selector.MatchExpressions) > 0 {
		t.Errorf("namespaceSelector is %v", selector)
	}
}

func TestTheCertificateSourceSendsWholeObjects(t *testing.T) {
	if mode := certificateSource(t).Spec.EventMode; mode != sourcesv1.ResourceMode {
		t.Errorf("mode is %q", mode)
	}
}

func TestTheCertificateSourceRunsAsItsAccount(t *testing.T) {
	if account := certificateSource(t).Spec.ServiceAccountName; account != "gateway-cert-source" {
		t.Errorf("it runs as %q", account)
	}
}

// Knative's controller starts the adapter of an ApiServerSource when the account
// may do all of this; with one verb less, or one more that it asks for some day, the
// source is never Ready.
func TestTheCertificateSourcesAccountMayDoWhatKnativeAsksForAndNoMore(t *testing.T) {
	file := filepath.Join(moduleDir(t, eventingModule), "pkg", "reconciler", "apiserversource", "apiserversource.go")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("read Knative's source: %v", err)
	}
	asked := regexp.MustCompile(`verbs := \[\]string\{([^}]*)\}`).FindAllStringSubmatch(string(data), -1)
	if len(asked) != 1 {
		t.Fatalf("Knative asks for verbs in %d places, want one", len(asked))
	}
	want := strings.Split(strings.ReplaceAll(asked[0][1], `"`, ""), ", ")
	slices.Sort(want)
	got := rights(t, buildOnDisk(t, base))["gateway-cert-source"][certificates]
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("verbs (-asked +allowed):\n%s", diff)
	}
}
