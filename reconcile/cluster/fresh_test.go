package cluster

import (
	"context"
	"testing"
	"testing/synctest"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// lister stands for an API server whose history ends at version 5.
type lister struct {
	asked []string
	hangs bool  // rather than fail at once when asked for more
	err   error // of every LIST
}

func (l *lister) list(ctx context.Context, options metav1.ListOptions) (*certmanagerv1.CertificateList, error) {
	l.asked = append(l.asked, options.ResourceVersion)
	switch {
	case l.err != nil:
		return nil, l.err
	case options.ResourceVersion != "" && Newer("5", options.ResourceVersion) != "5" && l.hangs:
		<-ctx.Done()
		return nil, ctx.Err()
	case options.ResourceVersion != "" && Newer("5", options.ResourceVersion) != "5":
		return nil, apierrors.NewTimeoutError("Too large resource version", 1)
	}
	return &certmanagerv1.CertificateList{ListMeta: metav1.ListMeta{ResourceVersion: "5"}}, nil
}

func TestFresh(t *testing.T) {
	for _, tc := range []struct {
		name    string
		lister  lister
		seen    string
		callers string
		asked   []string
		after   string // what is then the newest seen
		fails   bool
	}{
		{"knowing nothing it is a consistent read", lister{}, "", "", []string{""}, "5", false},
		{"knowing a version it asks for that", lister{}, "4", "", []string{"4"}, "5", false},
		{"it asks for the caller's if that is newer", lister{}, "3", "4", []string{"4"}, "5", false},
		{"a version out of reach is not waited for", lister{hangs: true}, "", "9", []string{"9", ""}, "5", false},
		{"a history that has been cut off is forgotten", lister{hangs: true}, "9", "", []string{"9", ""}, "5", false},
		{"another error is no reason to ask again", lister{err: apierrors.NewForbidden(schema.GroupResource{}, "", nil)}, "4", "", []string{"4"}, "4", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				seen := &newest{version: tc.seen}
				_, err := fresh(t.Context(), seen, tc.callers, tc.lister.list)
				if (err != nil) != tc.fails {
					t.Errorf("error = %v, want one: %v", err, tc.fails)
				}
				if diff := cmp.Diff(tc.asked, tc.lister.asked); diff != "" {
					t.Errorf("versions asked for (-want +got):\n%s", diff)
				}
				if got := seen.bound(""); got != tc.after {
					t.Errorf("newest seen = %q, want %q", got, tc.after)
				}
			})
		})
	}
}
