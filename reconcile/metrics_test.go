package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace/noop"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// measured is what the instruments hold, a line a point: its name, attributes
// and, of a counter, the value, of a histogram how often and how much.
func measured(t *testing.T, reader sdkmetric.Reader) []string {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	var lines []string
	add := func(name string, set attribute.Set, value string) {
		var pairs []string
		for _, a := range set.ToSlice() {
			pairs = append(pairs, strings.TrimPrefix(string(a.Key), "gateway_cert.")+"="+a.Value.String())
		}
		lines = append(lines, fmt.Sprintf("%s{%s} %s", strings.TrimPrefix(name, "gateway_cert."), strings.Join(pairs, ","), value))
	}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					add(m.Name, p.Attributes, fmt.Sprint(p.Value))
				}
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					add(m.Name, p.Attributes, fmt.Sprintf("%dx %g", p.Count, p.Sum))
				}
			default:
				t.Fatalf("%s is a %T", m.Name, data)
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// measure handles the changes one after another, with time of its own, and
// returns the lines that begin with one of the words.
func measure(t *testing.T, f *faulty, words []string, changes ...reconcile.Change) (lines []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		reader := sdkmetric.NewManualReader()
		r := reconcile.New(reconcile.Options{
			Cluster: f, Tracing: noop.NewTracerProvider(), Metrics: sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)),
		})
		for _, change := range changes {
			_, _ = r.Handle(t.Context(), change) // what comes of it is seen in the metrics
		}
		lines = slices.DeleteFunc(measured(t, reader), func(line string) bool {
			return !slices.ContainsFunc(words, func(word string) bool { return strings.HasPrefix(line, word+"{") })
		})
	})
	return lines
}

func everything() reconcile.Change { return reconcile.Change{Kind: reconcile.Everything} }

// standing is a Gateway that carries what the Certificate asks for.
func standing(app certmanagerv1.Certificate) gatewayv1.Gateway {
	edge := gateway("edge", "")
	p := plan.For(plan.Input{Gateway: &edge, Certificates: []certmanagerv1.Certificate{app}})
	edge = gateway("edge", p.Ledger.String())
	edge.Spec.Listeners = p.Listeners
	return edge
}

