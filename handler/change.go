package handler

import (
	"encoding/json"
	"errors"
	"fmt"

	certmanager "github.com/cert-manager/cert-manager/pkg/apis/certmanager"
	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/cloudevents/sdk-go/v2/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/knative"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

// ignoredError says why an event, readable as it is, is none of our business.
type ignoredError struct{ why string }

func (e ignoredError) Error() string { return e.why }

var operations = map[string]reconcile.Operation{
	knative.ResourceAdd:    reconcile.Add,
	knative.ResourceUpdate: reconcile.Update,
	knative.ResourceDelete: reconcile.Delete,
}

// changeOf reads what an event says has changed. Errors are an [ignoredError],
// or that the event can never be read.
func changeOf(e event.Event) (reconcile.Change, error) {
	if err := e.Validate(); err != nil {
		return reconcile.Change{}, fmt.Errorf("check the event against the specification: %w", err)
	}
	if e.Type() == knative.Ping {
		return reconcile.Change{Kind: reconcile.Everything}, nil
	}
	operation, known := operations[e.Type()]
	if !known {
		return reconcile.Change{}, notHandled(e)
	}
	group, kind, err := subjectKind(e)
	if err != nil {
		return reconcile.Change{}, err
	}
	change := reconcile.Change{Operation: operation}
	switch {
	case group == certmanager.GroupName && kind == "Certificate":
		change.Kind = reconcile.Certificate
	case group == gatewayv1.GroupName && kind == "Gateway":
		change.Kind = reconcile.Gateway
	default:
		return reconcile.Change{}, ignoredError{fmt.Sprintf("kind %s of group %q is not handled", kind, group)}
	}
	change.Object, err = metadataOf(e)
	if err == nil && change.Kind == reconcile.Gateway {
		change.Status, err = statusOf(e)
	}
	return change, err
}

// statusOf reads what the object's status is, and leaves to others what it says.
func statusOf(e event.Event) (json.RawMessage, error) {
	var object struct {
		Status json.RawMessage `json:"status"`
	}
	if err := json.Unmarshal(e.Data(), &object); err != nil {
		return nil, fmt.Errorf("read the status in the event's data: %w", err)
	}
	return object.Status, nil
}

func notHandled(e event.Event) error {
	switch e.Type() {
	case knative.ReferenceAdd, knative.ReferenceUpdate, knative.ReferenceDelete:
		return ignoredError{"an event of mode Reference carries no labels; set mode: Resource on the source"}
	}
	return ignoredError{fmt.Sprintf("events of type %q are not handled", e.Type())}
}

// subjectKind reads the group and kind from the event's extensions. The
// ce-subject is no help: its plural is guessed, and wrong for Gateways.
func subjectKind(e event.Event) (group, kind string, err error) {
	apiVersion, err := extension(e, knative.ExtensionAPIVersion)
	if err != nil {
		return "", "", err
	}
	kind, err = extension(e, knative.ExtensionKind)
	if err != nil {
		return "", "", err
	}
	version, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return "", "", fmt.Errorf("read extension %s: %w", knative.ExtensionAPIVersion, err)
	}
	return version.Group, kind, nil
}

// metadataOf reads the object's metadata from the event's data, which must be
// of the object that the extensions name.
func metadataOf(e event.Event) (*metav1.PartialObjectMetadata, error) {
	name, err := extension(e, knative.ExtensionName)
	if err != nil {
		return nil, err
	}
	namespace, err := extension(e, knative.ExtensionNamespace)
	if err != nil {
		return nil, err
	}
	object := &metav1.PartialObjectMetadata{}
	if err := json.Unmarshal(e.Data(), object); err != nil {
		return nil, fmt.Errorf("read the object in the event's data: %w", err)
	}
	if object.Name != name || object.Namespace != namespace {
		return nil, fmt.Errorf("the event is about %s/%s but its data is of %s/%s", namespace, name, object.Namespace, object.Name)
	}
	return object, checkName(name, namespace)
}

// checkName holds an object's name to what the API server does, so that nobody
// after us meets another: that of a namespace is a label by RFC 1123, and that of
// a custom resource a subdomain.
func checkName(name, namespace string) error {
	if len(validation.IsDNS1123Label(namespace)) > 0 {
		return fmt.Errorf("the event is about an object in a namespace %q, and none can be called that", namespace)
	}
	if len(validation.IsDNS1123Subdomain(name)) > 0 {
		return fmt.Errorf("the event is about an object %q, and none can be called that", name)
	}
	return nil
}

func extension(e event.Event, name string) (string, error) {
	value, ok := e.Extensions()[name]
	if !ok {
		return "", fmt.Errorf("the event has no extension %q", name)
	}
	text, err := types.ToString(value)
	if err != nil || text == "" {
		return "", errors.Join(fmt.Errorf("the event's extension %q is not a text", name), err)
	}
	return text, nil
}
