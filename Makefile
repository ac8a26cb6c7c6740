# GNU make. "make help" lists what there is.

# Versions of tools that are not in go.mod.
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

KO := github.com/google/ko@v0.19.1

KREW := sigs.k8s.io/krew
KREW_VERSION := v0.5.0

# gRPC comes with OpenTelemetry's exporters, and with it html/template, which calls
# methods by name: the linker then keeps every method there is. This tag
# leaves gRPC's debug pages out, which nobody here serves.
TAGS := grpcnotrace

# Generous: the API server tests of all packages share the machine.
TEST_TIMEOUT ?= 20m

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: ## Try it out: a real API server, Knative's adapter, the handler and a sample (ONCE=1 ends when it has converged, TRACES=jaeger starts Jaeger too, FULL=1 cert-manager and Traefik)
	@echo "compiling the demonstration (minutes the first time, seconds later)"
	@go build -o bin/run ./test/run && exec bin/run

.PHONY: test
test: control-plane ## Run all tests, with the race detector
	go test -race -count=1 -timeout $(TEST_TIMEOUT) ./...
	go test -race -count=1 -timeout $(TEST_TIMEOUT) -tags rules -run Rules ./cmd/gateway-cert-handler

# A minor version of Kubernetes that test/controlplane has a module for.
KUBERNETES ?= 1.34

.PHONY: test-compat
test-compat: control-plane ## Run the tests that ask an API server on another KUBERNETES (1.34), which is built first (minutes, once per version)
	@directory="$$(go run ./test/controlplane/cmd/controlplane -kubernetes $(KUBERNETES))" && \
		packages="$$(go list -f '{{.ImportPath}} {{join .TestImports " "}} {{join .XTestImports " "}}' ./... | awk '/test\/(controlplane|stack)( |$$)/ {print $$1}')" && \
		KUBEBUILDER_ASSETS="$$directory" go test -race -count=1 -timeout $(TEST_TIMEOUT) $$packages

.PHONY: test-jaeger
test-jaeger: control-plane ## Test that traces arrive in a real Jaeger, which is built first (minutes, once per version)
	@echo "compiling the builder (minutes the first time, seconds later)" >&2
	@program="$$(go run ./test/jaeger/cmd/jaeger)" && \
		JAEGER_BINARY="$$program" go test -race -count=1 -timeout $(TEST_TIMEOUT) ./test/jaeger

.PHONY: test-knative
test-knative: control-plane ## Test with Knative's own controllers and queue-proxy, which are built first (minutes, once per version)
	@echo "compiling the builder (minutes the first time, seconds later)" >&2
	@go run ./test/knative/cmd/knative
	KNATIVE_TESTS=1 go test -race -count=1 -timeout $(TEST_TIMEOUT) ./test/knative/...

.PHONY: handshake
handshake: control-plane ## Test the whole path, from a Certificate to a TLS client; cert-manager and Traefik are built first (minutes, once per version)
	@echo "compiling the builder (minutes the first time, seconds later)" >&2
	@go run ./test/peers/cmd/peers
	HANDSHAKE=1 go test -race -count=1 -timeout $(TEST_TIMEOUT) -v ./test/handshake

.PHONY: bench
bench: control-plane ## Run all benchmarks
	go test -run '^$$' -bench . -timeout $(TEST_TIMEOUT) ./...

FUZZTIME ?= 60s
# Go would spend up to a minute on making one find smaller.
FUZZMINIMIZETIME ?= 1s

.PHONY: fuzz
fuzz: ## Run each fuzz test for FUZZTIME (60s)
	@for package in ./cmd/kubectl-gateway_cert/deliver ./config ./config/outbound ./config/rules ./config/telemetry ./config/trust ./handler ./handler/outcomes ./reconcile/plan; do \
		for name in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			echo "$$package $$name"; \
			go test -run '^$$' -fuzz "^$$name$$" -fuzztime $(FUZZTIME) -fuzzminimizetime $(FUZZMINIMIZETIME) $$package || exit 1; \
		done; \
	done

