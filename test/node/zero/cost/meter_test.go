package cost

import (
	"testing"
	"time"
)

var begin = time.Date(2026, 1, 1, 0, 0, 0, 700_000_000, time.UTC)

// after is so many seconds later.
func after(seconds int) time.Time { return begin.Add(time.Duration(seconds) * time.Second) }

// at is a container's figures that the kubelet has read at the last full second.
func at(c Container, seconds int, cpu time.Duration, memory float64) Container {
	c.At, c.CPU, c.Memory = after(seconds).Truncate(time.Second), cpu, memory
	return c
}

// old has been there for long, and young is started three seconds after begin.
var (
	old   = Container{Namespace: "default", Pod: "operator-1", Name: "operator", Started: after(-1000)}
	young = Container{Namespace: "gateway-cert", Pod: "gateway-cert-handler-1", Name: "handler", Started: after(3).Truncate(time.Second)}
)

func TestOnlyWhatIsUsedWithinTheSpanCounts(t *testing.T) {
	var m Meter
	m.Add(after(0), []Container{at(old, 0, 100*time.Second, 10)})
	m.Add(after(5), []Container{at(old, 5, 101*time.Second, 20)})
	m.Add(after(10), []Container{at(old, 10, 103*time.Second, 30)})
	want := Usage{Length: 10 * time.Second, CPU: 3 * time.Second, Memory: 20, There: 1}
	if got := m.Usage(Operator); got != want {
		t.Errorf("it is %+v, want %+v", got, want)
	}
}

func TestWhatTheKubeletHasReadEarlierIsSetRight(t *testing.T) {
	var m Meter
	m.Add(after(0), []Container{at(old, 0, 0, 1)})
	m.Add(after(10), []Container{at(old, 8, 4*time.Second, 1)})
	if got := m.Usage(Operator).CPU; got != 5*time.Second {
		t.Errorf("of 4 s within 8 it makes %v within 10", got)
	}
}

func TestOfWhatIsStartedWithinTheSpanAllCounts(t *testing.T) {
	var m Meter
	m.Add(after(0), nil)
	m.Add(after(5), []Container{at(young, 4, 2*time.Second, 40)})
	m.Add(after(10), []Container{at(young, 9, 3*time.Second, 40)})
	m.Add(after(15), nil)
	want := Usage{Length: 15 * time.Second, CPU: 3 * time.Second, Memory: 20, There: 0.5}
	if got := m.Usage(Handler); got != want {
		t.Errorf("it is %+v, want %+v", got, want)
	}
}

func TestAContainerThatIsStartedInTheFirstSecondIsYoung(t *testing.T) {
	first := young
	first.Started = begin.Truncate(time.Second) // the kubelet leaves fractions out
	var m Meter
	m.Add(after(0), nil)
	m.Add(after(5), []Container{at(first, 5, 2*time.Second, 1)})
	if got := m.Usage(Handler).CPU; got != 2*time.Second {
		t.Errorf("it has used %v", got)
	}
}

func TestOfWhatEndsTheLastThatWasReadCounts(t *testing.T) {
	var m Meter
	m.Add(after(0), []Container{at(old, 0, 100*time.Second, 10)})
	m.Add(after(5), []Container{at(old, 4, 101*time.Second, 10)})
	m.Add(after(10), nil)
	if got := m.Usage(Operator).CPU; got != time.Second {
		t.Errorf("it has used %v", got)
	}
}

func TestAContainerThatIsStartedAgainIsAnother(t *testing.T) {
	again := old
	again.Started = after(4).Truncate(time.Second)
	var m Meter
	m.Add(after(0), []Container{at(old, 0, 100*time.Second, 10)})
	m.Add(after(5), []Container{at(again, 5, 2*time.Second, 10)})
	if got := m.Usage(Operator).CPU; got != 2*time.Second {
		t.Errorf("it has used %v", got)
	}
}

func TestContainersOfAPartAreAddedUp(t *testing.T) {
	proxy := young
	proxy.Name = "queue-proxy"
	var m Meter
	m.Add(after(0), nil)
	m.Add(after(5), []Container{at(young, 5, time.Second, 40), at(proxy, 5, 2*time.Second, 20), at(old, 5, 0, 100)})
	want := Usage{Length: 5 * time.Second, CPU: 3 * time.Second, Memory: 30, There: 0.5}
	if got := m.Usage(Handler); got != want {
		t.Errorf("it is %+v, want %+v", got, want)
	}
}

func TestWithoutReadingsNothingIsUsed(t *testing.T) {
	if got := new(Meter).Usage(Knative); got != (Usage{}) {
		t.Errorf("it is %+v", got)
	}
}
