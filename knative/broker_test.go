package knative_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	eventingv1 "knative.dev/eventing/pkg/apis/eventing/v1"
	eventingv1alpha1 "knative.dev/eventing/pkg/apis/eventing/v1alpha1"
	sinksv1alpha1 "knative.dev/eventing/pkg/apis/sinks/v1alpha1"
	sourcesv1 "knative.dev/eventing/pkg/apis/sources/v1"
	knativeauth "knative.dev/eventing/pkg/auth"
	"knative.dev/eventing/pkg/eventfilter"
	"knative.dev/eventing/pkg/eventfilter/subscriptionsapi"
	"knative.dev/eventing/pkg/kncloudevents"
	duckv1 "knative.dev/pkg/apis/duck/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	corev1 "k8s.io/api/core/v1"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/knative"
)

const (
	brokerExample       = "examples/broker"
	brokerAuthExample   = "examples/broker-auth"
	brokerComponent     = "components/broker"
	brokerAuthComponent = "components/broker-auth"
)

func broker(t testing.TB) *eventingv1.Broker {
	t.Helper()
	return decoded[eventingv1.Broker](t, named(t, buildOnDisk(t, brokerExample), "Broker", "gateway-cert"))
}

func triggers(t testing.TB, objects []*unstructured.Unstructured) map[string]*eventingv1.Trigger {
	t.Helper()
	found := map[string]*eventingv1.Trigger{}
	for _, object := range objects {
		if object.GetKind() == "Trigger" {
			found[object.GetName()] = decoded[eventingv1.Trigger](t, object)
		}
	}
	return found
}

// referTo is a reference to one of the objects, without a namespace: that of
// whoever refers is meant, whatever an overlay calls it.
func referTo(object *unstructured.Unstructured) duckv1.KReference {
	return duckv1.KReference{APIVersion: object.GetAPIVersion(), Kind: object.GetKind(), Name: object.GetName()}
}

func TestWithABrokerEverySourceSendsToIt(t *testing.T) {
	for _, dir := range []string{brokerExample, brokerAuthExample, brokerTLSExample, kafkaExample} {
		objects := buildOnDisk(t, dir)
		want := referTo(named(t, objects, "Broker", "gateway-cert"))
		for kind, name := range map[string]string{
			"ApiServerSource": "certificates", "ContainerSource": "gateways", "PingSource": "sweep",
		} {
			source := named(t, objects, kind, name)
			ref, _, err := unstructured.NestedStringMap(source.Object, "spec", "sink", "ref")
			got := duckv1.KReference{APIVersion: ref["apiVersion"], Kind: ref["kind"], Name: ref["name"]}
			if err != nil || len(ref) != 3 || got != want {
				t.Errorf("%s: %s sends to %v (%v), want %+v", dir, kind, ref, err, want)
			}
		}
	}
}

func TestTheTriggersLeadFromTheBrokerToTheHandler(t *testing.T) {
	objects := buildOnDisk(t, brokerExample)
	handler := referTo(named(t, objects, "Service", "gateway-cert-handler"))
	for name, trigger := range triggers(t, objects) {
		if trigger.Spec.Broker != broker(t).Name || trigger.Namespace != broker(t).Namespace {
			t.Errorf("Trigger %s/%s is of Broker %q", trigger.Namespace, name, trigger.Spec.Broker)
		}
		if ref := trigger.Spec.Subscriber.Ref; ref == nil || *ref != handler {
			t.Errorf("Trigger %s leads to %+v, want %+v", name, ref, handler)
		}
		if trigger.Spec.Delivery != nil {
			t.Errorf("Trigger %s has a delivery of its own, which the Broker's then says nothing for", name)
		}
	}
}

func TestNoClassOfBrokerIsAskedFor(t *testing.T) {
	if b := broker(t); len(b.Annotations) > 0 || b.Spec.Config != nil {
		t.Errorf("annotations are %v, the configuration is %v", b.Annotations, b.Spec.Config)
	}
}

