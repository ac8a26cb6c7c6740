package main

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	gatewayclient "sigs.k8s.io/gateway-api/pkg/client/clientset/versioned/typed/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

//go:embed sample.yaml
var sample string

const (
	// convergeTimeout is promised in the README. It takes about a second.
	convergeTimeout = 60 * time.Second
	convergePoll    = 200 * time.Millisecond
)

// sampleListeners are what the sample's Gateway must carry in the end.
var sampleListeners = []string{
	"auto-admin-admin-example-com",
	"auto-shop-shop-example-com",
	"auto-tenants-wildcard-tenants-example-com",
	"http",
}

// waitForSample waits until the sample's Gateway has exactly its listeners.
func waitForSample(ctx context.Context, s *stack.Stack) error {
	var have []string
	var lastErr error
	err := wait.PollUntilContextTimeout(ctx, convergePoll, convergeTimeout, true, func(ctx context.Context) (bool, error) {
		gateway, err := readGateway(ctx, s, "demo/edge")
		if lastErr = err; err != nil {
			return false, nil
		}
		have = nil
		for _, listener := range gateway.Spec.Listeners {
			have = append(have, string(listener.Name))
		}
		slices.Sort(have)
		return slices.Equal(have, sampleListeners), nil
	})
	switch {
	case err == nil:
		return nil
	case lastErr != nil:
		return fmt.Errorf("the sample has not converged within %s: %w", convergeTimeout, lastErr)
	default:
		return fmt.Errorf("the sample has not converged within %s: Gateway demo/edge has the listeners %s, and should have %s",
			convergeTimeout, strings.Join(have, ", "), strings.Join(sampleListeners, ", "))
	}
}

func readGateway(ctx context.Context, s *stack.Stack, name string) (*gatewayv1.Gateway, error) {
	client, err := gatewayclient.NewForConfig(s.Config())
	if err != nil {
		return nil, fmt.Errorf("make a client for Gateways: %w", err)
	}
	namespace, name, _ := strings.Cut(name, "/")
	gateway, err := client.Gateways(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("read Gateway %s/%s: %w", namespace, name, err)
	}
	return gateway, nil
}
