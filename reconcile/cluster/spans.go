package cluster

import (
	"net/http"
	"strings"
)

// spanName calls a request's span as people at Kubernetes would say it, "LIST
// certificates", so that a trace can be read without its attributes.
func spanName(_ string, r *http.Request) string {
	resource, named := requested(r.URL.Path)
	verb := r.Method
	if verb == http.MethodGet && !named {
		verb = "LIST"
	}
	return strings.TrimRight(verb+" "+resource, " ")
}

// requested returns the resource that a path of a named API group asks for, and
// whether it asks for one object: /apis/GROUP/VERSION[/namespaces/NS]/RESOURCE[/NAME].
func requested(path string) (resource string, named bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if len(parts) < 4 || parts[0] != "apis" {
		return "", true
	}
	parts = parts[3:]
	if parts[0] == "namespaces" && len(parts) > 2 {
		parts = parts[2:]
	}
	return parts[0], len(parts) > 1
}