// Knative's own filters say which Trigger takes which event: each that a source
// sends goes to one of them, and what others send to the Broker to none.
func TestEachEventOfASourceGoesThroughOneTrigger(t *testing.T) {
	all := triggers(t, buildOnDisk(t, brokerExample))
	for name, sent := range map[string]struct {
		eventType, apiVersion, kind, want string
	}{
		"a Certificate is new":         {knative.ResourceAdd, "cert-manager.io/v1", "Certificate", "certificates"},
		"a Certificate has changed":    {knative.ResourceUpdate, "cert-manager.io/v1", "Certificate", "certificates"},
		"a Certificate is gone":        {knative.ResourceDelete, "cert-manager.io/v1", "Certificate", "certificates"},
		"a Gateway is new":             {knative.ResourceAdd, "gateway.networking.k8s.io/v1", "Gateway", "gateways"},
		"a Gateway has changed":        {knative.ResourceUpdate, "gateway.networking.k8s.io/v1", "Gateway", "gateways"},
		"a Gateway is gone":            {knative.ResourceDelete, "gateway.networking.k8s.io/v1", "Gateway", "gateways"},
		"a ping":                       {knative.Ping, "", "", "sweep"},
		"a Secret, by another source":  {knative.ResourceAdd, "v1", "Secret", ""},
		"a Gateway of another group":   {knative.ResourceAdd, "networking.istio.io/v1", "Gateway", ""},
		"an event of something else":   {"com.example.order", "cert-manager.io/v1", "Certificate", ""},
		"a Certificate by its name":    {knative.ReferenceAdd, "cert-manager.io/v1", "Certificate", ""},
		"a ping that names a resource": {knative.Ping, "cert-manager.io/v1", "Certificate", "sweep"},
		"a reply of the handler":       {knative.GatewayReconciled, "", "", ""},
		"a reply that is a failure":    {knative.GatewayFailed, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			e := event.New()
			e.SetID("1")
			e.SetSource("test")
			e.SetType(sent.eventType)
			if sent.kind != "" {
				e.SetExtension(knative.ExtensionAPIVersion, sent.apiVersion)
				e.SetExtension(knative.ExtensionKind, sent.kind)
			}
			var taken []string
			for name, trigger := range all {
				if passes(t, trigger, e) {
					taken = append(taken, name)
				}
			}
			if got := strings.Join(taken, " and "); got != sent.want {
				t.Errorf("taken by %q, want %q", got, sent.want)
			}
		})
	}
}

func passes(t *testing.T, trigger *eventingv1.Trigger, e event.Event) bool {
	t.Helper()
	for _, filter := range trigger.Spec.Filters {
		var made eventfilter.Filter
		var err error
		switch {
		case len(filter.Exact) > 0:
			made, err = subscriptionsapi.NewExactFilter(filter.Exact)
		case len(filter.Prefix) > 0:
			made, err = subscriptionsapi.NewPrefixFilter(filter.Prefix)
		default:
			t.Fatalf("Trigger %s has a filter that this test does not know: %+v", trigger.Name, filter)
		}
		if err != nil {
			t.Fatalf("make a filter of Trigger %s: %v", trigger.Name, err)
		}
		if made.Filter(context.Background(), e) == eventfilter.FailFilter {
			return false
		}
	}
	return len(trigger.Spec.Filters) > 0
}

func retries(t testing.TB) kncloudevents.RetryConfig {
	t.Helper()
	config, err := kncloudevents.RetryConfigFromDeliverySpec(*broker(t).Spec.Delivery)
	if err != nil {
		t.Fatalf("have Knative read the delivery: %v", err)
	}
	return config
}

// The numbers in the comments of broker.yaml, from Knative's own reading of it.
func TestRetriesOutlastARestartOfTheAPIServer(t *testing.T) {
	const (
		restart   = 2 * time.Minute
		run       = 10 * time.Second // reconcile, runDeadline
		inMemory  = 15 * time.Minute // Knative: reconciler/inmemorychannel/dispatcher, writeTimeout
		firstWait = time.Second
	)
	config := retries(t)
	var pauses time.Duration
	for i := range config.RetryMax {
		pauses += config.Backoff(i, nil)
	}
	if want := 127500 * time.Millisecond; pauses != want {
		t.Errorf("the pauses are %s, the comment says %s", pauses, want)
	}
	if pauses <= restart {
		t.Errorf("the pauses are %s, a restart takes up to %s", pauses, restart)
	}
	if first := config.Backoff(0, nil); first > firstWait {
		t.Errorf("the first pause is %s: a collision of writes need not wait that long", first)
	}
	tries := time.Duration(config.RetryMax + 1)
	if usual, want := pauses+tries*run, 217500*time.Millisecond; usual != want {
		t.Errorf("at 10 s a try it is %s, the comment says %s", usual, want)
	}
	longest := pauses + tries*requestTimeout(t)
	if want := 667500 * time.Millisecond; longest != want {
		t.Errorf("at Knative's timeout a try it is %s, the comment says %s", longest, want)
	}
	// What goes to the dead-letter sink in the end has retries of its own.
	if longest+pauses >= inMemory {
		t.Errorf("with the way to the dead-letter sink it is %s, a channel in memory ends at %s", longest+pauses, inMemory)
	}
	source := decoded[sourcesv1.ContainerSource](t, named(t, buildOnDisk(t, brokerExample), "ContainerSource", "gateways"))
	timeout := environment(source.Spec.Template.Spec.Containers[0])["K_SINK_TIMEOUT"]
	if adapter := time.Duration(number(t, timeout)) * time.Second; adapter <= inMemory {
		t.Errorf("the adapter gives up after %s and takes the event with it, a channel in memory after %s", adapter, inMemory)
	}
}

