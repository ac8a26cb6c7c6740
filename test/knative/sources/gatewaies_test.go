package sources

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
	"gateway-cert-operator.io/gateway-cert-handler/test/knative"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
	"gateway-cert-operator.io/gateway-cert-handler/test/recording"
	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

// upstreamSection is the part of docs/upstream.md that the test below does as it is
// written. Where that fails because Knative has come to watch Gateways, the section
// says what can go.
const upstreamSection = "## Knative cannot watch Gateways by an ApiServerSource"

// blocks returns the code blocks of upstreamSection in a language, in their order.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	page, err := os.ReadFile("../../../docs/upstream.md")
	namespace.Must(t, err)
	_, section, found := strings.Cut(string(page), upstreamSection)
	if !found {
		t.Fatalf("docs/upstream.md has no %q", upstreamSection)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var texts []string
	for _, block := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(section, -1) {
		texts = append(texts, block[1])
	}
	return texts
}

// The page makes the source, asks why it is not Ready, gives it the right, and takes
// all away again.
func TestAnApiServerSourceCannotWatchGatewaysAsTheUpstreamPageShows(t *testing.T) {
	knative.Need(t)
	commands, answers := blocks(t, "sh"), blocks(t, "text")
	if len(commands) != 4 || len(answers) != 2 {
		t.Fatalf("the page has %d commands and %d answers, not the 4 and 2 that are known here", len(commands), len(answers))
	}
	end := newEnd(t)
	shell := &shell{dir: t.TempDir()}
	shell.run(t, strings.Replace(commands[0], nobody, end.URL, 1))
	shell.expect(t, commands[1], strings.TrimSpace(answers[0]))

	shell.run(t, commands[2])
	deployment, err := system.adapterOf(t.Context(), "gatewaies")
	namespace.Must(t, err)
	log := startSilentAdapter(t, deployment)
	expectLine(t, log, strings.TrimSpace(answers[1]))
	namespace.Must(t, system.available(t.Context(), deployment))
	_, err = system.Kubectl(t.Context(), "", "-n", stack.Namespace, "wait", "apiserversource/gatewaies",
		"--for=condition=Ready", "--timeout="+patience.String())
	namespace.Must(t, err)
	expectSilence(t, end)
	shell.run(t, commands[3])
}

// nobody is the sink that the page writes.
const nobody = "http://nobody.invalid"

// startSilentAdapter runs the adapter of a Deployment, of which nobody can wait until
// it watches, and returns its log.
func startSilentAdapter(t *testing.T, deployment *appsv1.Deployment) *recording.Log {
	t.Helper()
	container, kubeconfig, err := system.schedule(t.Context(), deployment, adapterImage)
	namespace.Must(t, err)
	log := &recording.Log{}
	_, err = controlplane.StartAdapter(t.Context(), controlplane.AdapterOptions{
		Assets: system.assets, Kubeconfig: kubeconfig, Env: container.Env, Namespace: deployment.Namespace, Output: log,
	})
	namespace.Must(t, err)
	return log
}

func expectLine(t *testing.T, log *recording.Log, want string) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), pollEach, patience, true, func(context.Context) (bool, error) {
		return strings.Contains(log.String(), want), nil
	})
	if err != nil {
		t.Fatalf("after %s the adapter has not said %q but\n%s", patience, want, log.String())
	}
}

// expectSilence makes a Gateway, of which the ContainerSource tells and end hears
// nothing.
func expectSilence(t *testing.T, end *sink) {
	t.Helper()
	in := namespace.Existing(t, system.Config(), stack.Namespace)
	in.CreateGateway("silent", nil)
	t.Cleanup(func() { namespace.Must(t, in.Gateways.Delete(system.ctx, "silent", metav1.DeleteOptions{})) })
	system.sink.expect(t, "event of the Gateway from the ContainerSource", func(e sent) bool {
		return e.Kind == "Gateway" && e.Namespace == stack.Namespace && e.Name == "silent"
	})
	if got := end.arrived(func(sent) bool { return true }); len(got) > 0 {
		t.Errorf("the ApiServerSource has sent %+v: it can watch Gateways, see %q in docs/upstream.md", got, upstreamSection)
	}
}
