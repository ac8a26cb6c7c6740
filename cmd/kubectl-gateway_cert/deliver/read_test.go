package deliver_test

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/google/go-cmp/cmp"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/deliver"
)

// one is an event in JSON.
func one(id string) string {
	return fmt.Sprintf(`{"specversion":"1.0","id":%q,"source":"s","type":"t","datacontenttype":"application/json","data":{"a":[1]}}`, id)
}

// ids reads all events, and returns the error that it ends with.
func ids(in io.Reader) (got []string, err error) {
	for e, err := range deliver.Read(in) {
		if err != nil {
			return got, err
		}
		got = append(got, e.ID())
	}
	return got, nil
}

func TestEventsAreReadInEachForm(t *testing.T) {
	for name, text := range map[string]string{
		"lines":          one("1") + "\n" + one("2") + "\n",
		"a batch":        "[" + one("1") + "," + one("2") + "]",
		"a wide batch":   "\ufeff \n[\n" + one("1") + ",\n" + one("2") + "\n]\n",
		"with no breaks": one("1") + one("2"),
	} {
		got, err := ids(strings.NewReader(text))
		if diff := cmp.Diff([]string{"1", "2"}, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestWhatIsNoEventEndsItWithAnErrorThatSaysWhere(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		before     int
		says       string
	}{
		{"nothing", "", 0, "there is no event in it"},
		{"white space", " \n", 0, "there is no event in it"},
		{"an empty batch", "[]", 0, "there is no event in it"},
		{"no JSON", "hello", 0, "read event 1"},
		{"no type", `{"specversion":"1.0","id":"1","source":"s"}`, 0, "read event 1"},
		{"a number", "7", 0, "read event 1"},
		{"a broken line", one("1") + "\n{", 1, "read event 2"},
		{"a batch without end", "[" + one("1"), 1, "does not end"},
		{"two batches", "[" + one("1") + "][" + one("2") + "]", 1, "comes after the batch"},
		{"no comma", "[" + one("1") + one("2") + "]", 1, "read event 2"},
		{"an endless one", one("1") + `{"id":"` + strings.Repeat("x", 7<<20), 1, "more than the handler would read"},
	} {
		got, err := ids(strings.NewReader(tc.text))
		if err == nil || !strings.Contains(err.Error(), tc.says) || len(got) != tc.before {
			t.Errorf("%s: %d events and %v; want %d and that it says %q", tc.name, len(got), err, tc.before, tc.says)
		}
	}
}

func TestManyEventsTogetherMayBeLarge(t *testing.T) {
	large := fmt.Sprintf(`{"specversion":"1.0","id":"1","source":"s","type":"t","data":%q}`, strings.Repeat("x", 1<<20))
	if got, err := ids(strings.NewReader(strings.Repeat(large+"\n", 12))); err != nil || len(got) != 12 {
		t.Errorf("%d events, %v; want 12", len(got), err)
	}
}

// What is read can be sent, and says the same in each form.
func FuzzRead(f *testing.F) {
	f.Add([]byte(one("1")))
	f.Add([]byte("[" + one("1") + "," + one("2") + "]"))
	f.Add([]byte(one("1") + "\n" + one("2")))
	f.Add([]byte("[" + one("1") + "]]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var events []event.Event
		for e, err := range deliver.Read(strings.NewReader(string(text))) {
			if err != nil {
				return
			}
			events = append(events, e)
		}
		if len(events) == 0 {
			t.Fatal("neither an event nor an error")
		}
		batch, err := json.Marshal(events)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		again, err := ids(strings.NewReader(string(batch)))
		if err != nil || len(again) != len(events) {
			t.Fatalf("as a batch these are %d events, %v; want %d", len(again), err, len(events))
		}
	})
}
