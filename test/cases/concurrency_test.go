package cases

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// contested are hostnames that the Certificates and the Gateway's owner want.
var contested = []string{"a.example.com", "b.example.com", "a-b.example.com", "b.a.example.com", "*.example.com"}

// One writer adds and removes listeners of his own, another makes, changes and
// deletes Certificates, and two replicas get the events of both. The first may
// lose nothing, and in the end ours are what the Certificates ask for.
func TestTwoRandomWritersAndTwoReplicasLoseNothing(t *testing.T) {
	s := newEmptyScene(t)
	s.createEdge(nil)
	lasts := 30 * time.Second
	if testing.Short() {
		lasts = 5 * time.Second
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	writing, stopWriting := context.WithTimeout(t.Context(), lasts)
	defer stopWriting()
	watching, stopWatching := context.WithCancel(t.Context())
	defer stopWatching()

	changes := s.feed(watching)
	var replicas, writers sync.WaitGroup
	var acts, handled, unfinished atomic.Int64
	for range 2 {
		_, replica := newReplica(t)
		replicas.Go(func() {
			for change := range changes {
				handled.Add(1)
				if !deliver(t, replica, change) {
					unfinished.Add(1)
				}
			}
		})
	}
	owner := &listenerOwner{scene: s, random: rand.New(rand.NewPCG(seed, 1)), believes: maps.Clone(s.userOwned)}
	issuer := &certificateOwner{scene: s, random: rand.New(rand.NewPCG(seed, 2))}
	for _, act := range []func(context.Context) error{owner.act, issuer.act} {
		writers.Go(func() {
			pauses := rand.New(rand.NewPCG(seed, 3))
			for writing.Err() == nil {
				start := time.Now()
				if err := act(t.Context()); err != nil {
					t.Error(err)
					return
				}
				acts.Add(1)
				// On a slow machine too there is to be a chance to get in between.
				time.Sleep(2*time.Since(start) + time.Duration(pauses.IntN(120))*time.Millisecond)
			}
		})
	}
	writers.Wait()
	stopWatching()
	replicas.Wait()
	t.Logf("%d acts, %d changes handled, %d of them not to the end; %d user-owned listeners in the end",
		acts.Load(), handled.Load(), unfinished.Load(), len(owner.believes))

	s.userOwned = owner.believes
	_, s.reconciler = newReplica(t) // one that has seen nothing of all this
	s.look()
	s.checkUserOwned()
	if last := s.look(); last.Verdict != reconcile.Unchanged {
		t.Errorf("a second look ended %s with changes %+v, want Unchanged", last.Verdict, last.Plan.Changes)
	}
	s.checkPlan()
}

// What one replica has changed at a Certificate's wish, the other must not take
// for somebody's meddling.
func TestTwoReplicasThatTakeTurnsAccuseNobody(t *testing.T) {
	s := newServedScene(t)
	_, other := newReplica(t)
	for i := range 10 {
		s.reconciler, other = other, s.reconciler
		expectFindings(t, s.change(app, func(c *certmanagerv1.Certificate) { c.Spec.SecretName = fmt.Sprintf("app-tls-%d", i) }))
	}
}

// checkPlan holds edge to what the planner says for what is there.
func (s *scene) checkPlan() {
	s.t.Helper()
	gateway := s.Gateway(edge)
	list, err := s.Certificates.List(s.t.Context(), metav1.ListOptions{})
	must(s.t, err)
	p := plan.For(plan.Input{Gateway: gateway, Certificates: list.Items})
	if !p.Unchanged() {
		s.t.Errorf("there is still something to do: %+v", p.Changes)
	}
	names := slices.Collect(maps.Keys(s.userOwned))
	for name := range p.Ledger {
		names = append(names, name)
	}
	slices.Sort(names)
	if diff := cmp.Diff(names, slices.Sorted(slices.Values(listenerNames(gateway)))); diff != "" {
		s.t.Errorf("listeners (-the users' and ours +got):\n%s", diff)
	}
}

// feed turns what happens in the namespace into changes, as the event source
// does: one watch a kind, and a change for each event.
func (s *scene) feed(ctx context.Context) <-chan reconcile.Change {
	s.t.Helper()
	certificates, err := s.Certificates.Watch(ctx, metav1.ListOptions{})
	must(s.t, err)
	gateways, err := s.Gateways.Watch(ctx, metav1.ListOptions{})
	must(s.t, err)
	changes := make(chan reconcile.Change)
	var watches sync.WaitGroup
	for kind, w := range map[reconcile.Kind]watch.Interface{reconcile.Certificate: certificates, reconcile.Gateway: gateways} {
		watches.Go(func() {
			defer w.Stop()
			for event := range w.ResultChan() {
				change, err := changeOf(kind, event)
				if err != nil && ctx.Err() == nil {
					s.t.Errorf("the watch of %ss ended: %v", kind, err)
				}
				if err != nil {
					return
				}
				select {
				case changes <- change:
				case <-ctx.Done():
					return
				}
			}
		})
	}
	go func() {
		watches.Wait()
		close(changes)
	}()
	return changes
}

func changeOf(kind reconcile.Kind, event watch.Event) (reconcile.Change, error) {
	if event.Type == watch.Error {
		return reconcile.Change{}, apierrors.FromObject(event.Object)
	}
	object, err := meta.Accessor(event.Object)
	if err != nil {
		return reconcile.Change{}, err
	}
	return reconcile.Change{
		Kind: kind,
		Operation: map[watch.EventType]reconcile.Operation{
			watch.Added: reconcile.Add, watch.Modified: reconcile.Update, watch.Deleted: reconcile.Delete,
		}[event.Type],
		Object: meta.AsPartialObjectMetadata(object),
	}, nil
}

// deliver sends a change as the event source does: again after 503, which is
// TryAgain, five times.
func deliver(t *testing.T, replica *reconcile.Reconciler, change reconcile.Change) bool {
	for try := range 6 {
		outcomes, err := replica.Handle(t.Context(), change)
		again := err != nil
		for _, o := range outcomes {
			again = again || o.Verdict == reconcile.TryAgain
			if o.Verdict == reconcile.Refused {
				t.Errorf("refused: %v", o.Err)
			}
		}
		if !again {
			return true
		}
		time.Sleep(100 * time.Millisecond << try)
	}
	return false
}

// listenerOwner adds and removes user-owned listeners of edge.
type listenerOwner struct {
	*scene
	random *rand.Rand
	// believes are the listeners that he has and has not removed, byte for byte.
	believes map[gatewayv1.SectionName]string
	made     int
}

func (o *listenerOwner) act(ctx context.Context) error {
	remove := len(o.believes) > 1 && (len(o.believes) > 6 || o.random.IntN(2) == 0)
	name := gatewayv1.SectionName("")
	if remove {
		name = slices.Sorted(maps.Keys(o.believes))[o.random.IntN(len(o.believes))]
	}
	listener := o.newListener()
	at := o.random.Float64()
	for {
		gateway, err := o.Gateways.Get(ctx, edge, metav1.GetOptions{})
		if err != nil {
			return err
		}
		position := int(at * float64(len(gateway.Spec.Listeners)+1))
		step := map[string]any{"op": "add", "path": fmt.Sprintf("/spec/listeners/%d", position), "value": listener}
		if remove {
			if position = slices.Index(listenerNames(gateway), name); position < 0 {
				return fmt.Errorf("user-owned listener %s is gone", name)
			}
			step = map[string]any{"op": "remove", "path": fmt.Sprintf("/spec/listeners/%d", position)}
		}
		patch, err := withTests(gateway, step)
		if err != nil {
			return err
		}
		switch now, err := o.patchRaw(ctx, patch); {
		case err == nil && remove:
			delete(o.believes, name)
			return o.compare(now)
		case err == nil:
			o.believes[listener.Name] = now[listener.Name]
			return o.compare(now)
		case causes(err) && !remove:
			return nil // the place or the name is taken
		case !apierrors.IsInvalid(err) && !apierrors.IsConflict(err):
			return err
		}
	}
}

// causes tells an object that the API server will not have from a failed test.
func causes(err error) bool {
	var answer apierrors.APIStatus
	return errors.As(err, &answer) && answer.Status().Details != nil && len(answer.Status().Details.Causes) > 0
}

func (o *listenerOwner) compare(now map[gatewayv1.SectionName]string) error {
	for name, bytes := range o.believes {
		if now[name] != bytes {
			return fmt.Errorf("user-owned listener %s was\n%s\nand is\n%s", name, bytes, now[name])
		}
	}
	return nil
}

// newListener is on a port of its own, or on ours for a hostname that
// Certificates want, now and then under the name that ours would have.
func (o *listenerOwner) newListener() gatewayv1.Listener {
	o.made++
	name := gatewayv1.SectionName(fmt.Sprintf("theirs-%d", o.made))
	hostname := contested[o.random.IntN(len(contested))]
	switch o.random.IntN(4) {
	case 0:
		return httpListener(name, gatewayv1.PortNumber(10000+o.made))
	case 1:
		return tlsListener(name, gatewayv1.HTTPSProtocolType, gatewayv1.Hostname(hostname))
	case 2:
		return tlsListener(name, gatewayv1.TLSProtocolType, gatewayv1.Hostname(hostname))
	default:
		return httpListener("auto-one-a-example-com", gatewayv1.PortNumber(10000+o.made))
	}
}

// certificateOwner makes, changes and deletes Certificates for edge.
type certificateOwner struct {
	*scene
	random *rand.Rand
}

func (o *certificateOwner) act(ctx context.Context) error {
	name := []string{"one", "one-a", "two"}[o.random.IntN(3)]
	c, err := o.Certificates.Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		c = &certmanagerv1.Certificate{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{plan.GatewayNameKey: edge}}}
		o.fill(c)
		_, err = o.Certificates.Create(ctx, c, metav1.CreateOptions{})
	case err != nil:
	case o.random.IntN(4) == 0:
		err = o.Certificates.Delete(ctx, name, metav1.DeleteOptions{})
	default:
		o.fill(c)
		_, err = o.Certificates.Update(ctx, c, metav1.UpdateOptions{})
	}
	return err
}

func (o *certificateOwner) fill(c *certmanagerv1.Certificate) {
	c.Annotations = nil
	if o.random.IntN(4) == 0 {
		c.Annotations = map[string]string{plan.ListenerPortKey: "8443"}
	}
	c.Spec = certmanagerv1.CertificateSpec{
		SecretName: fmt.Sprintf("tls-%d", o.random.IntN(3)), IssuerRef: cmmeta.IssuerReference{Name: "ca"},
	}
	for _, i := range o.random.Perm(len(contested))[:1+o.random.IntN(3)] {
		c.Spec.DNSNames = append(c.Spec.DNSNames, contested[i])
	}
}
