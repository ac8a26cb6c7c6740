package knative_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	podsecurity "k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	sinksv1alpha1 "knative.dev/eventing/pkg/apis/sinks/v1alpha1"
)

// violations says what the Pod Security Standard "restricted" has against a pod,
// judged by the API server's own checks.
func violations(t testing.TB, pod corev1.PodSpec) string {
	t.Helper()
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatalf("set up the checks: %v", err)
	}
	restricted := podsecurity.LevelVersion{Level: podsecurity.LevelRestricted, Version: podsecurity.LatestVersion()}
	result := policy.AggregateCheckResults(evaluator.EvaluatePod(restricted, &metav1.ObjectMeta{}, &pod))
	return result.ForbiddenDetail()
}

// everyPod is pods, and with them what runs only when somebody wants it.
func everyPod(t testing.TB, objects []*unstructured.Unstructured) map[string]corev1.PodSpec {
	t.Helper()
	all := pods(t, objects)
	for _, object := range objects {
		if object.GetKind() == "JobSink" {
			all["JobSink "+object.GetName()] = decoded[sinksv1alpha1.JobSink](t, object).Spec.Job.Spec.Template.Spec
		}
	}
	return all
}

func TestEveryPodIsAdmittedWhereTheNamespaceIsRestricted(t *testing.T) {
	for _, dir := range directories {
		for of, pod := range everyPod(t, buildOnDisk(t, dir)) {
			if found := violations(t, pod); found != "" {
				t.Errorf("%s: %s: %s", dir, of, found)
			}
		}
	}
}

func TestASofterPodIsNotAdmittedWhereTheNamespaceIsRestricted(t *testing.T) {
	for name, soften := range map[string]func(*corev1.PodSpec, *corev1.SecurityContext){
		"it may run as root":       func(_ *corev1.PodSpec, c *corev1.SecurityContext) { c.RunAsNonRoot = nil },
		"it may gain privileges":   func(_ *corev1.PodSpec, c *corev1.SecurityContext) { c.AllowPrivilegeEscalation = nil },
		"it keeps capabilities":    func(_ *corev1.PodSpec, c *corev1.SecurityContext) { c.Capabilities = nil },
		"it has no seccomp":        func(_ *corev1.PodSpec, c *corev1.SecurityContext) { c.SeccompProfile = nil },
		"it is on the host's net":  func(p *corev1.PodSpec, _ *corev1.SecurityContext) { p.HostNetwork = true },
		"it has the host's volume": func(p *corev1.PodSpec, _ *corev1.SecurityContext) { p.Volumes = hostVolume },
	} {
		t.Run(name, func(t *testing.T) {
			pod := pods(t, buildOnDisk(t, base))["ContainerSource gateways"]
			soften(&pod, pod.Containers[0].SecurityContext)
			if violations(t, pod) == "" {
				t.Error("it is admitted")
			}
		})
	}
}

var hostVolume = []corev1.Volume{{
	Name: "host", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/"}},
}}

// Knative writes two containers into the namespace by itself: queue-proxy and the
// adapter of the ApiServerSource. Both have this context; the packages that make
// them cannot be imported here, so the text is held to their source.
const knativesContext = `&corev1.SecurityContext{` +
	`AllowPrivilegeEscalation:ptr.Bool(false),ReadOnlyRootFilesystem:ptr.Bool(true),RunAsNonRoot:ptr.Bool(true),` +
	`Capabilities:&corev1.Capabilities{Drop:[]corev1.Capability{"ALL"}},` +
	`SeccompProfile:&corev1.SeccompProfile{Type:corev1.SeccompProfileTypeRuntimeDefault}}`

func TestKnativesOwnContainersAreAdmittedWhereTheNamespaceIsRestricted(t *testing.T) {
	pod := corev1.PodSpec{Containers: []corev1.Container{{Name: "knatives", SecurityContext: &corev1.SecurityContext{
		AllowPrivilegeEscalation: new(false), ReadOnlyRootFilesystem: new(true), RunAsNonRoot: new(true),
		Capabilities:   &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}}}}
	if found := violations(t, pod); found != "" {
		t.Error(found)
	}
	for module, file := range map[string]string{
		servingModule:  "pkg/reconciler/revision/resources/queue.go",
		eventingModule: "pkg/reconciler/apiserversource/resources/receive_adapter.go",
	} {
		written := securityContexts(t, filepath.Join(moduleDir(t, module), filepath.FromSlash(file)))
		if len(written) != 1 || written[0] != knativesContext {
			t.Errorf("%s of %s has the security contexts\n%s\nwant\n%s", file, module, strings.Join(written, "\n"), knativesContext)
		}
	}
}

// securityContexts are the literals of that type in a Go file, without space.
func securityContexts(t testing.TB, path string) []string {
	t.Helper()
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, path, nil, 0)
	if err != nil {
		t.Fatalf("parse Knative's source: %v", err)
	}
	var found []string
	ast.Inspect(parsed, func(node ast.Node) bool {
		if _, ok := node.(*ast.UnaryExpr); !ok {
			return true
		}
		var text bytes.Buffer
		if err := printer.Fprint(&text, files, node); err != nil {
			t.Fatalf("print Knative's source: %v", err)
		}
		packed := strings.ReplaceAll(strings.Join(strings.Fields(text.String()), ""), ",}", "}")
		if strings.HasPrefix(packed, "&corev1.SecurityContext{") {
			found = append(found, packed)
		}
		return true
	})
	return found
}
