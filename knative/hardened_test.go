package knative_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	podsecurity "k8s.io/pod-security-admission/api"
	"knative.dev/serving/pkg/apis/autoscaling"
	"knative.dev/serving/pkg/apis/serving"
	servingv1 "knative.dev/serving/pkg/apis/serving/v1"
	"knative.dev/serving/pkg/networking"
	"sigs.k8s.io/yaml"
)

const (
	hardenedExample   = "examples/hardened"
	hardenedComponent = "components/hardened"
)

func networkPolicy(t testing.TB, objects []*unstructured.Unstructured, name string) networkingv1.NetworkPolicySpec {
	t.Helper()
	return decoded[networkingv1.NetworkPolicy](t, named(t, objects, "NetworkPolicy", name)).Spec
}

// Kubernetes' own function reads the labels.
func TestTheHardenedNamespaceIsRestricted(t *testing.T) {
	namespace := named(t, buildWith(t, hardenedComponent), "Namespace", "gateway-cert")
	// What the API server takes where no label says it.
	open := podsecurity.LevelVersion{Level: podsecurity.LevelPrivileged, Version: podsecurity.LatestVersion()}
	got, faults := podsecurity.PolicyToEvaluate(namespace.GetLabels(), podsecurity.Policy{Enforce: open, Audit: open, Warn: open})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	want := podsecurity.LevelVersion{Level: podsecurity.LevelRestricted, Version: podsecurity.LatestVersion()}
	if got.Enforce != want || got.Warn != want {
		t.Errorf("%s is enforced and %s warned of, want %s", got.Enforce, got.Warn, want)
	}
}

func TestNothingReachesAPodThatNoPolicyNames(t *testing.T) {
	all := networkPolicy(t, buildWith(t, hardenedComponent), "gateway-cert")
	if !cmp.Equal(all.PodSelector, metav1.LabelSelector{}) || len(all.Ingress) > 0 {
		t.Errorf("of the pods %v the policy lets in %v", all.PodSelector, all.Ingress)
	}
	if want := []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress}; !cmp.Equal(all.PolicyTypes, want) {
		t.Errorf("the policy is of types %v", all.PolicyTypes)
	}
}

// Who sends, and where queue-proxy listens, is Knative's to say.
func TestTheHandlerIsReachedByTheActivatorAndTheAutoscalerAlone(t *testing.T) {
	spec := networkPolicy(t, buildWith(t, hardenedComponent), "gateway-cert-handler")
	if want := map[string]string{serving.ServiceLabelKey: "gateway-cert-handler"}; !cmp.Equal(spec.PodSelector.MatchLabels, want) {
		t.Errorf("the policy is of pods with %v, want %v", spec.PodSelector.MatchLabels, want)
	}
	got := map[string][]int32{}
	for _, rule := range spec.Ingress {
		if len(rule.From) != 1 {
			t.Fatalf("a rule lets in %v", rule.From)
		}
		from := senderOf(t, rule.From[0])
		for _, port := range rule.Ports {
			got[from] = append(got[from], port.Port.IntVal)
		}
	}
	want := map[string][]int32{
		"activator":  {networking.BackendHTTPPort, networking.BackendHTTPSPort},
		"autoscaler": {networking.AutoscalingQueueMetricsPort},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("who may send where (-want +got):\n%s", diff)
	}
}

// senderOf names the one Deployment of Knative Serving whose pods a rule means.
func senderOf(t testing.TB, peer networkingv1.NetworkPolicyPeer) string {
	t.Helper()
	namespaces, err := metav1.LabelSelectorAsSelector(peer.NamespaceSelector)
	if err != nil {
		t.Fatal(err)
	}
	selected, err := metav1.LabelSelectorAsSelector(peer.PodSelector)
	if err != nil {
		t.Fatal(err)
	}
	found := ""
	for _, name := range []string{"activator", "autoscaler", "controller", "webhook"} {
		deployment := servingDeployment(t, name)
		in := labels.Set{corev1.LabelMetadataName: deployment.Namespace}
		if namespaces.Matches(in) && selected.Matches(labels.Set(deployment.Spec.Template.Labels)) {
			found += name
		}
	}
	return found
}

func servingDeployment(t testing.TB, name string) *appsv1.Deployment {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(moduleDir(t, servingModule), "config", "core", "deployments", name+".yaml"))
	if err != nil {
		t.Fatalf("read a Deployment of Knative's: %v", err)
	}
	for _, document := range betweenDocuments.Split(string(data), -1) {
		deployment := &appsv1.Deployment{}
		if err := yaml.Unmarshal([]byte(document), deployment); err == nil && deployment.Kind == "Deployment" {
			return deployment
		}
	}
	t.Fatalf("no Deployment in Knative's file for %s", name)
	return nil
}

// Without it requests come from a pod that the policy does not know, as long as
// the handler runs.
func TestTheActivatorStaysInFrontOfTheHardenedHandler(t *testing.T) {
	service := decoded[servingv1.Service](t, named(t, buildWith(t, hardenedComponent), "Service", "gateway-cert-handler"))
	if got := service.Spec.Template.Annotations[autoscaling.TargetBurstCapacityKey]; got != "-1" {
		t.Errorf("%s is %q", autoscaling.TargetBurstCapacityKey, got)
	}
}

// What the pods need whatever else is in the cluster.
func TestHardenedPodsReachWhatTheyNeed(t *testing.T) {
	objects := buildWith(t, hardenedComponent)
	open := map[int32]bool{}
	for _, name := range []string{"gateway-cert", "gateway-cert-handler"} {
		for _, rule := range networkPolicy(t, objects, name).Egress {
			for _, port := range rule.Ports {
				open[port.Port.IntVal] = open[port.Port.IntVal] || len(rule.To) == 0
			}
		}
	}
	for port, what := range map[int32]string{53: "DNS", 443: "the API server", 6443: "the API server", 4318: "a collector"} {
		if !open[port] {
			t.Errorf("port %d, for %s, is not open", port, what)
		}
	}
}

// With TLS the gateway and the Broker listen elsewhere than without.
func TestHardenedPodsReachTheSinkAtAnyPort(t *testing.T) {
	for _, rule := range networkPolicy(t, buildWith(t, hardenedComponent), "gateway-cert").Egress {
		if len(rule.To) > 0 && len(rule.Ports) > 0 {
			t.Errorf("to %v only the ports %v are open", rule.To, rule.Ports)
		}
	}
}
