package plan

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// A field that a new version of the Gateway API adds must be compared too.
func TestEveryFieldOfAListenerIsCompared(t *testing.T) {
	var compared []string
	for _, field := range listenerFields {
		compared = append(compared, field.path)
	}
	for _, path := range pathsOf(reflect.TypeFor[gatewayv1.Listener](), "") {
		if path != "name" && !slices.Contains(compared, path) {
			t.Errorf("field %s is not compared", path)
		}
	}
}

// pathsOf returns the JSON paths of a struct's fields, going into tls and
// allowedRoutes, whose parts are compared one by one.
func pathsOf(s reflect.Type, prefix string) []string {
	var paths []string
	for field := range s.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch name {
		case "tls", "allowedRoutes":
			paths = append(paths, pathsOf(field.Type.Elem(), name+".")...)
		default:
			paths = append(paths, prefix+name)
		}
	}
	return paths
}
