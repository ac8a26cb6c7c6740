package reload

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

const (
	versions     = 200
	certificates = 4
	// patience is how long anything may take on a busy machine.
	patience = 60 * time.Second
)

// TestEachRunGoesByOneValidVersion swaps valid and invalid versions at random
// while Certificates change all the time.
func TestEachRunGoesByOneValidVersion(t *testing.T) {
	namespace.Must(t, system.settings.Write(versionOf(1)))
	user := namespace.New(t, system.Config())
	user.CreateGateway("edge", nil)
	for i := range certificates {
		user.CreateCertificate(fmt.Sprintf("app%d", i), "edge", fmt.Sprintf("app%d.example.com", i))
	}
	seen := watch(t, user)
	seen.await(t, 1)

	ctx, cancel := context.WithCancel(t.Context())
	var load sync.WaitGroup
	load.Go(func() { change(ctx, t, user) })
	random := rand.New(rand.NewPCG(3, 5))
	last := 0
	for n := 2; n <= versions; n++ {
		valid := n == versions || random.IntN(3) > 0
		if valid {
			last = n
			seen.valid(n) // before it can be seen
			namespace.Must(t, system.settings.Write(versionOf(n)))
		} else {
			namespace.Must(t, system.settings.Write(versionOf(-n)))
		}
		if valid && random.IntN(10) == 0 {
			seen.await(t, n) // some of them have the time to be taken
		}
	}
	cancel()
	load.Wait()
	seen.await(t, last)
	if faults := seen.faults(); len(faults) > 0 {
		t.Errorf("Gateways were seen that no valid version makes:\n%s", strings.Join(faults, "\n"))
	}
}

// change moves Certificates to other Secrets until ctx ends.
func change(ctx context.Context, t *testing.T, user *namespace.Namespace) {
	for i := 0; ctx.Err() == nil; i++ {
		patch := fmt.Sprintf(`{"spec":{"secretName":"secret-%d"}}`, i)
		_, err := user.Certificates.Patch(ctx, fmt.Sprintf("app%d", i%certificates), types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		if err != nil && ctx.Err() == nil {
			t.Error(err)
			return
		}
	}
}

// sightings are all states of a Gateway.
type sightings struct {
	mu     sync.Mutex
	known  map[int]bool // versions that may be seen
	latest int
	wrong  []string
	moved  chan struct{} // something comes after each state
}

// watch judges each state of Gateway edge from now on, as its controller would
// see it.
func watch(t *testing.T, user *namespace.Namespace) *sightings {
	t.Helper()
	s := &sightings{known: map[int]bool{1: true}, moved: make(chan struct{}, 1)}
	changes, err := user.Gateways.Watch(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=edge"})
	namespace.Must(t, err)
	t.Cleanup(changes.Stop)
	go func() {
		for change := range changes.ResultChan() {
			if gateway, ok := change.Object.(*gatewayv1.Gateway); ok {
				s.see(gateway)
			}
		}
	}()
	return s
}

func (s *sightings) see(gateway *gatewayv1.Gateway) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := map[int]bool{}
	complete := 0
	for _, l := range gateway.Spec.Listeners {
		if l.Name == namespace.UserOwned {
			continue
		}
		complete++
		port := int(l.Port) - firstPort
		of[port] = true
		if routes := l.AllowedRoutes.Namespaces.Selector; routes == nil || routes.MatchLabels[label] != "v"+strconv.Itoa(port) {
			s.wrong = append(s.wrong, fmt.Sprintf("resourceVersion %s: listener %s has port %d with routes of %v", gateway.ResourceVersion, l.Name, l.Port, routes))
		}
		if !s.known[port] {
			s.wrong = append(s.wrong, fmt.Sprintf("resourceVersion %s: version %d has never been valid", gateway.ResourceVersion, port))
		}
	}
	if len(of) > 1 {
		s.wrong = append(s.wrong, fmt.Sprintf("resourceVersion %s: listeners of versions %v", gateway.ResourceVersion, of))
	}
	for version := range of {
		if version < s.latest {
			s.wrong = append(s.wrong, fmt.Sprintf("resourceVersion %s: version %d after %d", gateway.ResourceVersion, version, s.latest))
		}
		if complete == certificates {
			s.latest = version
		}
	}
	select {
	case s.moved <- struct{}{}:
	default:
	}
}

func (s *sightings) valid(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[n] = true
}

func (s *sightings) faults() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wrong
}

// await waits until all listeners are of a version.
func (s *sightings) await(t *testing.T, version int) {
	t.Helper()
	deadline := time.After(patience)
	for {
		s.mu.Lock()
		latest := s.latest
		s.mu.Unlock()
		if latest == version {
			return
		}
		select {
		case <-s.moved:
		case <-deadline:
			t.Fatalf("after %s the Gateway is of version %d, want %d", patience, latest, version)
		}
	}
}
