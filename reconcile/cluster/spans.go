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

// requested returns the resource that a path asks for, and whether it asks for
// one object. After /api/VERSION for the core group, or /apis/GROUP/VERSION, that
// is [/namespaces/NS]/RESOURCE[/NAME]; a Namespace itself is /namespaces/NAME.
func requested(path string) (resource string, named bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case path == "/version":
		return "version", true
	case parts[0] == "api" && len(parts) > 2:
		parts = parts[2:]
	case parts[0] == "apis" && len(parts) > 3:
		parts = parts[3:]
	default:
		return "", true
	}
	if parts[0] == "namespaces" && len(parts) > 2 {
		parts = parts[2:]
	}
	return parts[0], len(parts) > 1
}
