package admission

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	"sigs.k8s.io/yaml"
)

const component = "../../knative/components/admission"

// admissionTakesEffect is how long the API server may take to heed a new policy,
// which it learns of by a watch.
const admissionTakesEffect = 30 * time.Second

// prepare makes what is malformed already when the policy comes, and then the
// policy.
func prepare(ctx context.Context) error {
	c, err := newClient()
	if err != nil {
		return err
	}
	for _, object := range former() {
		if err := c.Create(ctx, object); err != nil {
			return fmt.Errorf("create what was there before the policy: %w", err)
		}
	}
	return install(ctx, c)
}

// cleanUp matters where the cluster is not the tests' own.
func cleanUp(ctx context.Context) error {
	c, err := newClient()
	if err != nil {
		return err
	}
	policy, binding, err := readPolicy()
	if err != nil {
		return err
	}
	var errs []error
	for _, object := range append(former(), binding, policy, served()) {
		errs = append(errs, client.IgnoreNotFound(c.Delete(ctx, object)))
	}
	return errors.Join(errs...)
}

func newClient() (client.Client, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, gatewayv1.Install, certmanagerv1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	config := plane.Config()
	config.WarningHandler = rest.NoWarnings{} // cert-manager has some for private keys
	return client.New(config, client.Options{Scheme: scheme})
}

// readPolicy returns the policy and its binding as they are shipped.
func readPolicy() (*admissionregistrationv1.ValidatingAdmissionPolicy, *admissionregistrationv1.ValidatingAdmissionPolicyBinding, error) {
	policy, err := read[admissionregistrationv1.ValidatingAdmissionPolicy]("policy.yaml")
	if err != nil {
		return nil, nil, err
	}
	binding, err := read[admissionregistrationv1.ValidatingAdmissionPolicyBinding]("binding.yaml")
	return policy, binding, err
}

func read[T any](file string) (*T, error) {
	data, err := os.ReadFile(filepath.Join(component, file))
	if err != nil {
		return nil, err
	}
	object := new(T)
	if err := yaml.UnmarshalStrict(data, object); err != nil {
		return nil, fmt.Errorf("decode %s: %w", file, err)
	}
	return object, nil
}

// install differs from what is shipped in one thing: where an expression cannot
// be evaluated, the write is refused, so that a test sees it.
func install(ctx context.Context, c client.Client) error {
	policy, binding, err := readPolicy()
	if err != nil {
		return err
	}
	policy.Spec.FailurePolicy = new(admissionregistrationv1.Fail)
	for _, object := range []client.Object{policy, binding} {
		if err := c.Create(ctx, object); err != nil {
			return fmt.Errorf("install the policy: %w", err)
		}
	}
	var last error
	err = wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, admissionTakesEffect, true, func(ctx context.Context) (bool, error) {
		last = c.Create(ctx, annotated(gateway, "attach", "never"), client.DryRunAll)
		return last != nil, nil
	})
	if err != nil {
		return fmt.Errorf("the policy takes no effect within %s", admissionTakesEffect)
	}
	_, err = words(last)
	return err
}
