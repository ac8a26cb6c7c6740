package cluster_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// webhook is an admission webhook that denies everything, with an answer that
// can be changed while it runs. The API server calls it on the loopback.
type webhook struct {
	server *httptest.Server
	answer atomic.Pointer[metav1.Status]
	before atomic.Pointer[func()] // each denial
}

func newWebhook(t *testing.T) *webhook {
	t.Helper()
	if os.Getenv(controlplane.ExistingClusterVariable) != "" {
		t.Skip("an API server elsewhere cannot call a webhook here")
	}
	w := &webhook{}
	w.server = httptest.NewTLSServer(http.HandlerFunc(w.deny))
	t.Cleanup(w.server.Close)
	return w
}

func (w *webhook) deny(out http.ResponseWriter, in *http.Request) {
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(in.Body).Decode(&review); err != nil {
		http.Error(out, err.Error(), http.StatusBadRequest)
		return
	}
	if before := w.before.Swap(nil); before != nil {
		(*before)()
	}
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Result: w.answer.Load()}
	out.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(out).Encode(review)
}

// addWebhook has the API server ask it for updates of this namespace's Gateways.
func (l *live) addWebhook(t *testing.T, w *webhook) {
	t.Helper()
	webhooks := admissionClient(t).ValidatingWebhookConfigurations()
	_, err := webhooks.Create(t.Context(), &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: l.user.Name},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: "deny.example.com",
			ClientConfig: admissionregistrationv1.WebhookClientConfig{
				URL:      new(w.server.URL),
				CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: w.server.Certificate().Raw}),
			},
			Rules:                   []admissionregistrationv1.RuleWithOperations{gatewayUpdates()},
			NamespaceSelector:       l.thisNamespace(),
			SideEffects:             new(admissionregistrationv1.SideEffectClassNone),
			AdmissionReviewVersions: []string{"v1"},
		}},
	}, metav1.CreateOptions{})
	namespace.Must(t, err)
	t.Cleanup(func() {
		namespace.Must(t, webhooks.Delete(context.WithoutCancel(t.Context()), l.user.Name, metav1.DeleteOptions{}))
	})
}

func TestWhatAWebhookDeniesIsRefusedAndWhatItCannotTellIsNot(t *testing.T) {
	l, w := newLive(t), newWebhook(t)
	gateway := l.createGateway(nil)
	p := planFor(gateway, "a.example.com")
	ours := p.Listeners[1].Name
	w.answer.Store(&metav1.Status{Code: http.StatusUnprocessableEntity, Message: "no"})
	l.addWebhook(t, w)
	l.tryUntilRefused(t, func() error { return l.Try(t.Context(), gateway, p) })

	naming := apierrors.NewInvalid(schema.GroupKind{Group: gatewayv1.GroupName, Kind: "Gateway"}, "edge", field.ErrorList{
		field.Invalid(field.NewPath("spec", "listeners").Index(1).Child("hostname"), "a.example.com", "not here"),
	}).Status()
	for _, tc := range []struct {
		name    string
		answer  *metav1.Status
		refused bool
		blames  gatewayv1.SectionName
	}{
		{"nothing", nil, true, ""},
		{"a message alone", &metav1.Status{Message: "no"}, true, ""},
		{"422 without details", &metav1.Status{Code: 422, Message: "no"}, true, ""},
		{"422 with its reason", &metav1.Status{Code: 422, Reason: metav1.StatusReasonInvalid, Message: "no"}, true, ""},
		{"422 that names a listener", &naming, true, ours},
		{"403 Forbidden", &metav1.Status{Code: 403, Reason: metav1.StatusReasonForbidden, Message: "no"}, true, ""},
		{"400 BadRequest", &metav1.Status{Code: 400, Reason: metav1.StatusReasonBadRequest, Message: "no"}, true, ""},
		{"500, it failed", &metav1.Status{Code: 500, Message: "out of order"}, false, ""},
		{"503, it is not ready", &metav1.Status{Code: 503, Message: "later"}, false, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w.answer.Store(tc.answer)
			_, err := l.Write(t.Context(), gateway, p)
			if !tc.refused {
				wantFailure(t, err)
				return
			}
			if got := blamed(t, err); (got[tc.blames] == "") != (tc.blames == "") {
				t.Errorf("blamed = %v, want %q", got, tc.blames)
			}
		})
	}
	t.Run("none, it is gone", func(t *testing.T) {
		w.server.Close()
		_, err := l.Write(t.Context(), gateway, p)
		wantFailure(t, err)
	})
}

// wantFailure wants an error that says nothing about the Gateway.
func wantFailure(t *testing.T, err error) {
	t.Helper()
	if err == nil || errors.Is(err, cluster.ErrRefused) || errors.Is(err, cluster.ErrOutdated) {
		t.Errorf("error = %v, want one that is neither a refusal nor outdated", err)
	}
}

// Its answer looks as that to a failed test, so that it can only be told from
// one as long as the Gateway stays as it was.
func TestADenialWithoutDetailsCountsAsOutdatedIfTheGatewayChangesMeanwhile(t *testing.T) {
	l, w := newLive(t), newWebhook(t)
	gateway := l.createGateway(nil)
	p := planFor(gateway, "a.example.com")
	w.answer.Store(&metav1.Status{Code: http.StatusUnprocessableEntity, Message: "no"})
	l.addWebhook(t, w)
	l.tryUntilRefused(t, func() error { return l.Try(t.Context(), gateway, p) })

	w.before.Store(new(func() {
		_, err := l.user.Gateways.Patch(t.Context(), "edge", types.MergePatchType,
			[]byte(`{"status":{"addresses":[{"type":"IPAddress","value":"192.0.2.1"}]}}`), metav1.PatchOptions{}, "status")
		if err != nil {
			t.Error(err)
		}
	}))
	if _, err := l.Write(t.Context(), gateway, p); !errors.Is(err, cluster.ErrOutdated) {
		t.Errorf("Write = %v, want outdated", err)
	}
	if _, err := l.Write(t.Context(), l.user.Gateway("edge"), p); !errors.Is(err, cluster.ErrRefused) {
		t.Errorf("Write from the Gateway as it is now = %v, want refused", err)
	}
}
