package sources

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

const (
	// patience is how long a thing may take that is a matter of seconds.
	patience = 60 * time.Second
	pollEach = 50 * time.Millisecond

	pingDeployment    = "pingsource-mt-adapter"
	gatewayDeployment = "gateways-deployment"
)

// startSources waits until each source of the base has its Deployment, and runs
// those.
func (c *cluster) startSources(ctx context.Context) error {
	certificates, err := c.adapterOf(ctx, "certificates")
	if err != nil {
		return err
	}
	gateways, err := c.awaitDeployment(ctx, stack.Namespace, gatewayDeployment, bound)
	if err != nil {
		return err
	}
	ping, err := c.awaitDeployment(ctx, knativeNamespace, pingDeployment, wanted)
	if err != nil {
		return err
	}
	for _, deployment := range []*appsv1.Deployment{certificates, gateways} {
		if _, err := c.runAdapter(ctx, deployment); err != nil {
			return err
		}
	}
	return c.runPingAdapter(ctx, ping)
}

// adapterOf waits for the Deployment of an ApiServerSource, of which the name is
// the controller's to choose.
func (c *cluster) adapterOf(ctx context.Context, source string) (*appsv1.Deployment, error) {
	uid, err := c.Kubectl(ctx, "", "-n", stack.Namespace, "get", "apiserversource", source, "-o", "jsonpath={.metadata.uid}")
	if err != nil {
		return nil, err
	}
	var found *appsv1.Deployment
	err = wait.PollUntilContextTimeout(ctx, pollEach, patience, true, func(ctx context.Context) (bool, error) {
		list, err := c.client.AppsV1().Deployments(stack.Namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		for _, deployment := range list.Items {
			if owner := metav1.GetControllerOf(&deployment); owner != nil && string(owner.UID) == uid {
				found = &deployment
			}
		}
		return found != nil, nil
	})
	if err != nil {
		return nil, fmt.Errorf("wait for the Deployment of ApiServerSource %s: %w", source, err)
	}
	return found, nil
}

// bound tells whether SinkBinding has filled in where to send.
func bound(deployment *appsv1.Deployment) bool {
	return valueOf(containerOf(deployment).Env, "K_SINK") != ""
}

// wanted tells whether Knative has asked for a pod.
func wanted(deployment *appsv1.Deployment) bool { return *deployment.Spec.Replicas > 0 }

func (c *cluster) awaitDeployment(ctx context.Context, namespace, name string, is func(*appsv1.Deployment) bool) (*appsv1.Deployment, error) {
	var found *appsv1.Deployment
	err := wait.PollUntilContextTimeout(ctx, pollEach, patience, true, func(ctx context.Context) (bool, error) {
		var err error
		found, err = c.client.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return err == nil && is(found), err
	})
	if err != nil {
		return nil, fmt.Errorf("wait for Deployment %s/%s to be as it should: %w", namespace, name, err)
	}
	return found, nil
}

// containerOf returns the only container of a Deployment.
func containerOf(deployment *appsv1.Deployment) corev1.Container {
	return deployment.Spec.Template.Spec.Containers[0]
}

func valueOf(env []corev1.EnvVar, name string) string {
	for _, variable := range env {
		if variable.Name == name {
			return variable.Value
		}
	}
	return ""
}

// runAdapter runs the pod of an adapter that watches the API server, and calls the
// Deployment available when it watches.
func (c *cluster) runAdapter(ctx context.Context, deployment *appsv1.Deployment) (*controlplane.Adapter, error) {
	container, kubeconfig, err := c.schedule(ctx, deployment, adapterImage)
	if err != nil {
		return nil, err
	}
	adapter, err := controlplane.StartAdapter(c.ctx, controlplane.AdapterOptions{
		Assets: c.assets, Kubeconfig: kubeconfig, Env: container.Env, Namespace: deployment.Namespace, Output: &c.log,
	})
	if err != nil {
		return nil, err
	}
	c.pods = append(c.pods, adapter.Process)
	if err := adapter.WaitUntilWatching(ctx); err != nil {
		return nil, err
	}
	return adapter, c.available(ctx, deployment)
}

// runPingAdapter runs the pod of the one adapter of all PingSources.
func (c *cluster) runPingAdapter(ctx context.Context, deployment *appsv1.Deployment) error {
	container, kubeconfig, err := c.schedule(ctx, deployment, "ko://knative.dev/eventing/cmd/mtping")
	if err != nil {
		return err
	}
	env, err := controlplane.ResolveEnv(container.Env, map[string]string{"metadata.namespace": deployment.Namespace})
	if err != nil {
		return err
	}
	env["KUBECONFIG"], env["PROFILING_PORT"] = kubeconfig, "0"
	process, err := controlplane.StartProcess(controlplane.ProcessOptions{
		Name: deployment.Name, Path: c.programs.PingSourceAdapter, Env: env.List(), Output: &c.log,
	})
	if err != nil {
		return err
	}
	c.pods = append(c.pods, process)
	return c.available(ctx, deployment)
}

// schedule returns what a pod of the Deployment would run, and as whom. A command
// or arguments are not expected: nothing here would heed them.
func (c *cluster) schedule(ctx context.Context, deployment *appsv1.Deployment, image string) (corev1.Container, string, error) {
	pod := deployment.Spec.Template.Spec
	container := pod.Containers[0]
	if len(pod.Containers) != 1 || container.Image != image || len(container.Command)+len(container.Args) > 0 {
		return container, "", fmt.Errorf("the pod of Deployment %s is not %s alone, without arguments: %+v", deployment.Name, image, pod.Containers)
	}
	kubeconfig, err := c.AccountKubeconfig(ctx, deployment.Namespace, pod.ServiceAccountName)
	return container, kubeconfig, err
}

// available says what the Deployment controller says of a Deployment whose pod is
// ready.
func (c *cluster) available(ctx context.Context, deployment *appsv1.Deployment) error {
	patch, err := json.Marshal(map[string]any{"status": appsv1.DeploymentStatus{
		ObservedGeneration: deployment.Generation, Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: 1, AvailableReplicas: 1,
		Conditions: []appsv1.DeploymentCondition{{
			Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, Reason: "MinimumReplicasAvailable",
			LastTransitionTime: metav1.Now(), LastUpdateTime: metav1.Now(),
		}},
	}})
	if err != nil {
		return err
	}
	_, err = c.client.AppsV1().Deployments(deployment.Namespace).
		Patch(ctx, deployment.Name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}
