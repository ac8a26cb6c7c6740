package knative_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	sourcesv1 "knative.dev/eventing/pkg/apis/sources/v1"
	containersource "knative.dev/eventing/pkg/reconciler/containersource/resources"
	"knative.dev/pkg/apis/duck"
	servingv1 "knative.dev/serving/pkg/apis/serving/v1"
)

// pods are the pod specs that the objects lead to, by object.
func pods(t testing.TB, objects []*unstructured.Unstructured) map[string]corev1.PodSpec {
	t.Helper()
	found := map[string]corev1.PodSpec{}
	for _, object := range objects {
		switch kind := object.GetKind(); {
		case kind == "Service" && strings.HasPrefix(object.GetAPIVersion(), "serving.knative.dev/"):
			found[kind+" "+object.GetName()] = decoded[servingv1.Service](t, object).Spec.Template.Spec.PodSpec
		case kind == "ContainerSource":
			found[kind+" "+object.GetName()] = decoded[sourcesv1.ContainerSource](t, object).Spec.Template.Spec
		default:
			if _, has, _ := unstructured.NestedMap(object.Object, "spec", "template"); has {
				t.Errorf("%s %s has a pod template that no test looks at", kind, object.GetName())
			}
		}
	}
	if len(found) != 2 {
		t.Fatalf("found %d pod specs, want those of the Service and the ContainerSource", len(found))
	}
	return found
}

// softness says what a pod is allowed to do beyond what it needs.
func softness(pod corev1.PodSpec) error {
	var faults []error
	if pod.HostNetwork || pod.HostPID || pod.HostIPC {
		faults = append(faults, errors.New("shares a namespace of the host"))
	}
	for _, volume := range pod.Volumes {
		if volume.VolumeSource != (corev1.VolumeSource{ConfigMap: volume.ConfigMap, Secret: volume.Secret}) {
			faults = append(faults, fmt.Errorf("volume %s is neither a ConfigMap nor a Secret", volume.Name))
		}
	}
	if pod.EnableServiceLinks == nil || *pod.EnableServiceLinks {
		faults = append(faults, errors.New("gets every Service of the namespace as environment"))
	}
	for _, container := range slices.Concat(pod.InitContainers, pod.Containers) {
		context := container.SecurityContext
		if context == nil {
			context = &corev1.SecurityContext{}
		}
		for fault, soft := range map[string]bool{
			"may write to a volume":           slices.ContainsFunc(container.VolumeMounts, writable),
			"may run as root":                 context.RunAsNonRoot == nil || !*context.RunAsNonRoot,
			"may write to its image":          context.ReadOnlyRootFilesystem == nil || !*context.ReadOnlyRootFilesystem,
			"may gain privileges":             context.AllowPrivilegeEscalation == nil || *context.AllowPrivilegeEscalation,
			"is privileged":                   context.Privileged != nil && *context.Privileged,
			"keeps capabilities":              context.Capabilities == nil || !slices.Equal(context.Capabilities.Drop, []corev1.Capability{"ALL"}),
			"adds capabilities":               context.Capabilities != nil && len(context.Capabilities.Add) > 0,
			"has no seccomp profile":          context.SeccompProfile == nil || context.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault,
			"may take all memory of the node": container.Resources.Limits.Memory().IsZero(),
			"may take all CPU of the node":    container.Resources.Limits.Cpu().IsZero(),
			"asks for no memory":              container.Resources.Requests.Memory().IsZero(),
			"asks for no CPU":                 container.Resources.Requests.Cpu().IsZero(),
			"is not asked whether it is up":   container.ReadinessProbe == nil,
		} {
			if soft {
				faults = append(faults, fmt.Errorf("container %s %s", container.Name, fault))
			}
		}
	}
	return errors.Join(faults...)
}

func writable(mount corev1.VolumeMount) bool { return !mount.ReadOnly }

func TestEveryPodIsHardened(t *testing.T) {
	for _, dir := range directories {
		for of, pod := range pods(t, buildOnDisk(t, dir)) {
			if err := softness(pod); err != nil {
				t.Errorf("%s: %s: %v", dir, of, err)
			}
		}
	}
}

func TestEachPodRunsAsItsOwnAccount(t *testing.T) {
	for of, pod := range pods(t, buildOnDisk(t, base)) {
		want := map[string]string{
			"Service gateway-cert-handler": "gateway-cert-handler",
			"ContainerSource gateways":     "gateway-cert-source",
		}[of]
		if pod.ServiceAccountName != want {
			t.Errorf("%s runs as %q, want %q", of, pod.ServiceAccountName, want)
		}
	}
}

// Knative's own function makes the Deployment. With both labels its webhook
// fills in K_SINK whichever way it selects.
func TestTheGatewayAdapterIsReachedByTheSinkBindingWebhook(t *testing.T) {
	objects := buildOnDisk(t, base)
	source := decoded[sourcesv1.ContainerSource](t, named(t, objects, "ContainerSource", "gateways"))
	source.SetDefaults(context.Background())
	for what, labels := range map[string]map[string]string{
		"Deployment": containersource.MakeDeployment(source).Labels,
		"Namespace":  named(t, objects, "Namespace", "gateway-cert").GetLabels(),
	} {
		if labels[duck.BindingIncludeLabel] != "true" {
			t.Errorf("the %s has the labels %v and not %s", what, labels, duck.BindingIncludeLabel)
		}
	}
}
