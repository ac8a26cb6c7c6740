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
	// Static links the C library in: the program then runs in an image that has
	// none. It is not built without cgo, so that what is compiled already for other
	// programs can be used.
	Static bool
	// Kubernetes tells the program the version of its module as that of
	// Kubernetes.
	Kubernetes bool
}

// Build makes the program if it is not in the cache yet and returns its path.
// In everything else it is as the function [Build].
func (t Tool) Build(ctx context.Context, progress io.Writer) (path string, err error) {
	source, err := sourceDir(ctx)
	if err != nil {
		return "", err
	}
	base, err := CacheDir()
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
	version := versions[t.Module]
	ldflags := stripped
	if t.Kubernetes {
		ldflags = versionFlags(version)
	}
	if t.Static {
		ldflags += " -linkmode=external -extldflags=-static"
	}
	hash := sha256.New()
	fmt.Fprintln(hash, tools, t.Package, buildFlags, ldflags)
	if err := hashInputs(hash, dir); err != nil {
		return target{}, fmt.Errorf("hash the build inputs in %s: %w", dir, err)
	}
	return target{
		name:     t.Name,
		estimate: t.Estimate,
		dir:      filepath.Join(base, t.Name, version+"-"+hex.EncodeToString(hash.Sum(nil))[:keyDigits]),
		programs: []program{{name: t.Name, version: version, dir: dir, pkg: t.Package, ldflags: ldflags}},
	}, nil
}
