package cluster

import (
	"fmt"
	"net/http"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	gatewayv1beta1 "sigs.k8s.io/gateway-api/apis/v1beta1"
)

// clients are what is asked of the API server, by kind.
type clients struct {
	certificates   resource
	gateways       resource
	grants         resource
	oldGrants      resource
	events         resource
	tokens         resource
	metadataClient metadata.Interface
	restClient     rest.Interface // for what belongs to no group
}

// connect makes the clients; all send through the one HTTP client.
func (c *clients) connect(config *rest.Config, client *http.Client) error {
	objects, err := metadata.NewForConfigAndClient(config, client)
	if err != nil {
		return fmt.Errorf("make a client for metadata: %w", err)
	}
	c.metadataClient = objects
	types := known()
	for _, of := range []struct {
		group     schema.GroupVersion
		resources map[string]*resource
		protobuf  bool
	}{
		{certmanagerv1.SchemeGroupVersion, map[string]*resource{"certificates": &c.certificates}, false},
		{schema.GroupVersion(gatewayv1.GroupVersion), map[string]*resource{"gateways": &c.gateways, "referencegrants": &c.grants}, false},
		{schema.GroupVersion(gatewayv1beta1.GroupVersion), map[string]*resource{"referencegrants": &c.oldGrants}, false},
		{eventsv1.SchemeGroupVersion, map[string]*resource{"events": &c.events}, true},
		{authenticationv1.SchemeGroupVersion, map[string]*resource{"tokenreviews": &c.tokens}, true},
	} {
		toGroup, err := rest.RESTClientForConfigAndClient(forGroup(config, of.group, types), client)
		if err != nil {
			return fmt.Errorf("make a client for %s: %w", of.group, err)
		}
		for name, resource := range of.resources {
			resource.client, resource.name, resource.protobuf = toGroup, name, of.protobuf
		}
	}
	c.restClient = c.certificates.client
	return nil
}

// known has the types that are read or written here, and no others.
func known() *runtime.Scheme {
	types := runtime.NewScheme()
	for group, objects := range map[schema.GroupVersion][]runtime.Object{
		certmanagerv1.SchemeGroupVersion:                 {&certmanagerv1.CertificateList{}},
		schema.GroupVersion(gatewayv1.GroupVersion):      {&gatewayv1.Gateway{}, &gatewayv1.GatewayList{}, &gatewayv1.ReferenceGrantList{}},
		schema.GroupVersion(gatewayv1beta1.GroupVersion): {&gatewayv1beta1.ReferenceGrantList{}},
		eventsv1.SchemeGroupVersion:                      {&eventsv1.Event{}},
		authenticationv1.SchemeGroupVersion:              {&authenticationv1.TokenReview{}},
	} {
		types.AddKnownTypes(group, objects...)
		metav1.AddToGroupVersion(types, group)
	}
	// The Status that tells an error is of v1, whatever was asked for.
	metav1.AddToGroupVersion(types, schema.GroupVersion{Version: "v1"})
	return types
}

// forGroup returns the config for one API group and version.
func forGroup(config *rest.Config, group schema.GroupVersion, types *runtime.Scheme) *rest.Config {
	config = rest.CopyConfig(config)
	config.APIPath = "/apis"
	config.GroupVersion = &group
	config.NegotiatedSerializer = rest.CodecFactoryForGeneratedClient(types, serializer.NewCodecFactory(types)).WithoutConversion()
	if config.UserAgent == "" {
		config.UserAgent = rest.DefaultKubernetesUserAgent()
	}
	return config
}
