package peers

import (
	"bytes"
	"testing"
)

func TestAddressesAreFoundInTraefiksLogWhichIsPassedOn(t *testing.T) {
	const log = "2026-11-30T11:00:00Z INF Label selector is: \"\"\n" +
		`{"time":"2026-11-30T11:00:00Z","level":"INFO","msg":"listening","http":"127.0.0.1:41","https":"127.0.0.1:42"}` + "\n" +
		`{"time":"2026-11-30T11:00:01Z","level":"INFO","msg":"configured","certificates":1,"routers":1}` + "\n"
	var passedOn bytes.Buffer
	finder := newAddressFinder(&passedOn)
	for line := range bytes.Lines([]byte(log)) {
		if _, err := finder.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case got := <-finder.found:
		if want := (addresses{"127.0.0.1:41", "127.0.0.1:42"}); got != want {
			t.Errorf("found %+v, want %+v", got, want)
		}
	default:
		t.Error("no addresses are found")
	}
	if passedOn.String() != log {
		t.Errorf("passed on %q, want %q", passedOn.String(), log)
	}
}

func TestAPortIsWhatFollowsTheAddress(t *testing.T) {
	p := &Peers{HTTP: "127.0.0.1:41", HTTPS: "127.0.0.1:42"}
	if p.HTTPPort() != "41" || p.HTTPSPort() != "42" {
		t.Errorf("the ports are %s and %s, want 41 and 42", p.HTTPPort(), p.HTTPSPort())
	}
}
