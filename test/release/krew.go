package main

import (
	"fmt"

	"sigs.k8s.io/yaml"
)

// krewName is the plugin's, with "-" where its file has "_"; krew wants the
// manifest to be called after it.
const krewName = "gateway-cert"

// krewPlugin is krew's manifest of a plugin, as far as it is needed here
// (sigs.k8s.io/krew, pkg/index, Plugin).
type krewPlugin struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Metadata   map[string]string `json:"metadata"`
	Spec       krewSpec          `json:"spec"`
}

type krewSpec struct {
	Version          string         `json:"version"`
	Homepage         string         `json:"homepage"`
	ShortDescription string         `json:"shortDescription"`
	Description      string         `json:"description"`
	Platforms        []krewPlatform `json:"platforms"`
}

type krewPlatform struct {
	Selector krewSelector `json:"selector"`
	URI      string       `json:"uri"`
	SHA256   string       `json:"sha256"`
	Bin      string       `json:"bin"`
}

type krewSelector struct {
	MatchLabels map[string]string `json:"matchLabels"`
}

func (r release) writeKrew(platforms []krewPlatform) error {
	text, err := yaml.Marshal(krewPlugin{
		APIVersion: "krew.googlecontainertools.github.com/v1alpha2",
		Kind:       "Plugin",
		Metadata:   map[string]string{"name": krewName},
		Spec: krewSpec{
			Version:          r.version,
			Homepage:         "https://gateway-cert-operator.io/" + product,
			ShortDescription: "Why a Gateway has a Certificate's listeners or not",
			Description: "Shows what gateway-cert-handler would change on Gateways, why a hostname\n" +
				"is served or not, and what hangs on a Gateway, judged by the handler's own\n" +
				"rules and with your own rights. Reads only, but for migrate --apply.\n",
			Platforms: platforms,
		},
	})
	if err != nil {
		return fmt.Errorf("write krew's manifest: %w", err)
	}
	return r.save(krewName+".yaml", text)
}
