package live_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/config/live"
	"gateway-cert-operator.io/gateway-cert-handler/test/volume"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// settingsOf are valid only with a port above 0; both defaults say the same, so
// that a reader sees where two versions have been mixed.
func settingsOf(port int) string {
	return fmt.Sprintf("apiVersion: %s\nkind: %s\ndefaults: {listenerPort: %d, allowedHostnames: h%d.example.com}\n",
		config.APIVersion, config.Kind, port, port)
}

type built struct {
	port     int
	hostname string
}

func build(_ context.Context, settings config.HandlerConfig) (built, error) {
	if settings.Defaults.ListenerPort == nil {
		return built{}, errors.New("no port")
	}
	return built{*settings.Defaults.ListenerPort, settings.Defaults.AllowedHostnames}, nil
}

// TestEveryReaderSeesOneValidVersion swaps 200 versions, one in three of them
// invalid, below readers that never rest.
func TestEveryReaderSeesOneValidVersion(t *testing.T) {
	v, err := volume.New(t.TempDir(), "config.yaml")
	must(t, err)
	must(t, v.Write(settingsOf(1)))
	ctx, cancel := context.WithCancel(t.Context())
	touched, err := live.Watch(ctx, v.File())
	must(t, err)

	var taken sync.Map // of the ports that are valid
	taken.Store(1, true)
	last := make(chan int, 1000)
	settings, err := live.Open(t.Context(), live.Options[built]{
		Load:  func() (config.HandlerConfig, error) { return config.Load(v.File()) },
		Build: build,
		Report: func(_ context.Context, c live.Change[built]) {
			if c.Err == nil {
				last <- c.Now.Built.port
			}
		},
	})
	must(t, err)

	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	group.Go(func() { settings.Follow(ctx, touched) })
	var reads atomic.Int64
	for range 2 {
		group.Go(func() {
			generation := int64(0)
			for ctx.Err() == nil {
				s := settings.InForce()
				_, valid := taken.Load(s.Built.port)
				if want := fmt.Sprintf("h%d.example.com", s.Built.port); !valid || s.Built.hostname != want || s.Generation < generation {
					t.Errorf("a reader saw generation %d after %d with %+v", s.Generation, generation, s.Built)
					return
				}
				generation = s.Generation
				reads.Add(1)
				time.Sleep(time.Microsecond)
			}
		})
	}

	random := rand.New(rand.NewPCG(1, 2))
	want := 0
	for n := 2; n < 202; n++ {
		if random.IntN(3) == 0 && n != 201 {
			must(t, v.Write(settingsOf(-n)))
			continue
		}
		want = n
		taken.Store(n, true) // before it can be seen
		must(t, v.Write(settingsOf(n)))
		if random.IntN(20) == 0 { // now and then it has the time to be taken
			await(t, last, n)
		}
	}
	await(t, last, want)
	if got := settings.InForce(); got.Built.port != want {
		t.Errorf("in force is %+v, want port %d", got, want)
	}
	if reads.Load() == 0 {
		t.Error("nobody has read")
	}
}

func await(t *testing.T, ports <-chan int, want int) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	for {
		select {
		case got := <-ports:
			if got == want {
				return
			}
		case <-deadline:
			t.Fatalf("version %d was not taken within 30 s", want)
		}
	}
}

func TestAFileThatIsWrittenInPlaceIsSeen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	touched, err := live.Watch(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("a"), 0o644); err != nil {
		t.Fatal(err)
	}
	select {
	case <-touched:
	case <-time.After(30 * time.Second):
		t.Error("nothing was seen")
	}
}

func TestADirectoryThatIsNotThereCannotBeWatched(t *testing.T) {
	if _, err := live.Watch(t.Context(), filepath.Join(t.TempDir(), "none", "config.yaml")); err == nil {
		t.Error("Watch of a directory that is not there is no error")
	}
}