// Knative's own rule for a Broker, on what the handler answers.
func TestABrokerSendsAgainWhatTheHandlerAsksFor(t *testing.T) {
	config := retries(t)
	for code, want := range map[int]bool{
		http.StatusNoContent:          false,
		http.StatusBadRequest:         false,
		http.StatusUnauthorized:       false,
		http.StatusForbidden:          false,
		http.StatusServiceUnavailable: true,
		// Not the handler's, but of what stands before it.
		http.StatusInternalServerError: true,
		http.StatusBadGateway:          true,
		http.StatusGatewayTimeout:      true,
		http.StatusNotFound:            true,
		http.StatusTooManyRequests:     true,
	} {
		if again, err := config.CheckRetry(t.Context(), &http.Response{StatusCode: code}, nil); err != nil || again != want {
			t.Errorf("%d: sent again: %v (%v), want %v", code, again, err, want)
		}
	}
	if again, err := config.CheckRetry(t.Context(), nil, io.EOF); err != nil || !again {
		t.Errorf("no answer: sent again: %v (%v)", again, err)
	}
}

func shelf(t testing.TB) *sinksv1alpha1.JobSink {
	t.Helper()
	return decoded[sinksv1alpha1.JobSink](t, named(t, buildOnDisk(t, brokerExample), "JobSink", "undelivered"))
}

func TestTheDeadLetterSinkIsTheJobSink(t *testing.T) {
	want := duckv1.Destination{Ref: &duckv1.KReference{
		APIVersion: shelf(t).APIVersion, Kind: shelf(t).Kind, Name: shelf(t).Name,
	}}
	if diff := cmp.Diff(&want, broker(t).Spec.Delivery.DeadLetterSink); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A Job that ran by itself would send again at once what has just failed for two
// minutes, and one with a time to live would take its event with it.
func TestWhatIsNotDeliveredStaysUntilSomebodyActs(t *testing.T) {
	job := shelf(t).Spec.Job
	if job.Spec.Suspend == nil || !*job.Spec.Suspend {
		t.Error("the Job is not suspended")
	}
	if job.Spec.TTLSecondsAfterFinished != nil || job.Spec.ActiveDeadlineSeconds != nil {
		t.Error("the Job goes away by itself")
	}
}

func TestAnEventIsSentAgainToTheHandlerByAHardenedPod(t *testing.T) {
	pod := shelf(t).Spec.Job.Spec.Template.Spec
	if len(pod.Containers) != 1 {
		t.Fatalf("%d containers", len(pod.Containers))
	}
	container := &pod.Containers[0]
	if container.Image == "curl" {
		t.Error("the example does not replace the image")
	}
	if got, want := container.Args[len(container.Args)-1], "http://"+handlerService(t).Name+".$(NAMESPACE).svc"; got != want {
		t.Errorf("it sends to %s, want %s", got, want)
	}
	if pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken {
		t.Error("it gets a token")
	}
	// A Job's pod gets no requests.
	container.ReadinessProbe = &corev1.Probe{}
	if err := softness(pod); err != nil {
		t.Error(err)
	}
}

func TestTheBrokerChangesNothingElse(t *testing.T) {
	before, after := buildOnDisk(t, example), buildOnDisk(t, brokerExample)
	for i, object := range before {
		if strings.HasSuffix(object.GetKind(), "Source") {
			continue
		}
		if diff := cmp.Diff(object, after[i]); diff != "" {
			t.Errorf("%s %s (-overlay +broker):\n%s", object.GetKind(), object.GetName(), diff)
		}
	}
	var brought []string
	for _, object := range after[len(before):] {
		brought = append(brought, object.GetKind()+" "+object.GetName())
	}
	want := []string{"JobSink undelivered", "Broker gateway-cert", "Trigger certificates", "Trigger gateways", "Trigger sweep"}
	if diff := cmp.Diff(want, brought); diff != "" {
		t.Errorf("brought (-want +got):\n%s", diff)
	}
}

func TestTheBrokerMovesToAnotherNamespaceWithTheRest(t *testing.T) {
	files := filesys.MakeFsInMemory()
	copyFiles(t, files, base)
	copyFiles(t, files, brokerComponent)
	kustomization := "resources: [../base]\ncomponents: [../" + brokerComponent + "]\nnamespace: elsewhere\n"
	if err := files.WriteFile("/overlay/kustomization.yaml", []byte(kustomization)); err != nil {
		t.Fatalf("write the overlay: %v", err)
	}
	for _, object := range build(t, files, "/overlay", krusty.ReorderOptionNone) {
		group := object.GroupVersionKind().Group
		if strings.Contains(group, "knative.dev") && object.GetNamespace() != "elsewhere" {
			t.Errorf("%s %s is in %q", object.GetKind(), object.GetName(), object.GetNamespace())
		}
	}
}

// Alone it would have nothing to change, and says so.
func TestBrokerAuthNeedsBothComponentsBelow(t *testing.T) {
	for _, below := range []string{brokerComponent, authComponent} {
		files := filesys.MakeFsInMemory()
		for _, dir := range []string{base, below, brokerAuthComponent} {
			copyFiles(t, files, dir)
		}
		kustomization := "resources: [../base]\ncomponents: [../" + below + ", ../" + brokerAuthComponent + "]\n"
		if err := files.WriteFile("/overlay/kustomization.yaml", []byte(kustomization)); err != nil {
			t.Fatalf("write the overlay: %v", err)
		}
		_, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, "/overlay")
		if below == brokerComponent && err == nil {
			t.Errorf("built with %s alone", below)
		}
	}
}

