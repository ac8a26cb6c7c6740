package knative_test

import (
	"context"
	"testing"

	cloudevents "github.com/cloudevents/sdk-go/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"knative.dev/eventing/pkg/adapter/apiserver/events"
	sourcesv1 "knative.dev/eventing/pkg/apis/sources/v1"

	"gateway-cert-operator.io/gateway-cert-handler/knative"
)

// The adapter's own functions make the events: a type or an attribute that
// Knative renames fails here and not at the first user.
func TestEventsOfTheAdapterAreKnown(t *testing.T) {
	certificate := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "cert-manager.io/v1",
		"kind":       "Certificate",
		"metadata":   map[string]any{"namespace": "shop", "name": "www"},
	}}
	type makeEvent func(source, name string, object any, reference bool) (context.Context, cloudevents.Event, error)
	for _, sent := range []struct {
		name      string
		make      makeEvent
		reference bool
		want      string
	}{
		{"add", events.MakeAddEvent, false, knative.ResourceAdd},
		{"update", events.MakeUpdateEvent, false, knative.ResourceUpdate},
		{"delete", events.MakeDeleteEvent, false, knative.ResourceDelete},
		{"add by reference", events.MakeAddEvent, true, knative.ReferenceAdd},
		{"update by reference", events.MakeUpdateEvent, true, knative.ReferenceUpdate},
		{"delete by reference", events.MakeDeleteEvent, true, knative.ReferenceDelete},
	} {
		t.Run(sent.name, func(t *testing.T) {
			_, event, err := sent.make("https://cluster", "certificates", certificate, sent.reference)
			if err != nil {
				t.Fatalf("make the event: %v", err)
			}
			if event.Type() != sent.want {
				t.Errorf("type %q, want %q", event.Type(), sent.want)
			}
			for attribute, want := range map[string]string{
				knative.ExtensionAPIVersion: "cert-manager.io/v1",
				knative.ExtensionKind:       "Certificate",
				knative.ExtensionNamespace:  "shop",
				knative.ExtensionName:       "www",
			} {
				if got := event.Extensions()[attribute]; got != want {
					t.Errorf("attribute %s is %v, want %q", attribute, got, want)
				}
			}
		})
	}
}

func TestThePingOfAPingSourceIsKnown(t *testing.T) {
	if knative.Ping != sourcesv1.PingSourceEventType {
		t.Errorf("Ping is %q, a PingSource sends %q", knative.Ping, sourcesv1.PingSourceEventType)
	}
}

// The handler imports this package; it shall not get Knative with it.
func TestTheHandlerGetsNothingOfKnative(t *testing.T) {
	if imports := goCommand(t, "list", "-f", "{{join .Imports \" \"}}", "."); imports != "" {
		t.Errorf("the package imports %s", imports)
	}
}
