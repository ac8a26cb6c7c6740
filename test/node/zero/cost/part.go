package cost

import "strings"

// Part is what a row of the comparison is about.
type Part string

// The parts; pods of no part are of none of them, the empty one.
const (
	Handler  Part = "handler"
	Adapters Part = "adapters"
	Operator Part = "operator"
	Knative  Part = "Knative"
)

// Parts are all of them.
func Parts() []Part { return []Part{Handler, Adapters, Operator, Knative} }

// Account is the user by whose name a part asks the API server; of the adapters it is
// one for both. It is empty for Knative, whose requests are not noted.
func (p Part) Account() string {
	switch p {
	case Handler:
		return "system:serviceaccount:gateway-cert:gateway-cert-handler"
	case Adapters:
		return "system:serviceaccount:gateway-cert:gateway-cert-source"
	case Operator:
		return "system:serviceaccount:default:operator"
	}
	return ""
}

// PartOf tells by its names what a pod belongs to. In the product's namespace all
// is an adapter that is not the handler.
func PartOf(namespace, pod string) Part {
	switch {
	case namespace == "knative-serving" || namespace == "knative-eventing":
		return Knative
	case namespace == "gateway-cert" && strings.HasPrefix(pod, "gateway-cert-handler-"):
		return Handler
	case namespace == "gateway-cert":
		return Adapters
	case namespace == "default" && strings.HasPrefix(pod, "operator-"):
		return Operator
	}
	return ""
}
