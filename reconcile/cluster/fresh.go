package cluster

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// freshWait is how long an API server may take to reach the version that a LIST
// asks for. One that is behind the others is so by milliseconds. It waits 3 s
// itself, and client-go asks ten times more, which is longer than a run has.
const freshWait = time.Second

// fresh lists not older than the newest version seen or the caller's, whichever
// is newer. It is a consistent read where there is neither, or where the API
// server does not get that far: then the version came from elsewhere, such as a
// cluster that has been restored from a backup since.
func fresh[L metav1.ListInterface](ctx context.Context, seen *newest, callers string, list func(context.Context, metav1.ListOptions) (L, error)) (L, error) {
	result, err := boundedList(ctx, seen, callers, list)
	if err == nil {
		seen.saw(result.GetResourceVersion())
	}
	return result, err
}

func boundedList[L metav1.ListInterface](ctx context.Context, seen *newest, callers string, list func(context.Context, metav1.ListOptions) (L, error)) (L, error) {
	bound := seen.bound(callers)
	if bound == "" {
		return list(ctx, metav1.ListOptions{})
	}
	bounded, cancel := context.WithTimeout(ctx, freshWait)
	defer cancel()
	result, err := list(bounded, metav1.ListOptions{
		ResourceVersion: bound, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
	})
	waitedInVain := bounded.Err() != nil && ctx.Err() == nil
	if err == nil || !waitedInVain && !unreachable(err) {
		return result, err
	}
	seen.forget()
	return list(ctx, metav1.ListOptions{})
}

// unreachable tells a version that the server has not got or cannot read.
func unreachable(err error) bool {
	return apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge) || apierrors.IsBadRequest(err)
}