COMMA := ,

# Set to 1 for a handler that takes rules in its settings (docs/settings.md).
RULES ?=

.PHONY: build
build: ## Build bin/gateway-cert-handler (RULES=1: with rules) and the kubectl plugin bin/kubectl-gateway_cert
	go build -tags $(TAGS)$(if $(RULES),$(COMMA)rules) -trimpath -o bin/ ./cmd/...
	ln -sf kubectl-gateway_cert bin/kubectl_complete-gateway_cert

# In MB, of the handler without rules.
MOST ?= 26

.PHONY: size
size: ## Show what rules add to the handler, and fail if it is larger than MOST (26 MB) without
	@directory="$$(mktemp -d)" && trap 'rm -r "$$directory"' EXIT && \
		export CGO_ENABLED=0 && \
		go build -tags $(TAGS) -trimpath -ldflags='-s -w' -o "$$directory/without" ./cmd/gateway-cert-handler && \
		go build -trimpath -ldflags='-s -w' -tags $(TAGS),rules -o "$$directory/with" ./cmd/gateway-cert-handler && \
		go run ./test/size -most $(MOST) "$$directory/without" "$$directory/with"

# Another base than ours, such as gcr.io/distroless/static:nonroot, which ko pulls.
# The image runs as the base's user: a number, and not 0.
IMAGE_BASE ?=

# Where the image is written. What is there before is removed.
IMAGE_OUTPUT := bin/image

.PHONY: image
image: ## Build the image into bin/image, without a registry or Docker (ko is compiled first: minutes; IMAGE_BASE= for another base)
	rm -rf $(IMAGE_OUTPUT)
	$(if $(IMAGE_BASE),,cd test/image && go build -o ../../bin/withbase ./cmd/withbase)
	$(if $(IMAGE_BASE),KO_DEFAULTBASEIMAGE=$(IMAGE_BASE),bin/withbase) go run $(KO) build --push=false --oci-layout-path=$(IMAGE_OUTPUT)/layout --sbom-dir=$(IMAGE_OUTPUT)/sbom ./cmd/gateway-cert-handler

.PHONY: test-image
test-image: image ## Test what is in the image
	cd test/image && IMAGE_DIRECTORY=$(CURDIR)/bin/image go test -count=1 ./...

# What a release is called, where clusters pull its image, and where people load
# its files down. docs/release.md has examples.
VERSION ?= $(shell git describe --tags --match 'v[0-9]*' --dirty 2>/dev/null || echo v0.0.0-g$$(git rev-parse --short HEAD))
IMAGE ?= registry.example.com/gateway-cert-handler
DOWNLOAD ?= https://releases.example.com/gateway-cert-handler/$(VERSION)

PLATFORMS := darwin/amd64 darwin/arm64 linux/amd64 linux/arm64

.PHONY: release
release: export RELEASED_VERSION := $(VERSION)
# What Git says of the tree would make other programs of the same source.
release: export GOFLAGS := $(GOFLAGS) -buildvcs=false
release: image ## Build what a release has into bin/release: image, manifests, plugin, checksums (VERSION=, IMAGE=, DOWNLOAD=)
	rm -rf bin/release bin/plugins
	@for platform in $(PLATFORMS); do \
		echo "the plugin for $$platform" >&2; \
		CGO_ENABLED=0 GOOS=$${platform%/*} GOARCH=$${platform#*/} go build -tags $(TAGS) -trimpath \
			-ldflags='-s -w -X gateway-cert-operator.io/gateway-cert-handler/cmd/version.released=$(VERSION)' \
			-o bin/plugins/$$platform/kubectl-gateway_cert ./cmd/kubectl-gateway_cert || exit 1; \
	done
	go run ./test/release -version $(VERSION) -image $(IMAGE) -download $(DOWNLOAD)

