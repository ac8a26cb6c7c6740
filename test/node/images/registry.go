package images

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// Spec says what a registry serves.
type Spec struct {
	// Blobs is a directory for the layers.
	Blobs string
	// Programs and Layouts are paths of programs and of OCI layouts to serve, by
	// the name of their repository.
	Programs, Layouts map[string]string
	// References is a file that is written once all can be pulled: the images'
	// references with their digests, as a JSON object by repository.
	References string
}

// Serve makes the images and serves them until ctx ends; it closes the listener,
// whose address is the first part of the images' names. Nobody can push.
func Serve(ctx context.Context, listener net.Listener, spec Spec) error {
	defer listener.Close()
	if err := os.MkdirAll(spec.Blobs, 0o700); err != nil {
		return fmt.Errorf("make a directory for layers: %w", err)
	}
	handler := registry.New(registry.Logger(log.New(io.Discard, "", 0)), registry.WithBlobHandler(registry.NewDiskBlobHandler(spec.Blobs)))
	digests, err := fill(ctx, handler, spec)
	if err != nil {
		return err
	}
	references := map[string]string{}
	for repository, digest := range digests {
		references[repository] = listener.Addr().String() + "/" + repository + "@" + digest
	}
	if err := write(spec.References, references); err != nil {
		return err
	}
	server := &http.Server{Handler: readOnly(handler), ReadHeaderTimeout: 5 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve images: %w", err)
	}
	return nil
}

// fill pushes what spec names by a listener that only this network namespace
// reaches, and returns the digests.
func fill(ctx context.Context, handler http.Handler, spec Spec) (map[string]string, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for pushes: %w", err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	go server.Serve(listener) //nolint:errcheck // it ends by Close
	defer server.Close()

	digests := map[string]string{}
	for repository, image := range all(spec) {
		made, err := image()
		if err != nil {
			return nil, fmt.Errorf("make the image %s: %w", repository, err)
		}
		digests[repository], err = push(ctx, made, listener.Addr().String()+"/"+repository)
		if err != nil {
			return nil, fmt.Errorf("push the image %s: %w", repository, err)
		}
	}
	return digests, nil
}

// all yields how to make each image, in the order of their names.
func all(spec Spec) func(yield func(string, func() (v1.Image, error)) bool) {
	return func(yield func(string, func() (v1.Image, error)) bool) {
		for _, repository := range slices.Sorted(maps.Keys(spec.Programs)) {
			if !yield(repository, func() (v1.Image, error) { return ofProgram(spec.Programs[repository]) }) {
				return
			}
		}
		for _, repository := range slices.Sorted(maps.Keys(spec.Layouts)) {
			if !yield(repository, func() (v1.Image, error) { return ofLayout(spec.Layouts[repository]) }) {
				return
			}
		}
	}
}

func push(ctx context.Context, image v1.Image, repository string) (digest string, err error) {
	tag, err := name.NewTag(repository + ":latest")
	if err != nil {
		return "", err
	}
	if err := remote.Write(tag, image, remote.WithContext(ctx)); err != nil {
		return "", err
	}
	hash, err := image.Digest()
	return hash.String(), err
}

// write makes the file appear only once it is whole.
func write(path string, references map[string]string) error {
	text, err := json.Marshal(references)
	if err != nil {
		return fmt.Errorf("write the images' references: %w", err)
	}
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return fmt.Errorf("write the images' references: %w", err)
	}
	return os.Rename(path+".new", path)
}

func readOnly(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.Error(w, "images are made when the node starts", http.StatusMethodNotAllowed)
			return
		}
		handler.ServeHTTP(w, r)
	})
}
