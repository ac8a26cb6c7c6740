package cost

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// entry is a line as the API server writes it.
func entry(id, user string, at time.Time) string {
	return fmt.Sprintf(`{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":%q,"stage":"ResponseComplete",`+
		`"requestURI":"/apis/gateway.networking.k8s.io/v1/gateways","verb":"list","user":{"username":%q,"groups":["system:authenticated"]},`+
		`"requestReceivedTimestamp":%q,"stageTimestamp":"2026-01-02T00:00:00.000000Z"}`+"\n", id, user, at.Format("2006-01-02T15:04:05.000000Z07:00"))
}

func count(t *testing.T, log string) map[string]int {
	t.Helper()
	counts, err := Requests(strings.NewReader(log), after(0), after(10))
	if err != nil {
		t.Fatal(err)
	}
	return counts
}

func TestRequestsAreCountedByTheirUser(t *testing.T) {
	got := count(t, entry("1", "a", after(1))+entry("2", "b", after(2))+entry("3", "a", after(3)))
	if want := map[string]int{"a": 2, "b": 1}; !maps.Equal(got, want) {
		t.Errorf("they are %v, want %v", got, want)
	}
}

func TestOnlyRequestsOfTheSpanCount(t *testing.T) {
	got := count(t, entry("1", "early", after(-1))+entry("2", "first", after(0))+entry("3", "last", after(9))+entry("4", "late", after(10)))
	if want := map[string]int{"first": 1, "last": 1}; !maps.Equal(got, want) {
		t.Errorf("they are %v, want %v", got, want)
	}
}

func TestARequestOfSeveralLinesIsOne(t *testing.T) {
	if got := count(t, entry("1", "a", after(1))+entry("1", "a", after(1))); got["a"] != 1 {
		t.Errorf("there are %d", got["a"])
	}
}

func TestALineThatIsBeingWrittenIsLeftOut(t *testing.T) {
	whole := entry("1", "a", after(1))
	if got := count(t, whole+whole[:40]); got["a"] != 1 {
		t.Errorf("there are %d", got["a"])
	}
}

func TestALogThatCannotBeReadIsNotEmpty(t *testing.T) {
	if _, err := Requests(strings.NewReader("what\n"), after(0), after(10)); err == nil || !strings.Contains(err.Error(), "what") {
		t.Errorf("of a line of something else the error is %v", err)
	}
	if _, err := Requests(iotest.ErrReader(iotest.ErrTimeout), after(0), after(10)); err == nil {
		t.Error("of a log that cannot be read there is no error")
	}
}
