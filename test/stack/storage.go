package stack

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
)

// watched are the kinds that the handler lists when it starts.
var watched = []string{
	"/apis/cert-manager.io/v1/certificates",
	"/apis/gateway.networking.k8s.io/v1/gateways",
}

// waitForStorage waits until the API server lists kinds that it has just been
// taught: for some seconds it answers 429, which clients try again and which would
// be the first thing to see in the first trace.
func (s *Stack) waitForStorage(ctx context.Context) error {
	client, err := discovery.NewDiscoveryClientForConfig(s.Config())
	if err != nil {
		return fmt.Errorf("wait for the API server's storage: %w", err)
	}
	for _, path := range watched {
		err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
			err := client.RESTClient().Get().AbsPath(path).Param("limit", "1").MaxRetries(0).Do(ctx).Error()
			if apierrors.IsTooManyRequests(err) {
				return false, nil
			}
			return err == nil, err
		})
		if err != nil {
			return fmt.Errorf("wait until the API server lists %s: %w", path, err)
		}
	}
	return nil
}
