package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

const authExample = "../../knative/examples/auth"

// start runs the process until the test ends and returns its URL.
func start(t *testing.T, kubeconfig, settings string) string {
	t.Helper()
	t.Setenv("KUBECONFIG", kubeconfig)
	t.Setenv("PORT", "127.0.0.1:0")
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	log, logs := io.Pipe()
	done := make(chan int, 1)
	go func() { done <- command(ctx, []string{"-config", settings}, io.Discard, logs); _ = logs.Close() }()
	var line struct{ Msg, Address string }
	if err := json.NewDecoder(log).Decode(&line); err != nil || line.Msg != "listening" {
		t.Fatalf("the first line is %+v, %v; want listening", line, err)
	}
	go func() { _, _ = io.Copy(io.Discard, log) }()
	t.Cleanup(func() {
		stop()
		if code := <-done; code != 0 {
			t.Errorf("exit code = %d, want 0", code)
		}
	})
	return "http://" + line.Address
}

// ping sends a sweep event with a token, or without if it is empty.
func ping(t *testing.T, url, token string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, http.NoBody)
	namespace.Must(t, err)
	for name, value := range map[string]string{"Id": "1", "Specversion": "1.0", "Source": "/test", "Type": "dev.knative.sources.ping"} {
		request.Header.Set("Ce-"+name, value)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := (&http.Client{Timeout: 20 * time.Second}).Do(request)
	namespace.Must(t, err)
	_ = response.Body.Close()
	return response.StatusCode
}

func TestWithoutTheAPIServerNobodyIsHeardAndSendersComeAgain(t *testing.T) {
	url := start(t, kubeconfig(t, nowhere), filepath.Join(authExample, "config.yaml"))
	for token, want := range map[string]int{"": http.StatusUnauthorized, "a.b.c": http.StatusServiceUnavailable} {
		if got := ping(t, url, token); got != want {
			t.Errorf("with token %q status = %d, want %d", token, got, want)
		}
	}
	response, err := http.Get(url + "/healthz")
	namespace.Must(t, err)
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("GET /healthz = %d, want 200", response.StatusCode)
	}
}

// guarded is what knative/examples/auth makes of a cluster: its objects, and the
// process with its settings and its account's rights.
type guarded struct {
	t      *testing.T
	assets controlplane.Assets
	plane  *controlplane.ControlPlane
	admin  string // kubeconfig
	url    string
}

func newGuarded(t *testing.T) *guarded {
	t.Helper()
	assets, err := controlplane.Locate()
	namespace.Must(t, err)
	plane, err := controlplane.Start(t.Context(), controlplane.Options{Assets: assets})
	namespace.Must(t, err)
	t.Cleanup(func() { namespace.Must(t, plane.Stop()) })
	g := &guarded{t: t, assets: assets, plane: plane, admin: filepath.Join(t.TempDir(), "kubeconfig")}
	namespace.Must(t, plane.WriteKubeconfig(g.admin))
	g.kubectl("apply", "-k", authExample)
	g.url = start(t, g.accountKubeconfig("gateway-cert-handler"), filepath.Join(authExample, "config.yaml"))
	return g
}

func (g *guarded) kubectl(args ...string) []byte {
	g.t.Helper()
	kubectl := exec.CommandContext(g.t.Context(), g.assets.Kubectl(), args...)
	kubectl.Env = append(os.Environ(), "KUBECONFIG="+g.admin)
	out, err := kubectl.CombinedOutput()
	if err != nil {
		g.t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func (g *guarded) accountKubeconfig(account string) string {
	g.t.Helper()
	path := filepath.Join(g.t.TempDir(), account)
	namespace.Must(g.t, g.plane.ServiceAccountKubeconfig(g.t.Context(), "gateway-cert", account, path))
	return path
}

// adapterEnvironment is that of the ContainerSource, with the sink that Knative
// would fill in.
func (g *guarded) adapterEnvironment() []corev1.EnvVar {
	g.t.Helper()
	var env []corev1.EnvVar
	namespace.Must(g.t, json.Unmarshal(g.kubectl("get", "containersource", "gateways", "-n", "gateway-cert",
		"-o", "jsonpath={.spec.template.spec.containers[0].env}"), &env))
	return append(env, corev1.EnvVar{Name: "K_SINK", Value: g.url})
}

// Row D14 of the list of cases. The rights are those of the manifests, for both
// accounts, and the adapter is Knative's own. For an expired token stands one of a
// deleted account: the API server issues none that expires within a test.
func TestTheExampleOfAuthenticationHearsItsAdapterAndNobodyElse(t *testing.T) {
	g := newGuarded(t)
	settings, err := config.Load(filepath.Join(authExample, "config.yaml"))
	namespace.Must(t, err)
	audience := settings.Authentication.Audience
	account := func(name string) *namespace.Account {
		return namespace.ExistingAccount(t, g.plane.Config(), "gateway-cert", name)
	}
	user := namespace.New(t, g.plane.Config())
	gone := user.CreateAccount(g.plane.Config(), "gone")
	ofGone := gone.Token(time.Hour, audience)
	gone.Delete()
	for name, tc := range map[string]struct {
		token string
		want  int
	}{
		"no token":                 {"", http.StatusUnauthorized},
		"garbage":                  {"garbage", http.StatusUnauthorized},
		"a token for another sink": {account("gateway-cert-source").Token(time.Hour, "another"), http.StatusUnauthorized},
		"a token of nobody":        {ofGone, http.StatusUnauthorized},
		"a token of another":       {account("gateway-cert-handler").Token(time.Hour, audience), http.StatusForbidden},
		"a token of the source":    {account("gateway-cert-source").Token(time.Hour, audience), http.StatusNoContent},
	} {
		if got := ping(t, g.url, tc.token); got != tc.want {
			t.Errorf("%s: status = %d, want %d", name, got, tc.want)
		}
	}

	g.startAdapter(t)
	user.CreateCertificate("app", "edge", "app.example.com")
	user.CreateGateway("edge", nil) // of this the adapter tells
	err = wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, 20*time.Second, true, func(context.Context) (bool, error) {
		return len(user.Gateway("edge").Spec.Listeners) == 2, nil
	})
	if err != nil {
		t.Errorf("the adapter's event did nothing: the Gateway has %d listeners, want 2", len(user.Gateway("edge").Spec.Listeners))
	}
}
