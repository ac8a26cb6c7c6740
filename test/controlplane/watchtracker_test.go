package controlplane

import (
	"fmt"
	"strings"
	"testing"
)

const certificates = `{"gvr":{"Group":"cert-manager.io","Version":"v1","Resource":"certificates"}}`

func TestAdapterWatchesOnceItsListIsComplete(t *testing.T) {
	tracker := trackerOf(t, `{"allNamespaces":true,"resources":[`+certificates+`]}`)
	populated(t, tracker, "cert-manager.io/v1, Resource=certificates")
	if !isComplete(tracker) {
		t.Errorf("%s counts as missing", tracker.missing())
	}
}

func TestAdapterWatchesNothingBeforeItsListIsComplete(t *testing.T) {
	tracker := trackerOf(t, `{"allNamespaces":true,"resources":[`+certificates+`]}`)
	populated(t, tracker, "some other reflector")
	if isComplete(tracker) {
		t.Error("the list of another reflector counts")
	}
}

func TestAdapterWatchesANamespaceListOnceEachIsListed(t *testing.T) {
	tracker := trackerOf(t, `{"namespaces":["a","b"],"resources":[`+certificates+`]}`)
	populated(t, tracker, "cert-manager.io/v1, Resource=certificates/a")
	if isComplete(tracker) {
		t.Error("one of two namespaces counts as all")
	}
	populated(t, tracker, "cert-manager.io/v1, Resource=certificates/b")
	if !isComplete(tracker) {
		t.Errorf("%s counts as missing", tracker.missing())
	}
}

func TestMissingWatchIsNamed(t *testing.T) {
	tracker := trackerOf(t, `{"allNamespaces":true,"resources":[`+certificates+`]}`)
	if missing := tracker.missing(); missing != "cert-manager.io/v1, Resource=certificates" {
		t.Errorf("missing is %q", missing)
	}
}

func TestEnvironmentWithoutASourceIsRefused(t *testing.T) {
	_, err := newWatchTracker("")
	if err == nil || !strings.Contains(err.Error(), "has no K_SOURCE_CONFIG") {
		t.Errorf("the error is %v", err)
	}
}

func trackerOf(t *testing.T, config string) *watchTracker {
	t.Helper()
	tracker, err := newWatchTracker(config)
	if err != nil {
		t.Fatal(err)
	}
	return tracker
}

// populated writes the line that client-go logs.
func populated(t *testing.T, tracker *watchTracker, reflector string) {
	t.Helper()
	fmt.Fprintf(tracker, "I1129 20:51:35.000000 1 reflector.go:446] \"Caches populated\" type=\"x\" reflector=%q\n", reflector)
}

func isComplete(tracker *watchTracker) bool {
	select {
	case <-tracker.complete:
		return true
	default:
		return false
	}
}