func TestWhatIsMeasuredOfARun(t *testing.T) {
	for _, tc := range []struct {
		name   string
		mutate func(*faulty)
		change reconcile.Change
		words  []string
		want   []string
	}{
		{"a listener is added", func(*faulty) {}, addOfApp(),
			[]string{"runs", "patches", "listener.changes", "listeners.refused", "gateway.listeners"},
			[]string{
				"gateway.listeners{} 1x 1",
				"listener.changes{change.action=Added} 1",
				"patches{patch.result=Applied} 1",
				"runs{verdict=Patched} 1",
			}},
		{"all is well already", func(f *faulty) { f.gateways[0] = standing(f.certificates[0]) }, addOfApp(),
			[]string{"runs", "patches", "listener.changes", "gateway.listeners"},
			[]string{"gateway.listeners{} 1x 1", "runs{verdict=Unchanged} 1"}},
		{"the guard fails twice", func(f *faulty) { f.writeErrors = []error{outdated(), outdated(), nil} }, addOfApp(),
			[]string{"patches", "listener.changes", "runs"},
			[]string{"listener.changes{change.action=Added} 1", "patches{patch.result=Applied} 1", "patches{patch.result=Outdated} 2", "runs{verdict=Patched} 1"}},
		{"the API server refuses", func(f *faulty) { f.writeErrors = []error{cluster.ErrRefused} }, addOfApp(),
			[]string{"patches", "listener.changes", "runs", "gateway.listeners"},
			[]string{"patches{patch.result=Refused} 1", "runs{verdict=Refused} 1"}},
		{"the API server fails", func(f *faulty) { f.writeErrors = []error{errors.New("x")} }, addOfApp(),
			[]string{"patches", "runs"},
			[]string{"patches{patch.result=Failed} 1", "runs{verdict=TryAgain} 1"}},
		{"two hostnames are no hostnames", func(f *faulty) { f.certificates[0].Spec.DNSNames = []string{"*", "foo_bar", "ok.example.com"} }, addOfApp(),
			[]string{"listeners.refused"},
			[]string{"listeners.refused{rejection.reason=InvalidHostname} 2"}},
		{"phases of one that removes", func(f *faulty) { f.gateways[0] = standing(f.certificates[0]); f.certificates = nil }, addOfApp(),
			[]string{"run.phase.duration"},
			[]string{
				"run.phase.duration{phase=confirm removal} 1x 0",
				"run.phase.duration{phase=look up} 1x 0",
				"run.phase.duration{phase=patch} 1x 0",
				"run.phase.duration{phase=plan} 2x 0", "run.phase.duration{phase=report} 1x 0",
			}},
		{"time of one that hangs", func(f *faulty) { f.hangs = true }, addOfApp(),
			[]string{"run.duration", "run.phase.duration", "queue.wait"},
			[]string{"queue.wait{} 1x 0", "run.duration{verdict=TryAgain} 1x 10", "run.phase.duration{phase=look up} 1x 10"}},
		{"a sweep that heals", func(*faulty) {}, everything(),
			[]string{"sweep.gateways", "sweep.duration", "runs"},
			[]string{
				"runs{verdict=Patched} 1",
				"sweep.duration{sweep.verdict=Complete} 1x 0",
				"sweep.gateways{sweep.result=Failed} 0", "sweep.gateways{sweep.result=Healed} 1", "sweep.gateways{sweep.result=Right} 0",
			}},
		{"a sweep that finds all right", func(f *faulty) { f.gateways[0] = standing(f.certificates[0]) }, everything(),
			[]string{"sweep.gateways", "runs", "gateway.listeners"},
			[]string{
				"gateway.listeners{} 1x 1",
				"sweep.gateways{sweep.result=Failed} 0", "sweep.gateways{sweep.result=Healed} 0", "sweep.gateways{sweep.result=Right} 1",
			}},
		{"a sweep that cannot put one right", func(f *faulty) { f.getErr = errors.New("x") }, everything(),
			[]string{"sweep.gateways", "sweep.duration"},
			[]string{
				"sweep.duration{sweep.verdict=Incomplete} 1x 0",
				"sweep.gateways{sweep.result=Failed} 1", "sweep.gateways{sweep.result=Healed} 0", "sweep.gateways{sweep.result=Right} 0",
			}},
		{"a sweep that cannot look", func(f *faulty) { f.managedErr = errors.New("x") }, everything(),
			[]string{"sweep.duration"},
			[]string{"sweep.duration{sweep.verdict=Impossible} 1x 0"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := &faulty{gateways: []gatewayv1.Gateway{gateway("edge", "")}, certificates: []certmanagerv1.Certificate{certificateFor("edge")}}
			tc.mutate(f)
			if diff := cmp.Diff(tc.want, measure(t, f, tc.words, tc.change)); diff != "" {
				t.Errorf("measured (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAPanicIsMeasuredAsARunThatFailed(t *testing.T) {
	f := &faulty{gateways: []gatewayv1.Gateway{gateway("edge", "")}, certificates: []certmanagerv1.Certificate{certificateFor("edge")},
		refuse: func(plan.Plan) error { panic("boom") }}
	if diff := cmp.Diff([]string{"runs{verdict=TryAgain} 1"}, measure(t, f, []string{"runs", "patches"}, addOfApp())); diff != "" {
		t.Errorf("measured (-want +got):\n%s", diff)
	}
}

// slow takes two seconds for a write.
type slow struct{ *faulty }

func (s slow) Write(ctx context.Context, gateway *gatewayv1.Gateway, p plan.Plan) (*gatewayv1.Gateway, error) {
	time.Sleep(2 * time.Second) // in a synctest bubble
	return s.faulty.Write(ctx, gateway, p)
}

func TestTheQueueWaitIsThatOfTheFirstWhoWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := slow{&faulty{gateways: []gatewayv1.Gateway{gateway("edge", "")}, certificates: []certmanagerv1.Certificate{certificateFor("edge")}}}
		reader := sdkmetric.NewManualReader()
		r := reconcile.New(reconcile.Options{
			Cluster: f, Tracing: noop.NewTracerProvider(), Metrics: sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)),
		})
		var group sync.WaitGroup
		for i := range 3 {
			change := addOfApp()
			change.Object.ResourceVersion = fmt.Sprint(100 + i) // newer than what the first run sees
			group.Go(func() { _, _ = r.Handle(t.Context(), change) })
			time.Sleep(500 * time.Millisecond)
		}
		group.Wait()
		// The second has waited 1.5 s, the third has joined it.
		if lines := measured(t, reader); !slices.Contains(lines, "queue.wait{} 2x 1.5") {
			t.Errorf("measured:\n%s\nwant 2 waits of 1.5 s in all", strings.Join(lines, "\n"))
		}
	})
}

func TestADurationLeadsToATraceOfItsKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &faulty{gateways: []gatewayv1.Gateway{gateway("edge", "")}, certificates: []certmanagerv1.Certificate{certificateFor("edge")}}
		reader := sdkmetric.NewManualReader()
		r := reconcile.New(reconcile.Options{
			Cluster: f, Tracing: sdktrace.NewTracerProvider(), Metrics: sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)),
		})
		outcomes, err := r.Handle(t.Context(), addOfApp())
		if err != nil {
			t.Fatal(err)
		}
		var all metricdata.ResourceMetrics
		if err := reader.Collect(t.Context(), &all); err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, m := range all.ScopeMetrics[0].Metrics {
			if m.Name != "gateway_cert.run.duration" && m.Name != "gateway_cert.run.phase.duration" {
				continue
			}
			for _, p := range m.Data.(metricdata.Histogram[float64]).DataPoints {
				found++
				if want := outcomes[0].RunSpan.TraceID(); len(p.Exemplars) != 1 || string(p.Exemplars[0].TraceID) != string(want[:]) {
					t.Errorf("the exemplars of %s are %v, want one in trace %s", m.Name, p.Exemplars, want)
				}
				if first, last := p.Bounds[0], p.Bounds[len(p.Bounds)-1]; first != 0.001 || last != 10 {
					t.Errorf("the bounds of %s are from %g to %g, want 1 ms to 10 s", m.Name, first, last)
				}
			}
		}
		if found != 5 {
			t.Errorf("%d points, want those of the run and of its four phases", found)
		}
	})
}
