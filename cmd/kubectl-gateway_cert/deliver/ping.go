package deliver

import (
	"github.com/cloudevents/sdk-go/v2/event"
	"k8s.io/apimachinery/pkg/util/uuid"

	"gateway-cert-operator.io/gateway-cert-handler/knative"
)

// Ping is the event that asks for a sweep, as a PingSource sends it.
func Ping() event.Event {
	e := event.New()
	e.SetID(string(uuid.NewUUID()))
	e.SetSource("/kubectl-gateway_cert")
	e.SetType(knative.Ping)
	return e
}
