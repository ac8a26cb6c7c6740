package peers

import (
	"context"
	"io"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
)

// programsDir is the nested module of both.
const programsDir = "test/peers/programs"

var (
	certManager = controlplane.Tool{
		Name:     "cert-manager",
		Dir:      programsDir,
		Module:   "github.com/cert-manager/cert-manager",
		Package:  "./certmanager",
		Estimate: "4 minutes",
	}
	traefik = controlplane.Tool{
		Name:     "traefik",
		Dir:      programsDir,
		Module:   "github.com/traefik/traefik/v3",
		Package:  "./traefik",
		Estimate: "1 minute",
	}
)

// Programs are the paths of what Build makes.
type Programs struct{ CertManager, Traefik string }

// Build makes the programs that are not in the cache yet. One line per step goes
// to progress. When ctx ends, the build stops and what was finished stays.
func Build(ctx context.Context, progress io.Writer) (programs Programs, err error) {
	if programs.CertManager, err = certManager.Build(ctx, progress); err != nil {
		return Programs{}, err
	}
	if programs.Traefik, err = traefik.Build(ctx, progress); err != nil {
		return Programs{}, err
	}
	return programs, nil
}
