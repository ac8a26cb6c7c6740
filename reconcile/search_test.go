package reconcile

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// ask is an API server that refuses whatever has one of the bad changes.
func ask(changes []gatewayv1.SectionName, bad map[gatewayv1.SectionName]string) *halving {
	h := &halving{changes: changes, whose: map[gatewayv1.SectionName]types.NamespacedName{}}
	for _, name := range changes {
		h.whose[name] = types.NamespacedName{Name: string(name)}
	}
	h.accepts = func(only map[gatewayv1.SectionName]bool) (string, error) {
		for _, name := range changes {
			if only[name] && bad[name] != "" {
				return bad[name], nil
			}
		}
		return "", nil
	}
	return h
}

func numbered(n int) []gatewayv1.SectionName {
	names := make([]gatewayv1.SectionName, n)
	for i := range names {
		names[i] = gatewayv1.SectionName(fmt.Sprintf("l%02d", i))
	}
	return names
}

func TestHalvingFindsJustTheBadOnes(t *testing.T) {
	for seed := range uint64(500) {
		random := rand.New(rand.NewPCG(seed, 0))
		changes := numbered(1 + random.IntN(64))
		bad := map[gatewayv1.SectionName]string{}
		for range random.IntN(4) {
			bad[changes[random.IntN(len(changes))]] = "no"
		}
		h := ask(changes, bad)
		got, err := h.run()
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if len(got.accepted) != len(changes)-len(bad) {
			t.Fatalf("seed %d: %d of %d accepted, want all but %d", seed, len(got.accepted), len(changes), len(bad))
		}
		if diff := cmp.Diff(bad, got.refused); diff != "" {
			t.Fatalf("seed %d: refused (-want +got):\n%s", seed, diff)
		}
		most := 1 + len(bad)*(2*int(math.Ceil(math.Log2(float64(len(changes)))))+1)
		if h.tries > most {
			t.Errorf("seed %d: %d questions for %d of %d, want at most %d", seed, h.tries, len(bad), len(changes), most)
		}
	}
}

// A listener that moves to a port which another leaves in the same plan is
// refused when it is asked for first.
func TestHalvingAsksAgainForWhatNeededAnother(t *testing.T) {
	h := &halving{changes: numbered(4)}
	h.accepts = func(only map[gatewayv1.SectionName]bool) (string, error) {
		has := func(i int) bool { return only[h.changes[i]] }
		if has(0) && !has(3) || has(1) {
			return "no", nil
		}
		return "", nil
	}
	got, err := h.run()
	want := map[gatewayv1.SectionName]string{"l01": "no"}
	if err != nil || !cmp.Equal(got.refused, want) {
		t.Errorf("refused = %v, %v; want %v", got.refused, err, want)
	}
}

func TestHalvingStopsWhereItCannotTell(t *testing.T) {
	failed := errors.New("connection refused")
	h := &halving{changes: numbered(8), accepts: func(map[gatewayv1.SectionName]bool) (string, error) { return "", failed }}
	if got, err := h.run(); !errors.Is(err, failed) || got.refused != nil {
		t.Errorf("run = %v, %v; want only the error", got, err)
	}
}

func TestHalvingGivesUpOnACertificateAndNotOnTheOthers(t *testing.T) {
	changes := numbered(60)
	bad := map[gatewayv1.SectionName]string{}
	for _, name := range changes[:50] {
		bad[name] = "no"
	}
	h := ask(changes, bad)
	for _, name := range changes[:50] {
		h.whose[name] = types.NamespacedName{Name: "evil"}
	}
	got, err := h.run()
	if err != nil || len(got.refused) != plan.MaxRefusedFor || len(got.accepted) != 10 {
		t.Errorf("%d refused and %d accepted, %v; want %d and 10", len(got.refused), len(got.accepted), err, plan.MaxRefusedFor)
	}
	if h.tries > maxDryRuns {
		t.Errorf("%d questions, want at most %d", h.tries, maxDryRuns)
	}
}

func TestHalvingAsksOnlySoMuch(t *testing.T) {
	changes := numbered(64)
	bad := map[gatewayv1.SectionName]string{}
	for _, name := range changes {
		bad[name] = "no"
	}
	h := ask(changes, bad)
	if _, err := h.run(); err != nil || h.tries > maxDryRuns {
		t.Errorf("%d questions, %v; want at most %d", h.tries, err, maxDryRuns)
	}
}
