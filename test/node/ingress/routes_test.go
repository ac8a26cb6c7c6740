package main

import (
	"net/http/httptest"
	"testing"

	"knative.dev/networking/pkg/apis/networking/v1alpha1"
)

func path(prefix, tag, service string) v1alpha1.HTTPIngressPath {
	p := v1alpha1.HTTPIngressPath{
		Path:   prefix,
		Splits: []v1alpha1.IngressBackendSplit{{IngressBackend: v1alpha1.IngressBackend{ServiceName: service}, Percent: 100}},
	}
	if tag != "" {
		p.Headers = map[string]v1alpha1.HeaderMatch{"Tag": {Exact: tag}}
	}
	return p
}

func TestTheMostSpecificPathIsTaken(t *testing.T) {
	ingress := v1alpha1.Ingress{Spec: v1alpha1.IngressSpec{Rules: []v1alpha1.IngressRule{{
		Hosts: []string{"app.test"},
		HTTP: &v1alpha1.HTTPIngressRuleValue{Paths: []v1alpha1.HTTPIngressPath{
			path("", "", "all"), path("/deep", "", "deep"), path("", "blue", "tagged"),
		}},
	}}}}
	table := newRoutes([]v1alpha1.Ingress{ingress})
	for name, tc := range map[string]struct{ url, tag, want string }{
		"any path":         {url: "http://app.test/", want: "all"},
		"with a port":      {url: "http://app.test:8080/", want: "all"},
		"a longer prefix":  {url: "http://app.test/deep/er", want: "deep"},
		"a header":         {url: "http://app.test/", tag: "blue", want: "tagged"},
		"an unknown value": {url: "http://app.test/", tag: "red", want: "all"},
		"an unknown host":  {url: "http://other.test/", want: ""},
	} {
		t.Run(name, func(t *testing.T) {
			request := httptest.NewRequest("GET", tc.url, nil)
			request.Header.Set("Tag", tc.tag)
			got := ""
			if found, ok := table.find(request); ok {
				got = found.Splits[0].ServiceName
			}
			if got != tc.want {
				t.Errorf("it goes to %q, want %q", got, tc.want)
			}
		})
	}
}

func TestRequestsAreSplitByPercents(t *testing.T) {
	split := func(service string, percent int) v1alpha1.IngressBackendSplit {
		return v1alpha1.IngressBackendSplit{IngressBackend: v1alpha1.IngressBackend{ServiceName: service}, Percent: percent}
	}
	splits := []v1alpha1.IngressBackendSplit{split("old", 30), split("none", 0), split("new", 70)}
	count := map[string]int{}
	for number := range 100 {
		count[pick(splits, number).ServiceName]++
	}
	if count["old"] != 30 || count["new"] != 70 {
		t.Errorf("of 100 there go %v", count)
	}
}

func TestOneSplitWithoutAPercentGetsAll(t *testing.T) {
	only := []v1alpha1.IngressBackendSplit{{IngressBackend: v1alpha1.IngressBackend{ServiceName: "all"}}}
	if got := pick(only, 99).ServiceName; got != "all" {
		t.Errorf("it goes to %q", got)
	}
}
