package trust_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/config/trust"
)

func TestSourcesResolveToTheCanonicalFormOfTheirUnion(t *testing.T) {
	m := mount(t, authorities(t, "c", "b"))
	sources := trust.Sources{trust.PEM("K_CA_CERTS", authorities(t, "b", "a")), trust.File(m.path()), trust.PEM("empty", "")}
	got, err := sources.Resolve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := parse(t, authorities(t, "a", "b", "c")).PEM(); string(got) != string(want) {
		t.Errorf("resolved to\n%s\nwant\n%s", got, want)
	}
}

func TestNoSourcesAndEmptySourcesAddNothing(t *testing.T) {
	for name, sources := range map[string]trust.Sources{"none": nil, "empty": {trust.PEM("a", ""), trust.PEM("b", "\n")}} {
		if got, err := sources.Resolve(t.Context()); err != nil || len(got) > 0 {
			t.Errorf("%s: Resolve = %q, %v", name, got, err)
		}
	}
}

// broken is a source that cannot be read now.
type broken struct{ err error }

func (b broken) Resolve(context.Context) (trust.Bundle, error) { return trust.Bundle{}, b.err }

func TestOneSourceThatCannotBeUsedVoidsTheUnion(t *testing.T) {
	good := trust.PEM("good", authority(t, "a"))
	missing := trust.File(filepath.Join(t.TempDir(), "missing"))
	away := broken{&trust.TransientError{Source: "away", Err: errors.New("nobody answers")}}
	for name, tc := range map[string]struct {
		sources trust.Sources
		check   func(*testing.T, error, ...string)
		says    string
	}{
		"malformed, first": {trust.Sources{trust.PEM("K_CA_CERTS", "junk"), good}, wantConfigError, "K_CA_CERTS: line 1, before the first block: "},
		"malformed, last":  {trust.Sources{good, trust.PEM("K_CA_CERTS", "junk")}, wantConfigError, "K_CA_CERTS: "},
		"missing":          {trust.Sources{good, missing}, wantConfigError, "file " + string(missing)},
		"away":             {trust.Sources{good, away, good}, wantTransientError, "resolve trusted authorities: away: nobody answers"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tc.sources.Resolve(t.Context())
			tc.check(t, err, tc.says)
			if got != nil {
				t.Errorf("there is a union all the same: %q", got)
			}
		})
	}
}

func TestSourcesThatTogetherAreTooLargeAreRefused(t *testing.T) {
	sources := trust.Sources{trust.PEM("a", heavy(t, "a", 200<<10)), trust.PEM("b", heavy(t, "b", 200<<10))}
	_, err := sources.Resolve(t.Context())
	wantConfigError(t, err, "all sources together: the bundle is larger than 512 KiB")
}
