package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/truncate"
)

// ReportingController is what the Events name as the program they come from.
const ReportingController = "gateway-cert-operator.io/gateway-cert-handler"

// Event is what is to be told to the people who look at an object.
type Event struct {
	// Regarding is the object, in a namespace, with its UID.
	Regarding corev1.ObjectReference
	// Related is another object that has to do with it, or nil.
	Related *corev1.ObjectReference
	// Key tells one Event from another of the same type and reason about the same
	// object. Empty means that the Note does.
	Key string
	// Type is corev1.EventTypeNormal or corev1.EventTypeWarning. Reason and Action
	// are 1 to 128 bytes long. Of the Note 1024 bytes are kept.
	Type, Reason, Action, Note string
}

// anotherRecorder is how often, and after which pauses, recording starts over
// because someone else recorded the same Event at the same time: three times.
var anotherRecorder = wait.Backoff{Steps: 4, Duration: 10 * time.Millisecond, Factor: 3, Jitter: 1}

// Record tells the Event. One that was told before, with the same type, reason
// and note of the same object, is counted up instead of added, as long as the
// API server keeps it (1 hour by default). In a namespace that is going or gone
// there is nobody to tell, and that is no error. Errors are that it may not have
// been told.
func (c *Cluster) Record(ctx context.Context, e Event) error {
	e.Note = truncate.Text(e.Note, maxNote)
	name := eventName(e)
	events := c.events.in(e.Regarding.Namespace)
	var last error // retry.OnError takes a context's end for its own and forgets it
	err := retry.OnError(anotherRecorder, raced, func() error {
		var told *eventsv1.Event
		if told, last = answer[eventsv1.Event](ctx, events.get(name)); last == nil {
			last = countUp(ctx, events, told)
		} else if apierrors.IsNotFound(last) {
			last = c.tell(ctx, name, e)
		}
		return last
	})
	if err = cmp.Or(err, last); err != nil {
		return fmt.Errorf("record Event %s/%s: %w", e.Regarding.Namespace, name, err)
	}
	return nil
}

// raced tells that the Event came, changed or went between GET and write.
func raced(err error) bool {
	return apierrors.IsAlreadyExists(err) || apierrors.IsConflict(err) || apierrors.IsNotFound(err)
}

// tell creates the Event.
func (c *Cluster) tell(ctx context.Context, name string, e Event) error {
	_, err := answer[eventsv1.Event](ctx, c.events.in(e.Regarding.Namespace).create(&eventsv1.Event{
		ObjectMeta:          metav1.ObjectMeta{Namespace: e.Regarding.Namespace, Name: name},
		EventTime:           metav1.NowMicro(),
		ReportingController: ReportingController,
		ReportingInstance:   c.instance,
		Regarding:           e.Regarding,
		Related:             e.Related,
		Type:                e.Type,
		Reason:              e.Reason,
		Action:              e.Action,
		Note:                e.Note,
	}, metav1.CreateOptions{FieldManager: FieldManager}))
	// Not found is the namespace: of the Event itself a create cannot say that.
	if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) || apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// countUp adds one to the series, which is all of an Event that the API lets
// change. The resourceVersion makes it fail if someone else counts meanwhile.
func countUp(ctx context.Context, events resource, told *eventsv1.Event) error {
	count := int32(1)
	if told.Series != nil {
		count = told.Series.Count
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": told.ResourceVersion},
		"series":   eventsv1.EventSeries{Count: count + 1, LastObservedTime: metav1.NowMicro()},
	})
	if err != nil {
		return fmt.Errorf("encode the series: %w", err)
	}
	_, err = answer[eventsv1.Event](ctx, events.patch(told.Name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: FieldManager}))
	return err
}
