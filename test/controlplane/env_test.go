package controlplane_test

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
)

func fromField(name, path string) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}}}
}

func TestTheEnvironmentOfAContainerIsResolved(t *testing.T) {
	env, err := controlplane.ResolveEnv([]corev1.EnvVar{
		{Name: "A", Value: "first"}, {Name: "A", Value: "last"}, fromField("POD_NAME", "metadata.name"),
	}, map[string]string{"metadata.name": "pod-1"})
	if err != nil {
		t.Fatal(err)
	}
	got := env.List()
	slices.Sort(got)
	if want := []string{"A=last", "POD_NAME=pod-1"}; !slices.Equal(got, want) {
		t.Errorf("the environment is %q, want %q", got, want)
	}
}

func TestAVariableThatOnlyAPodCouldHaveIsRefused(t *testing.T) {
	for name, v := range map[string]corev1.EnvVar{
		"of an unknown field": fromField("POD_IP", "status.podIP"),
		"of a Secret": {Name: "POD_IP", ValueFrom: &corev1.EnvVarSource{
			SecretKeyRef: &corev1.SecretKeySelector{Key: "a"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := controlplane.ResolveEnv([]corev1.EnvVar{v}, map[string]string{"metadata.name": "pod-1"})
			if err == nil || !strings.Contains(err.Error(), "POD_IP") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}
