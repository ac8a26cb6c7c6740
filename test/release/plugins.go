package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// pluginProgram is what kubectl and krew call "gateway-cert".
const pluginProgram = "kubectl-gateway_cert"

// platforms are those that the plugin is published for, as Go and krew name them.
var platforms = []struct{ os, arch string }{
	{"darwin", "amd64"},
	{"darwin", "arm64"},
	{"linux", "amd64"},
	{"linux", "arm64"},
}

// writePlugins writes an archive for each platform and returns what krew is to
// know of them.
func (r release) writePlugins() ([]krewPlatform, error) {
	text, err := os.ReadFile(filepath.Join(r.source, license))
	if err != nil {
		return nil, fmt.Errorf("read the license: %w", err)
	}
	var written []krewPlatform
	for _, p := range platforms {
		program, err := os.ReadFile(filepath.Join(r.built, "plugins", p.os, p.arch, pluginProgram))
		if err != nil {
			return nil, fmt.Errorf("read the plugin for %s/%s: %w", p.os, p.arch, err)
		}
		archive, err := tarGzOf([]file{{name: pluginProgram, content: program, executable: true}, {name: license, content: text}})
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("%s-%s-%s-%s.tar.gz", pluginProgram, r.version, p.os, p.arch)
		if err := r.save(name, archive); err != nil {
			return nil, err
		}
		written = append(written, krewPlatform{
			Selector: krewSelector{MatchLabels: map[string]string{"os": p.os, "arch": p.arch}},
			URI:      r.download + "/" + name,
			SHA256:   checksum(archive),
			Bin:      pluginProgram,
		})
	}
	return written, nil
}
