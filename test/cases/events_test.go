package cases

import (
	"slices"
	"strings"

	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// events are what people are told who look at the object, in its namespace.
func (s *scene) events(about metav1.Object) []eventsv1.Event {
	s.t.Helper()
	list, err := s.core.EventsV1().Events(about.GetNamespace()).List(s.t.Context(), metav1.ListOptions{})
	must(s.t, err)
	return slices.DeleteFunc(list.Items, func(e eventsv1.Event) bool {
		return e.Regarding.UID != about.GetUID() || e.ReportingController != cluster.ReportingController
	})
}

// event wants one Event about the object with that reason, whose note holds all
// the words.
func (s *scene) event(about metav1.Object, eventType string, reason plan.Reason, words ...string) eventsv1.Event {
	s.t.Helper()
	found := slices.DeleteFunc(s.events(about), func(e eventsv1.Event) bool { return e.Reason != string(reason) })
	if len(found) != 1 {
		s.t.Fatalf("Events %s about %s/%s: %q, want 1", reason, about.GetNamespace(), about.GetName(), notes(found))
	}
	if found[0].Type != eventType {
		s.t.Errorf("the Event %s is of type %s, want %s", reason, found[0].Type, eventType)
	}
	unsaid := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return strings.Contains(found[0].Note, word) })
	if len(unsaid) > 0 {
		s.t.Errorf("the Event %s says %q, which does not name %q", reason, found[0].Note, unsaid)
	}
	return found[0]
}

func notes(events []eventsv1.Event) []string {
	var all []string
	for _, e := range events {
		all = append(all, e.Note)
	}
	return all
}

// times is how often it was told: the first time makes no series.
func times(e eventsv1.Event) int {
	if e.Series == nil {
		return 1
	}
	return int(e.Series.Count)
}

// complaints are the Events about the object but that listeners have come.
func (s *scene) complaints(about metav1.Object) []eventsv1.Event {
	s.t.Helper()
	return slices.DeleteFunc(s.events(about), func(e eventsv1.Event) bool { return e.Reason == string(plan.ReasonListenersAdded) })
}

func (s *scene) silent(about metav1.Object) {
	s.t.Helper()
	if events := s.complaints(about); len(events) > 0 {
		s.t.Errorf("Events about %s: %q, want none", about.GetName(), notes(events))
	}
}
