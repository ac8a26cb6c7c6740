package controlplane

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	sourceConfigVariable = "K_SOURCE_CONFIG"
	// watchVerbosity is the klog level at which watchedLine is logged.
	watchVerbosity = 2
)

// watchedLine is what client-go's reflector logs when its first list is
// complete. From that resource version on it misses nothing, while anything
// older is never sent. The API server's count of open watches rises too early:
// with a streaming list, objects made between the opening of the watch and the
// end of its initial events still count as part of the list.
var watchedLine = regexp.MustCompile(`"Caches populated".* reflector="([^"]+)"`)

// watchTracker reads an adapter's log for the resources it has begun to watch.
type watchTracker struct {
	complete chan struct{} // closed when all are watched

	mu      sync.Mutex
	pending map[string][]string // resource → reflectors not seen yet
}

// newWatchTracker reads what will be watched from an adapter's configuration.
func newWatchTracker(config string) (*watchTracker, error) {
	var source struct {
		AllNamespaces bool
		Namespaces    []string
		Resources     []struct {
			GVR schema.GroupVersionResource
		}
	}
	if config == "" {
		return nil, errors.New("its environment has no " + sourceConfigVariable + ": take it from AdapterEnv or the manifest")
	}
	if err := json.Unmarshal([]byte(config), &source); err != nil {
		return nil, fmt.Errorf("read %s: %w", sourceConfigVariable, err)
	}
	if len(source.Resources) == 0 {
		return nil, errors.New(sourceConfigVariable + " names no resources to watch")
	}
	t := &watchTracker{complete: make(chan struct{}), pending: map[string][]string{}}
	for _, resource := range source.Resources {
		name := resource.GVR.String()
		reflectors := []string{name}
		if !source.AllNamespaces {
			reflectors = nil
			for _, namespace := range source.Namespaces {
				reflectors = append(reflectors, name+"/"+namespace)
			}
		}
		t.pending[name] = reflectors
	}
	return t, nil
}

// Write takes one line of the adapter's log.
func (t *watchTracker) Write(line []byte) (int, error) {
	if found := watchedLine.FindSubmatch(line); found != nil {
		t.seen(string(found[1]))
	}
	return len(line), nil
}

func (t *watchTracker) seen(reflector string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.pending) == 0 {
		return
	}
	// A resource without namespaces has one reflector, named like itself,
	// whatever namespaces the source lists.
	delete(t.pending, reflector)
	for resource, reflectors := range t.pending {
		t.pending[resource] = without(reflectors, reflector)
		if len(t.pending[resource]) == 0 {
			delete(t.pending, resource)
		}
	}
	if len(t.pending) == 0 {
		close(t.complete)
	}
}

func without(list []string, item string) []string {
	var rest []string
	for _, other := range list {
		if other != item {
			rest = append(rest, other)
		}
	}
	return rest
}

// missing names the resources that are not watched yet, for errors.
func (t *watchTracker) missing() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var names []string
	for resource := range t.pending {
		names = append(names, resource)
	}
	return strings.Join(names, "; ")
}
