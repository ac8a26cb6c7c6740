package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/cloudevents/sdk-go/v2/event"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gateway-cert-operator.io/gateway-cert-handler/knative"
)

// deliver sends an event to the handler itself and returns the status code.
func deliver(t *testing.T, e event.Event) int {
	t.Helper()
	request, err := cehttp.NewHTTPRequestFromEvent(t.Context(), system.HandlerURL(), e)
	must(t, err)
	response, err := http.DefaultClient.Do(request)
	must(t, err)
	must(t, response.Body.Close())
	return response.StatusCode
}

// certificateEvent is what the adapter would send about the Certificate now.
func (p *place) certificateEvent(name, eventType string) event.Event {
	p.t.Helper()
	certificate, err := p.Certificates.Get(p.t.Context(), name, metav1.GetOptions{})
	must(p.t, err)
	e := newEvent(eventType)
	e.SetExtension(knative.ExtensionAPIVersion, "cert-manager.io/v1")
	e.SetExtension(knative.ExtensionKind, "Certificate")
	e.SetExtension(knative.ExtensionNamespace, p.Name)
	e.SetExtension(knative.ExtensionName, name)
	must(p.t, e.SetData(event.ApplicationJSON, certificate))
	return e
}

func newEvent(eventType string) event.Event {
	e := event.New()
	e.SetID("e2e")
	e.SetSource("test")
	e.SetType(eventType)
	return e
}

func TestD01TheSameEventFiveTimesIsOnePatch(t *testing.T) {
	t.Parallel()
	p := newServed(t)
	before := p.Gateway("edge").ResourceVersion
	for i := range 5 {
		e := p.certificateEvent("app", knative.ResourceUpdate)
		e.SetID(fmt.Sprint(i))
		if got := deliver(t, e); got != http.StatusNoContent {
			t.Errorf("delivery %d was answered %d, want 204", i+1, got)
		}
	}
	if after := p.Gateway("edge").ResourceVersion; after != before {
		t.Errorf("the Gateway's resourceVersion went from %s to %s, want no write", before, after)
	}
}

func TestD03ACertificateForAGatewayThatIsNotThereIsNoReasonToTryAgain(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.CreateCertificate("app", "typo", "app.example.com")
	if got := deliver(t, p.certificateEvent("app", knative.ResourceAdd)); got != http.StatusNoContent {
		t.Errorf("answered %d, want 204", got)
	}
}

func TestD09TwentyCertificatesAtOnceAreTwentyListenersAndFewPatches(t *testing.T) {
	t.Parallel()
	const certificates = 20
	p := newPlace(t)
	p.createGateway("edge")
	before := p.Gateway("edge").Generation
	var want []string
	var senders sync.WaitGroup
	for i := range certificates {
		name := fmt.Sprintf("app-%d", i)
		want = append(want, fmt.Sprintf("auto-%s-%[1]s-example-com %[1]s.example.com %[1]s-tls", name))
		senders.Go(func() {
			p.CreateCertificate(name, "edge", name+".example.com")
			if got := deliver(t, p.certificateEvent(name, knative.ResourceAdd)); got != http.StatusNoContent {
				t.Errorf("the event of %s was answered %d, want 204", name, got)
			}
		})
	}
	senders.Wait()
	p.expect("edge", want...)
	// Each patch of listeners raises the generation by one.
	if patches := p.Gateway("edge").Generation - before; patches > certificates/2 {
		t.Errorf("%d patches for %d Certificates, want at most half as many", patches, certificates)
	}
}

func TestAWrittenGatewayNamesUsForOurListenersOnly(t *testing.T) {
	t.Parallel()
	p := newServed(t)
	for range 3 {
		p.patchCertificate("app", `{"spec":{"secretName":"other"}}`)
		p.expect("edge", "auto-app-app-example-com app.example.com other")
		p.patchCertificate("app", `{"spec":{"secretName":"app-tls"}}`)
		p.expect("edge", app)
	}
	var ours []string
	for _, entry := range p.Gateway("edge").ManagedFields {
		if entry.Manager == "gateway-cert-handler" {
			ours = append(ours, entry.FieldsV1.GetRawString())
		}
	}
	if len(ours) != 1 {
		t.Fatalf("%d managedFields entries of ours, want 1", len(ours))
	}
	if want := `k:{\"name\":\"auto-app-app-example-com\"}`; !strings.Contains(ours[0], want) {
		t.Errorf("managedFields %s do not name %s", ours[0], want)
	}
	if strings.Contains(ours[0], `k:{\"name\":\"http\"}`) {
		t.Errorf("managedFields %s name a user-owned listener", ours[0])
	}
}