// With both, the sources' tokens are for the Broker, which names itself as
// Knative names it, and the Triggers' are for the handler.
func TestWithABrokerTokensAreForWhoeverIsNext(t *testing.T) {
	objects := buildOnDisk(t, brokerAuthExample)
	b := named(t, objects, "Broker", "gateway-cert")
	own := knativeauth.GetAudienceDirect(b.GroupVersionKind(), b.GetNamespace(), b.GetName())
	for kind, sender := range sendersOf(t, objects) {
		want := "" // Knative asks the Broker
		if kind == "ContainerSource" {
			want = own
		}
		if sender.audience != want {
			t.Errorf("%s has its token issued for %q, want %q", kind, sender.audience, want)
		}
	}
	settings, err := config.Load(brokerAuthExample + "/config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var usernames []string
	for name, trigger := range triggers(t, objects) {
		if got := deref(trigger.Spec.Subscriber.Audience); got != settings.Authentication.Audience {
			t.Errorf("Trigger %s has its token issued for %q, the handler wants %q", name, got, settings.Authentication.Audience)
		}
		account := knativeauth.GetOIDCServiceAccountNameForResource(eventingv1.SchemeGroupVersion.WithKind("Trigger"), trigger.ObjectMeta)
		usernames = append(usernames, "system:serviceaccount:"+trigger.Namespace+":"+account)
	}
	slices.Sort(usernames)
	if diff := cmp.Diff(usernames, slices.Sorted(slices.Values(settings.Authentication.Allowed))); diff != "" {
		t.Errorf("allowed (-triggers +settings):\n%s", diff)
	}
}

func TestTheBrokersPolicyAllowsExactlyTheSources(t *testing.T) {
	objects := buildOnDisk(t, brokerAuthExample)
	policy := decoded[eventingv1alpha1.EventPolicy](t, named(t, objects, "EventPolicy", "gateway-cert-sources"))
	to := referTo(named(t, objects, "Broker", "gateway-cert"))
	want := eventingv1alpha1.EventPolicySpec{
		To: []eventingv1alpha1.EventPolicySpecTo{{Ref: &eventingv1alpha1.EventPolicyToReference{
			APIVersion: to.APIVersion, Kind: to.Kind, Name: to.Name}}},
	}
	for kind, name := range map[string]string{"ApiServerSource": "certificates", "PingSource": "sweep"} {
		source := referTo(named(t, objects, kind, name))
		want.From = append(want.From, eventingv1alpha1.EventPolicySpecFrom{Ref: &eventingv1alpha1.EventPolicyFromReference{
			APIVersion: source.APIVersion, Kind: source.Kind, Name: source.Name}})
	}
	slices.SortFunc(want.From, func(a, b eventingv1alpha1.EventPolicySpecFrom) int { return strings.Compare(a.Ref.Kind, b.Ref.Kind) })
	account := sendersOf(t, objects)["ContainerSource"].username
	want.From = append(want.From, eventingv1alpha1.EventPolicySpecFrom{Sub: &account})
	if diff := cmp.Diff(want, policy.Spec); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
