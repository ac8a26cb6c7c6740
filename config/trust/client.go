package trust

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
)

// Client reads ConfigMaps and nothing else. client-go's own would bring the types
// of every API group of Kubernetes into the program. It is safe for concurrent use.
type Client struct{ rest rest.Interface }

// NewClient returns a client for the API server behind config, which is not
// modified. Errors are those of a config that no client can be made from; nothing
// is sent yet.
func NewClient(config *rest.Config) (Client, error) {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypes(corev1.SchemeGroupVersion, &corev1.ConfigMap{}, &corev1.ConfigMapList{})
	metav1.AddToGroupVersion(scheme, corev1.SchemeGroupVersion)

	config = rest.CopyConfig(config)
	config.APIPath = "/api"
	config.GroupVersion = &schema.GroupVersion{Version: "v1"}
	config.NegotiatedSerializer = rest.CodecFactoryForGeneratedClient(scheme, serializer.NewCodecFactory(scheme)).WithoutConversion()
	if config.UserAgent == "" {
		config.UserAgent = rest.DefaultKubernetesUserAgent()
	}
	client, err := rest.RESTClientFor(config)
	if err != nil {
		return Client{}, err
	}
	return Client{client}, nil
}

func (c Client) request(namespace string) *rest.Request {
	return c.rest.Get().UseProtobufAsDefault().Namespace(namespace).Resource("configmaps")
}

func (c Client) get(ctx context.Context, namespace, name string) (*corev1.ConfigMap, error) {
	found := &corev1.ConfigMap{}
	err := c.request(namespace).Name(name).Do(ctx).Into(found)
	return found, err
}

func (c Client) list(ctx context.Context, namespace string, options metav1.ListOptions) (*corev1.ConfigMapList, error) {
	page := &corev1.ConfigMapList{}
	err := c.request(namespace).VersionedParams(&options, metav1.ParameterCodec).Do(ctx).Into(page)
	return page, err
}
