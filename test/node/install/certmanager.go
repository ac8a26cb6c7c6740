package install

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

const certManagerNamespace = "cert-manager"

//go:embed certmanager.yaml
var certManagerDeployment string

// certManager is the accounts, rights and issuers that package test/peers gives
// cert-manager, and a Deployment of it. Traefik stays out: nothing here serves
// Gateways.
func certManager(root string) ([]document, error) {
	documents, err := readPath(filepath.Join(root, "test", "peers", "cluster.yaml"))
	if err != nil {
		return nil, fmt.Errorf("read cert-manager's manifests: %w", err)
	}
	documents = slices.DeleteFunc(documents, func(d document) bool {
		return d.GetName() == "traefik" || d.GetNamespace() == "traefik"
	})
	deployment, err := parse(strings.NewReader(certManagerDeployment))
	if err != nil {
		return nil, fmt.Errorf("read cert-manager's Deployment: %w", err)
	}
	return append(documents, deployment...), nil
}
