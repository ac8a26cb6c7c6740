package cluster

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

// resource makes requests about the objects of one kind, by the verbs that are
// used here. Generated clients bring each type of their API group twice, and with
// it the types of all groups of Kubernetes: a third of the program.
type resource struct {
	client    rest.Interface
	name      string // plural, in lower case
	namespace string // empty for all of them, and where there are none
	protobuf  bool   // Kubernetes' own kinds have it, custom resources do not
}

// in returns the resource in a namespace.
func (r resource) in(namespace string) resource {
	r.namespace = namespace
	return r
}

func (r resource) get(name string) *rest.Request {
	return r.about(r.client.Get()).Name(name)
}

func (r resource) list(options metav1.ListOptions) *rest.Request {
	return r.about(r.client.Get()).VersionedParams(&options, metav1.ParameterCodec)
}

func (r resource) create(object runtime.Object, options metav1.CreateOptions) *rest.Request {
	return r.about(r.client.Post()).VersionedParams(&options, metav1.ParameterCodec).Body(object)
}

func (r resource) patch(name string, kind types.PatchType, body []byte, options metav1.PatchOptions) *rest.Request {
	return r.about(r.client.Patch(kind)).Name(name).VersionedParams(&options, metav1.ParameterCodec).Body(body)
}

func (r resource) about(request *rest.Request) *rest.Request {
	return request.UseProtobufAsDefaultIfPreferred(r.protobuf).
		NamespaceIfScoped(r.namespace, r.namespace != "").Resource(r.name)
}

// answer sends the request and returns the object or list that comes back.
func answer[T any, P interface {
	*T
	runtime.Object
}](ctx context.Context, request *rest.Request) (*T, error) {
	object := new(T)
	if err := request.Do(ctx).Into(P(object)); err != nil {
		return nil, err
	}
	return object, nil
}
