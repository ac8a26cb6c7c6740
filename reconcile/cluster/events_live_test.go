package cluster_test

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// about returns an Event about a Certificate of the namespace and a Gateway.
func (l *live) about(name, note string) cluster.Event {
	return cluster.Event{
		Regarding: corev1.ObjectReference{
			APIVersion: "cert-manager.io/v1", Kind: "Certificate", Namespace: l.user.Name, Name: name, UID: "11111111-1111-1111-1111-111111111111",
		},
		Related: &corev1.ObjectReference{APIVersion: "gateway.networking.k8s.io/v1", Kind: "Gateway", Namespace: l.user.Name, Name: "edge"},
		Type:    corev1.EventTypeWarning, Reason: "HostnameTaken", Action: "Attach", Note: note,
	}
}

func (l *live) events(t *testing.T) []eventsv1.Event {
	t.Helper()
	client, err := kubernetes.NewForConfig(plane.Config())
	namespace.Must(t, err)
	list, err := client.EventsV1().Events(l.user.Name).List(t.Context(), metav1.ListOptions{})
	namespace.Must(t, err)
	return list.Items
}

func TestAnEventTellsWhatItWasGiven(t *testing.T) {
	l := newLive(t)
	e := l.about("app", "a.example.com is taken")
	namespace.Must(t, l.Record(t.Context(), e))
	found := l.events(t)
	if len(found) != 1 {
		t.Fatalf("%d Events, want 1", len(found))
	}
	got := found[0]
	if got.Regarding != e.Regarding || got.Related == nil || *got.Related != *e.Related {
		t.Errorf("regarding %v and related %v, want %v and %v", got.Regarding, got.Related, e.Regarding, e.Related)
	}
	if told := (cluster.Event{Type: got.Type, Reason: got.Reason, Action: got.Action, Note: got.Note}); told != (cluster.Event{
		Type: e.Type, Reason: e.Reason, Action: e.Action, Note: e.Note,
	}) {
		t.Errorf("the Event tells %+v, want %+v", told, e)
	}
	if got.ReportingController != cluster.ReportingController || got.ReportingInstance == "" || got.EventTime.IsZero() || got.Series != nil {
		t.Errorf("from %q, instance %q, at %s, series %v; want all but a series", got.ReportingController, got.ReportingInstance, got.EventTime, got.Series)
	}
}

func TestARepeatedEventIsCounted(t *testing.T) {
	l := newLive(t)
	for range 10 {
		namespace.Must(t, l.Record(t.Context(), l.about("app", "a.example.com is taken")))
	}
	found := l.events(t)
	if len(found) != 1 || found[0].Series == nil || found[0].Series.Count != 10 {
		t.Fatalf("Events = %+v, want one, with a count of 10", found)
	}
	if last := found[0].Series.LastObservedTime; !last.After(found[0].EventTime.Time) {
		t.Errorf("last seen at %s, want later than %s", last, found[0].EventTime)
	}
}

func TestOtherWordsOrAnotherObjectMakeAnotherEvent(t *testing.T) {
	l := newLive(t)
	otherReason, otherType, otherUID := l.about("app", "one"), l.about("app", "one"), l.about("app", "one")
	otherReason.Reason, otherType.Type, otherUID.Regarding.UID = "HostnameInvalid", corev1.EventTypeNormal, "2"
	all := []cluster.Event{l.about("app", "one"), l.about("app", "two"), l.about("other", "one"), otherReason, otherType, otherUID}
	for _, e := range all {
		namespace.Must(t, l.Record(t.Context(), e))
	}
	found := l.events(t)
	if len(found) != len(all) {
		t.Errorf("%d Events, want %d", len(found), len(all))
	}
	for _, e := range found {
		if e.Series != nil {
			t.Errorf("Event %s is counted as a repeat", e.Name)
		}
	}
}

func TestLongNamesAndNotesAreTold(t *testing.T) {
	l := newLive(t)
	longName := strings.Repeat("n", 253)
	for _, note := range []string{strings.Repeat("a", 1024), strings.Repeat("é", 2000) + "1", strings.Repeat("é", 2000) + "2"} {
		namespace.Must(t, l.Record(t.Context(), l.about(longName, note)))
	}
	found := l.events(t)
	if len(found) != 2 {
		t.Errorf("%d Events, want 2: what is cut away of a note makes no difference", len(found))
	}
	for _, e := range found {
		if len(e.Note) > 1024 || len(e.Note) < 1020 || !utf8.ValidString(e.Note) || e.Regarding.Name != longName {
			t.Errorf("a note of %d bytes about %s, want up to 1024 and the whole name", len(e.Note), e.Regarding.Name)
		}
	}
}

// Two processes of ours that tell the same.
func TestConcurrentRecordersLoseNoCount(t *testing.T) {
	l, other := newLive(t), newLive(t)
	const times = 5
	var group errgroup.Group
	for _, recorder := range []*cluster.Cluster{l.Cluster, other.Cluster} {
		group.Go(func() error {
			for range times {
				if err := recorder.Record(t.Context(), l.about("app", "a.example.com is taken")); err != nil {
					return err
				}
			}
			return nil
		})
	}
	namespace.Must(t, group.Wait())
	found := l.events(t)
	if len(found) != 1 || found[0].Series == nil || found[0].Series.Count != 2*times {
		t.Errorf("Events = %+v, want one, with a count of %d", found, 2*times)
	}
}

func TestInANamespaceThatIsGoingOrGoneNobodyIsToldAndThatIsNoError(t *testing.T) {
	l := newLive(t)
	client, err := kubernetes.NewForConfig(plane.Config())
	namespace.Must(t, err)
	// A finalizer of the API server's keeps it: nothing here ever ends it.
	namespace.Must(t, client.CoreV1().Namespaces().Delete(t.Context(), l.user.Name, metav1.DeleteOptions{}))
	if err := l.Record(t.Context(), l.about("app", "x")); err != nil {
		t.Errorf("Record into a Namespace that is going = %v", err)
	}
	gone := l.about("app", "x")
	gone.Regarding.Namespace += "-gone"
	if err := l.Record(t.Context(), gone); err != nil {
		t.Errorf("Record into a Namespace that is gone = %v", err)
	}
	if found := l.events(t); len(found) != 0 {
		t.Errorf("%d Events, want none", len(found))
	}
}

func TestAnEventThatMayNotBeWrittenIsAnError(t *testing.T) {
	l := newLive(t)
	nobody := as(t, rest.ImpersonationConfig{UserName: "nobody-in-particular"})
	if err := nobody.Record(t.Context(), l.about("app", "x")); !apierrors.IsForbidden(err) {
		t.Errorf("Record = %v, want Forbidden", err)
	}
	incomplete := l.about("app", "x")
	incomplete.Action = ""
	if err := l.Record(t.Context(), incomplete); !apierrors.IsInvalid(err) {
		t.Errorf("Record without an action = %v, want Invalid", err)
	}
}

func TestAnEventThatThereWasNoTimeForIsNotTold(t *testing.T) {
	l := newLive(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Record(ctx, l.about("app", "x")); err == nil {
		t.Error("Record = nil, want an error")
	}
}
