package cluster

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

func event(mutate func(*Event)) Event {
	e := Event{
		Regarding: corev1.ObjectReference{Kind: "Certificate", Namespace: "infra", Name: "app", UID: "1"},
		Type:      corev1.EventTypeWarning, Reason: "HostnameTaken", Action: "Attach", Note: "a.example.com is taken",
	}
	if mutate != nil {
		mutate(&e)
	}
	return e
}

func TestTheSameWordsAboutTheSameObjectHaveOneName(t *testing.T) {
	name := eventName(event(nil))
	if name != eventName(event(nil)) || !strings.HasPrefix(name, "app.") || len(name) != len("app.")+16 {
		t.Errorf("the names are %q and %q, want app. and 16 digits, twice", name, eventName(event(nil)))
	}
	for what, mutate := range map[string]func(*Event){
		"UID":    func(e *Event) { e.Regarding.UID = "2" },
		"kind":   func(e *Event) { e.Regarding.Kind = "Gateway" },
		"type":   func(e *Event) { e.Type = corev1.EventTypeNormal },
		"reason": func(e *Event) { e.Reason = "HostnameInvalid" },
		"note":   func(e *Event) { e.Note = "b.example.com is taken" },
	} {
		if eventName(event(mutate)) == name {
			t.Errorf("another %s makes no other name", what)
		}
	}
}

func TestTheNameOfAnEventIsValidHoweverLongTheObjectsIs(t *testing.T) {
	for _, name := range []string{
		strings.Repeat("a", 236), strings.Repeat("a", 237), strings.Repeat("a", 253),
		strings.Repeat("a", 235) + "." + strings.Repeat("b", 17),
		strings.Repeat("a", 233) + "-a." + strings.Repeat("b", 17),
	} {
		got := eventName(event(func(e *Event) { e.Regarding.Name = name }))
		if problems := validation.IsDNS1123Subdomain(got); problems != nil {
			t.Errorf("%q: %v", got, problems)
		}
	}
}