.PHONY: test-release
test-release: ## Test what make release has built, also by krew, which installs the plugin of this machine's platform
	RELEASE_DIRECTORY=$(CURDIR)/bin/release go test -count=1 ./test/release
	go run $(KREW)/cmd/validate-krew-manifest@$(KREW_VERSION) -manifest bin/release/gateway-cert.yaml -skip-install
	@root="$$(mktemp -d)" && trap 'rm -r "$$root"' EXIT && \
		KREW_ROOT="$$root" go run $(KREW)/cmd/krew@$(KREW_VERSION) install --manifest=bin/release/gateway-cert.yaml \
			--archive=$$(echo bin/release/kubectl-gateway_cert-*-$$(go env GOOS)-$$(go env GOARCH).tar.gz) && \
		"$$root/bin/kubectl-gateway_cert" --version

.PHONY: control-plane
control-plane: ## Build etcd, kube-apiserver, kubectl and Knative's adapter once per version; the last line is their directory
	@echo "compiling the builder (minutes the first time, seconds later)" >&2
	@go run ./test/controlplane/cmd/controlplane

.PHONY: jaeger
jaeger: ## Build Jaeger once per version; the last line is its path
	@echo "compiling the builder (minutes the first time, seconds later)" >&2
	@go run ./test/jaeger/cmd/jaeger

# The node's starter and what it brings along; in pods there is no C library.
.PHONY: node-programs
node-programs:
	@echo "compiling the node's starter (minutes the first time, seconds later)" >&2
	@cd test/node && go build -o ../../bin/node/ ./cmd/cluster ./ingress && \
		CGO_ENABLED=0 go build -o ../../bin/node/ ./cmd/idle

.PHONY: cluster
cluster: node-programs ## Start a real Kubernetes node with Knative and the handler on it (root; built first, half an hour, once per version)
	@bin/node/cluster possible
	@$(MAKE) --no-print-directory image
	@bin/node/cluster up

.PHONY: cluster-down
cluster-down: node-programs ## Remove that node, and all that it has left
	@bin/node/cluster down

.PHONY: test-node
test-node: ## Test what the node is made of, without starting one
	cd test/node && go test -count=1 -timeout $(TEST_TIMEOUT) ./...
	cd test/node/operator && go test -trimpath -count=1 -timeout $(TEST_TIMEOUT) ./...

.PHONY: e2e-zero
e2e-zero: ## Test on such a node that the handler sleeps at zero pods, wakes and loses nothing, and measure it (root)
	@$(MAKE) --no-print-directory cluster && \
		trap 'exit 130' INT TERM && trap '$(MAKE) --no-print-directory cluster-down || exit 1' EXIT && \
		(cd test/node && NODE=1 go test -count=1 -timeout 90m -v ./zero)

# The nested modules that have source of ours: test/layering holds this list.
NESTED := test/controlplane/eventing test/image test/knative/serving test/node test/node/coredns test/node/operator test/peers/programs test/peers/programs/ext

.PHONY: lint
lint: lint-main lint-nested ## Check formatting, go vet and staticcheck

.PHONY: lint-main
lint-main:
	@unformatted=$$("$$(go env GOROOT)/bin/gofmt" -l .) && if [ -n "$$unformatted" ]; then \
		printf 'gofmt would change these files, run gofmt -w on them:\n%s\n' "$$unformatted"; exit 1; fi
	go vet ./...
	go vet -tags rules ./cmd/gateway-cert-handler
	go run $(STATICCHECK) ./...
	go run $(STATICCHECK) -tags rules ./cmd/gateway-cert-handler

.PHONY: lint-nested
lint-nested: # in the modules below, of which each brings hundreds of others
	@# With the flag that their programs are built with, nothing is compiled twice.
	@for module in $(NESTED); do \
		echo "go vet and staticcheck in $$module"; \
		(cd $$module && go vet -trimpath ./... && go run -exec 'env GOFLAGS=-trimpath' $(STATICCHECK) ./...) || exit 1; \
	done
