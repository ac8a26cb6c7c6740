package reload

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

// eventually waits until got says what is wanted.
func eventually[T any](t *testing.T, want T, got func() T) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		diff := cmp.Diff(want, got())
		if diff == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %s (-want +got):\n%s", patience, diff)
		}
		select {
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		case <-time.After(50 * time.Millisecond): // nothing tells of the log, or of metrics
		}
	}
}

// toldOf returns the Events about the ConfigMap that are such, each as its type
// and reason.
func toldOf(t *testing.T, which func(eventsv1.Event) bool) (all []string) {
	t.Helper()
	client, err := kubernetes.NewForConfig(system.Config())
	namespace.Must(t, err)
	list, err := client.EventsV1().Events(stack.Namespace).List(t.Context(), metav1.ListOptions{FieldSelector: "regarding.name=" + configMap})
	namespace.Must(t, err)
	for _, e := range list.Items {
		if e.Regarding.Kind == "ConfigMap" && which(e) {
			all = append(all, e.Type+" "+e.Reason)
		}
	}
	return all
}

// counted is how many versions of the settings came to that.
func counted(result string) (total int) {
	for _, point := range system.signals.Points() { // cumulative: the last one counts
		if point.Name == "gateway_cert.settings.changes" && point.Attributes["gateway_cert.settings.result"] == result {
			total = int(point.Value)
		}
	}
	return total
}

// lines is how many lines of the log say so.
func lines(saying string) int { return strings.Count(system.log.String(), saying) }

func TestAVersionThatIsRefusedIsToldOnceAndThatItIsOver(t *testing.T) {
	user := namespace.New(t, system.Config())
	user.CreateGateway("edge", nil)
	user.CreateCertificate("app", "edge", "app.example.com")
	namespace.Must(t, system.settings.Write(versionOf(1001)))
	eventually(t, firstPort+1001, func() int { return portOf(user) })

	const unheardOf = `defaults.listenerPort: Invalid value: \"-1000`
	namespace.Must(t, system.settings.Write(versionOf(-1000)))
	eventually(t, 1, func() int { return lines(unheardOf) })
	namespace.Must(t, system.settings.Write(versionOf(-1000))) // as a volume is written again
	eventually(t, lines("the settings are refused"), func() int { return counted("Refused") })
	says := func(e eventsv1.Event) bool { return strings.Contains(e.Note, `-1000`) && e.Series == nil }
	eventually(t, []string{"Warning SettingsRefused"}, func() []string { return toldOf(t, says) })
	if got := portOf(user); got != firstPort+1001 {
		t.Errorf("the port is %d, want that of the settings before", got)
	}

	namespace.Must(t, system.settings.Write(versionOf(1002)))
	eventually(t, firstPort+1002, func() int { return portOf(user) })
	again := func(e eventsv1.Event) bool { return e.Type == corev1.EventTypeNormal }
	eventually(t, []string{"Normal SettingsTaken"}, func() []string { return toldOf(t, again) })
	eventually(t, lines("the settings are in force"), func() int { return counted("Taken") })
	if n := lines(unheardOf); n != 1 {
		t.Errorf("the log says %d times why the settings are refused, want once", n)
	}
}

// portOf is the port of the only listener of ours on Gateway edge; 0 if there is
// none.
func portOf(user *namespace.Namespace) int {
	for _, l := range user.Gateway("edge").Spec.Listeners {
		if l.Name != namespace.UserOwned {
			return int(l.Port)
		}
	}
	return 0
}
