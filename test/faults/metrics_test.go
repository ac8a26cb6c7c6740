package faults

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/client-go/kubernetes"
)

// requests are how many requests the API server has had, by what they were for.
type requests map[request]int

type request struct{ verb, resource, subresource string }

// asked are the resources that the handler asks about.
var asked = []string{"certificates", "gateways", "namespaces", "referencegrants"}

var (
	requestLine  = regexp.MustCompile(`^apiserver_request_total\{(.*)\} ([0-9.e+]+)$`)
	requestLabel = regexp.MustCompile(`([a-z_]+)="([^"]*)"`)
)

func scrape(t testing.TB) requests {
	t.Helper()
	client, err := kubernetes.NewForConfig(system.Config())
	must(t, err)
	text, err := client.Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(t.Context())
	must(t, err)
	found := requests{}
	for line := range strings.Lines(string(text)) {
		match := requestLine.FindStringSubmatch(strings.TrimSpace(line))
		if match == nil {
			continue
		}
		labels := map[string]string{}
		for _, label := range requestLabel.FindAllStringSubmatch(match[1], -1) {
			labels[label[1]] = label[2]
		}
		count, err := strconv.ParseFloat(match[2], 64)
		must(t, err)
		found[request{labels["verb"], labels["resource"], labels["subresource"]}] += int(count)
	}
	if len(found) == 0 {
		t.Fatal("the API server's metrics have no apiserver_request_total")
	}
	return found
}

// count returns the requests of that verb for what the handler asks about.
func (r requests) count(verb string) int {
	total := 0
	for of, count := range r {
		if of.verb == verb && slices.Contains(asked, of.resource) && of.subresource == "" {
			total += count
		}
	}
	return total
}

func (r requests) patches() int { return r[request{"PATCH", "gateways", ""}] }
