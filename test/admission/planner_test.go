package admission

import (
	"slices"
	"strings"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// planned is what the planner finds malformed in an annotation of the object,
// given without the prefix; empty if it can read it.
func planned(object client.Object, key string) string {
	in := plan.Input{Gateway: plain(gateway).(*gatewayv1.Gateway)}
	asks := plain(certificate).(*certmanagerv1.Certificate)
	asks.Labels[plan.GatewayNameKey] = in.Gateway.Name
	switch object := object.(type) {
	case *gatewayv1.Gateway:
		in.Gateway = object
	case *certmanagerv1.Certificate:
		asks.Annotations = object.Annotations
	case *corev1.Namespace:
		meta := *object.ObjectMeta.DeepCopy()
		meta.Name = home
		in.Namespaces = map[string]metav1.ObjectMeta{home: meta}
	}
	in.Certificates = []certmanagerv1.Certificate{*asks}
	for _, f := range plan.For(in).Rejections {
		unreadable := []plan.Reason{plan.ReasonMalformedAnnotation, plan.ReasonInvalidPort, plan.ReasonPublishNotSupported}
		if slices.Contains(unreadable, f.Reason) && strings.Contains(f.Message, " "+plan.KeyPrefix+key+" is ") {
			// To the Certificate's owner it says whose annotation it is.
			return strings.Replace(f.Message, "(of Namespace "+home+") ", "", 1)
		}
	}
	return ""
}
