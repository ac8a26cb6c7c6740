package main

import (
	"cmp"
	"net"
	"net/http"
	"slices"
	"strings"

	"knative.dev/networking/pkg/apis/networking/v1alpha1"
)

// routes are the paths of each host, the most specific first.
type routes map[string][]v1alpha1.HTTPIngressPath

func newRoutes(ingresses []v1alpha1.Ingress) *routes {
	byHost := routes{}
	for _, ingress := range ingresses {
		for _, rule := range ingress.Spec.Rules {
			if rule.HTTP == nil {
				continue
			}
			for _, host := range rule.Hosts {
				byHost[host] = append(byHost[host], rule.HTTP.Paths...)
			}
		}
	}
	for _, paths := range byHost {
		slices.SortStableFunc(paths, func(a, b v1alpha1.HTTPIngressPath) int {
			return cmp.Or(cmp.Compare(len(b.Path), len(a.Path)), cmp.Compare(len(b.Headers), len(a.Headers)))
		})
	}
	return &byHost
}

// find returns the path that a request belongs to.
func (r routes) find(request *http.Request) (v1alpha1.HTTPIngressPath, bool) {
	host := request.Host
	if withoutPort, _, err := net.SplitHostPort(host); err == nil {
		host = withoutPort
	}
	for _, path := range r[host] {
		if strings.HasPrefix(request.URL.Path, path.Path) && hasHeaders(request.Header, path.Headers) {
			return path, true
		}
	}
	return v1alpha1.HTTPIngressPath{}, false
}

func hasHeaders(header http.Header, wanted map[string]v1alpha1.HeaderMatch) bool {
	for name, match := range wanted {
		if header.Get(name) != match.Exact {
			return false
		}
	}
	return true
}

// pick returns the split that a number from 0 to 99 belongs to. Percents add up
// to 100, or there is one split without.
func pick(splits []v1alpha1.IngressBackendSplit, number int) v1alpha1.IngressBackendSplit {
	for _, split := range splits {
		if number -= split.Percent; number < 0 {
			return split
		}
	}
	return splits[len(splits)-1]
}
