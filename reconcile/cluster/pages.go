package cluster

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// pageSize bounds what one page holds in memory: 25 objects of 1.5 MB, the
// largest that etcd takes by default, before they are trimmed.
const pageSize = 25

// eachPage lists page by page. Should the snapshot expire that the pages are of
// (5 minutes by default), that is an error, and nothing is known.
func eachPage(ctx context.Context, options metav1.ListOptions, list func(context.Context, metav1.ListOptions) (metav1.ListInterface, error)) error {
	options.Limit = pageSize
	for {
		page, err := list(ctx, options)
		if err != nil {
			return err
		}
		if page.GetContinue() == "" {
			return nil
		}
		// What follows is of the first page's version, whatever that was to be.
		options.Continue, options.ResourceVersion, options.ResourceVersionMatch = page.GetContinue(), "", ""
	}
}
