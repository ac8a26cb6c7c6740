package controlplane

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
)

// Tool is a program that some tests need beside the control plane. It is built
// in the same way, once per version, into the same cache.
type Tool struct {
	// Name is the name of the program's file, and of its part of the cache.
	Name string
	// Dir is the nested module that it is built in, below the project's root.
	Dir string
	// Module is the module that it comes from; Dir requires it.
	Module string
	// Package is the import path of its main package.
	Package string
	// Estimate says how long the first build takes on two cores, for people.
	Estimate string
}

// Build makes the program if it is not in the cache yet and returns its path.
// In everything else it is as the function [Build].
func (t Tool) Build(ctx context.Context, progress io.Writer) (path string, err error) {
	source, err := sourceDir(ctx)
	if err != nil {
		return "", err
	}
	base, err := cacheDir()
	if err != nil {
		return "", err
	}
	target, err := t.target(ctx, filepath.Join(source, "..", "..", filepath.FromSlash(t.Dir)), base)
	if err != nil {
		return "", err
	}
	if err := target.ensure(ctx, progress); err != nil {
		return "", err
	}
	return filepath.Join(target.dir, t.Name), nil
}

// target returns what is to be built in the module in dir, below the cache base.
func (t Tool) target(ctx context.Context, dir, base string) (target, error) {
	versions := map[string]string{}
	if err := readVersions(versions, dir, t.Module); err != nil {
		return target{}, err
	}
	tools, err := toolchain(ctx, dir)
	if err != nil {
		return target{}, err
	}
	hash := sha256.New()
	fmt.Fprintln(hash, tools, t.Package, buildFlags, stripped)
	if err := hashInputs(hash, dir); err != nil {
		return target{}, fmt.Errorf("hash the build inputs in %s: %w", dir, err)
	}
	version := versions[t.Module]
	return target{
		name:     t.Name,
		estimate: t.Estimate,
		dir:      filepath.Join(base, t.Name, version+"-"+hex.EncodeToString(hash.Sum(nil))[:keyDigits]),
		programs: []program{{name: t.Name, version: version, dir: dir, pkg: t.Package, ldflags: stripped}},
	}, nil
}
