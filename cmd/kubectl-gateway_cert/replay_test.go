package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// aboutShop is an event as the adapter sends it, and aboutPod one that the handler
// cannot read.
const (
	aboutShop = `{"specversion":"1.0","id":"1","source":"https://10.96.0.1:443","type":"dev.knative.apiserver.resource.update",` +
		`"apiversion":"cert-manager.io/v1","kind":"Certificate","namespace":"infra","name":"shop","datacontenttype":"application/json",` +
		`"knativeerrorcode":"503","data":{"apiVersion":"cert-manager.io/v1","kind":"Certificate","metadata":{"namespace":"infra","name":"shop"}}}`
	aboutNobody = `{"specversion":"1.0","id":"2","source":"s","type":"dev.knative.apiserver.resource.update"}`
)

// replay runs the command with a text as its input.
func replay(t *testing.T, url, text string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errOut bytes.Buffer
	code = command(t.Context(), []string{"replay", "-", "--url", url}, genericiooptions.IOStreams{In: strings.NewReader(text), Out: &out, ErrOut: &errOut})
	return out.String(), errOut.String(), code
}

func TestReplaySendsEachEventAndSaysWhatBecameOfIt(t *testing.T) {
	var seen []string
	url, _ := newHandler(t, reconciler(func(change reconcile.Change) ([]reconcile.Outcome, error) {
		seen = append(seen, string(change.Operation)+" "+string(change.Kind)+" "+change.Object.Namespace+"/"+change.Object.Name)
		return nil, nil
	}))
	file := filepath.Join(t.TempDir(), "events.json")
	namespace.Must(t, os.WriteFile(file, []byte("["+aboutShop+","+aboutShop+"]"), 0o600))
	stdout, stderr, code := newShell(t).run("replay", file, "--url", url)
	if diff := cmp.Diff([]string{"Update Certificate infra/shop", "Update Certificate infra/shop"}, seen); diff != "" {
		t.Errorf("the handler has seen (-want +got):\n%s", diff)
	}
	if code != 0 || stderr != "2 events sent: 2 taken, 0 not.\n" || !strings.HasPrefix(stdout, "1  Certificate infra/shop  204: done\n") {
		t.Errorf("exit code %d, it prints %q and says %q", code, stdout, stderr)
	}
}

func TestReplayGoesOnBehindARefusalAndFailsAtTheEnd(t *testing.T) {
	url, _ := newHandler(t, reconciler(func(reconcile.Change) ([]reconcile.Outcome, error) { return nil, nil }))
	stdout, stderr, code := replay(t, url, aboutNobody+"\n"+aboutShop)
	if code != 1 || strings.Count(stdout, "\n") != 2 || !strings.Contains(stdout, "400: the handler cannot read") || !strings.Contains(stderr, "2 events sent: 1 taken, 1 not.\nerror: 1 event not taken") {
		t.Errorf("exit code %d, it prints %q and says %q", code, stdout, stderr)
	}
}

func TestReplaySendsAgainWhatIsAnswered503(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		streams, in, out, errOut := genericiooptions.NewTestIOStreams()
		in.WriteString(aboutShop)
		r := &replaying{streams: streams, destination: nearby(reconciler(func(reconcile.Change) ([]reconcile.Outcome, error) {
			if tries++; tries == 1 {
				return nil, errors.New("the API server is away")
			}
			return nil, nil
		}))}
		if err := r.run(t.Context(), "-"); err != nil || tries != 2 || !strings.Contains(out.String(), "(2 tries)") || !strings.Contains(errOut.String(), "sending again in 1s") {
			t.Errorf("%v after %d tries, it prints %q and says %q", err, tries, out, errOut)
		}
	})
}

func TestReplayGivesUpWhatStays503AndGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		streams, in, out, _ := genericiooptions.NewTestIOStreams()
		in.WriteString(aboutShop + aboutShop)
		r := &replaying{streams: streams, destination: nearby(reconciler(func(reconcile.Change) ([]reconcile.Outcome, error) {
			tries++
			return nil, errors.New("the API server is away")
		}))}
		if err := r.run(t.Context(), "-"); err == nil || tries != 2*replayTries || strings.Count(out.String(), "(6 tries)") != 2 {
			t.Errorf("%v after %d tries, it prints %q", err, tries, out)
		}
	})
}

func TestReplayStopsAtWhatIsNoEventAndSaysWhatCameBefore(t *testing.T) {
	url, _ := newHandler(t, reconciler(func(reconcile.Change) ([]reconcile.Outcome, error) { return nil, nil }))
	for text, says := range map[string]string{
		aboutShop + "\nnonsense": "1 event sent: 1 taken, 0 not.\nerror: read event 2",
		"":                       "0 events sent: 0 taken, 0 not.\nerror: there is no event in it",
	} {
		if _, stderr, code := replay(t, url, text); code != 1 || !strings.HasPrefix(stderr, says) {
			t.Errorf("%.20q: exit code %d, it says %q", text, code, stderr)
		}
	}
	if _, stderr, code := newShell(t).run("replay", "/nonexistent", "--url", url); code != 1 || !strings.Contains(stderr, "/nonexistent") {
		t.Errorf("exit code %d, it says %q", code, stderr)
	}
}
