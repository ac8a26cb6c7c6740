package zero

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// handlerPath is the handler's program in its image.
const handlerPath = "/ko-app/gateway-cert-handler"

func TestAHandlerThatIsKilledInABurstLeavesNothingWrong(t *testing.T) {
	skipQuick(t)
	o := handler(t)
	result := disturbed(t, o, func() {
		if killed := kill(t, handlerPath); killed == 0 {
			t.Error("there was no handler to kill")
		}
	})
	node.report.table("Step 5: the handler is killed by SIGKILL", outcomeHeader, [][]string{result.row("in a burst")})
}

// kill kills all processes of a program in the node's containers, and says how many
// there were.
func kill(t *testing.T, program string) int {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	killed := 0
	for _, path := range lines {
		text, err := os.ReadFile(path)
		if name, _, _ := strings.Cut(string(text), "\x00"); err != nil || name != program {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err == nil {
			killed++
		}
	}
	return killed
}

func TestAnAdapterThatIsDeletedInABurstLeavesNothingWrongAfterAPing(t *testing.T) {
	skipQuick(t)
	o := handler(t)
	result := disturbed(t, o, func() {
		err := node.core.CoreV1().Pods(productNamespace).DeleteCollection(t.Context(), metav1.DeleteOptions{},
			metav1.ListOptions{LabelSelector: "eventing.knative.dev/sourceName=certificates"})
		if err != nil {
			t.Error(err)
		}
	})
	node.report.table("Step 6: the adapter's pod is deleted", outcomeHeader, [][]string{result.row("in a burst")})
}

func TestAHandlerWithLittleMemoryLeavesNothingWrong(t *testing.T) {
	skipQuick(t)
	o := handler(t)
	limit(t, "64Mi")
	t.Cleanup(func() { limit(t, "256Mi") })
	result := disturbed(t, o, func() {})
	node.report.table("Step 7: the handler has 64 MiB", outcomeHeader, [][]string{result.row("a burst")})
	node.report.say("In step 7 the handler was started again %d times.", o.restarted())
}

func TestThreeReplicasAtOnceEndExactly(t *testing.T) {
	skipQuick(t)
	o := handler(t)
	scale(t, 3, 3)
	t.Cleanup(func() { scale(t, 0, 1) })
	w := newWorkload(t)
	latest := revision(t)
	eventually(t, "three replicas are Ready", func(context.Context) error {
		if ready := o.ready(latest); ready != 3 {
			return fmt.Errorf("%d are", ready)
		}
		return nil
	})
	begin := time.Now()
	w.burst(t, 100, 0)
	node.report.table("Step 8: three replicas", outcomeHeader, [][]string{w.settle(t, o, begin).row("a burst without pauses")})
}

func TestANewRevisionInABurstLeavesNothingWrong(t *testing.T) {
	skipQuick(t)
	o := handler(t)
	before := revision(t)
	result := disturbed(t, o, func() {
		annotate(t, map[string]string{"example.com/rolled-out": time.Now().Format(time.RFC3339)})
	})
	if revision(t) == before {
		t.Error("there is no new Revision")
	}
	node.report.table("Step 9: a new Revision is rolled out", outcomeHeader, [][]string{result.row("in a burst")})
}

// disturbed makes 100 changes within some ten seconds and does something to the
// system a third of the way.
func disturbed(t *testing.T, o *observer, disturb func()) outcome {
	t.Helper()
	w := newWorkload(t)
	sleeping(t, o)
	o.reset()
	ping(t, o)
	begin := time.Now()
	w.burst(t, 33, 100*time.Millisecond)
	var together sync.WaitGroup
	together.Go(disturb)
	w.burst(t, 67, 100*time.Millisecond)
	together.Wait()
	return w.settle(t, o, begin)
}
