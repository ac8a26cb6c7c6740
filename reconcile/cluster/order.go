package cluster

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/version"
)

// firstOrdered is the first Kubernetes that promises that the resourceVersions of
// one resource can be compared as numbers (KEP-5504).
var firstOrdered = version.MustParseGeneric("1.35")

// order knows whether the API server orders its versions.
type order struct {
	mu      sync.Mutex
	known   bool
	ordered bool
	asked   time.Time
}

const (
	// versionWait bounds the question: events wait for the answer.
	versionWait = time.Second
	// versionAgain is how long a failure stands before it is asked again.
	versionAgain = time.Minute
)

// OrdersVersions reports whether the API server promises that resourceVersions of
// one resource can be compared as numbers. It is asked until it has answered once; as long as it has
// not, the answer is no, which costs only reads.
func (c *Cluster) OrdersVersions(ctx context.Context) bool {
	o := &c.order
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.known && (o.asked.IsZero() || time.Since(o.asked) > versionAgain) {
		o.ordered, o.known = c.askVersion(ctx)
		o.asked = time.Now()
	}
	return o.ordered
}

func (c *Cluster) askVersion(ctx context.Context) (ordered, known bool) {
	ctx, cancel := context.WithTimeout(ctx, versionWait)
	defer cancel()
	var answer struct {
		GitVersion string `json:"gitVersion"`
	}
	body, err := c.restClient.Get().AbsPath("/version").DoRaw(ctx)
	if err != nil || json.Unmarshal(body, &answer) != nil {
		return false, false
	}
	server, err := version.ParseGeneric(answer.GitVersion)
	return err == nil && server.AtLeast(firstOrdered), true
}
