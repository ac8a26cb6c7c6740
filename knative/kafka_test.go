package knative_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	eventingv1 "knative.dev/eventing/pkg/apis/eventing/v1"
	"knative.dev/pkg/apis"
	duckv1 "knative.dev/pkg/apis/duck/v1"
)

const kafkaExample = "examples/kafka"

// defaultedBroker is the Broker of an overlay, as Knative's webhook leaves it.
func defaultedBroker(t testing.TB, dir string) *eventingv1.Broker {
	t.Helper()
	b := decoded[eventingv1.Broker](t, named(t, buildOnDisk(t, dir), "Broker", "gateway-cert"))
	b.SetDefaults(asInTheWebhook(t))
	return b
}

// Knative fills in the class and the configuration of the cluster's default where
// there are none.
func TestTheKafkaBrokerKeepsItsClassAndItsConfiguration(t *testing.T) {
	b := defaultedBroker(t, kafkaExample)
	if class := b.Annotations[eventingv1.BrokerClassAnnotationKey]; class != "Kafka" {
		t.Errorf("the class is %q", class)
	}
	want := &duckv1.KReference{APIVersion: "v1", Kind: "ConfigMap", Namespace: "knative-eventing", Name: "kafka-broker-config"}
	if diff := cmp.Diff(want, b.Spec.Config); diff != "" {
		t.Errorf("configuration (-want +got):\n%s", diff)
	}
}

func TestKafkaChangesNothingOfTheBrokerButWhatItIs(t *testing.T) {
	want, got := buildOnDisk(t, brokerExample), buildOnDisk(t, kafkaExample)
	kafka := named(t, got, "Broker", "gateway-cert")
	unstructured.RemoveNestedField(kafka.Object, "metadata", "annotations")
	unstructured.RemoveNestedField(kafka.Object, "spec", "config")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-broker +kafka):\n%s", diff)
	}
}

// What docs/deploy.md says of a Broker that exists.
func TestABrokerThatExistsDoesNotBecomeAnother(t *testing.T) {
	existing, kafka := defaultedBroker(t, brokerExample), defaultedBroker(t, kafkaExample)
	for name, mutate := range map[string]func(*eventingv1.Broker){
		"annotations": func(b *eventingv1.Broker) { b.Annotations = kafka.Annotations },
		"spec":        func(b *eventingv1.Broker) { b.Spec.Config = kafka.Spec.Config },
	} {
		changed := existing.DeepCopy()
		mutate(changed)
		err := changed.Validate(apis.WithinUpdate(context.Background(), existing))
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("with other %s the Broker is answered %v", name, err)
		}
	}
}
