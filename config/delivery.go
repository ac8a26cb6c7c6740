package config

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// maxGatherPause is well below the 10 s of one run: the sender of an event waits
// for both, with the next ones behind it.
const maxGatherPause = 5 * time.Second

// Delivery is how the handler deals with what reaches it, and with what does
// not. Each key is optional; pointers, because what somebody wrote is never
// taken for the default.
type Delivery struct {
	// SweepOnStart looks at every Gateway once the process has started: while
	// none ran, events may have been lost.
	SweepOnStart *bool `json:"sweepOnStart,omitempty"`
	// MaxGatherPause bounds the pause between two writes of one Gateway during a
	// burst, as Go spells durations; 0s is no pause.
	MaxGatherPause *string `json:"maxGatherPause,omitempty" jsonschema:"pattern=^(0|([0-9.]+(ns|us|µs|ms|s))+)$,example=250ms"`
	// OrdersVersions says whether the API server's resourceVersions can be
	// compared as numbers. Without it the server's version tells. To be set
	// where that is not the truth: false behind a proxy, or on a server with a
	// storage of its own, that makes versions otherwise; true on a server before
	// 1.35 whose etcd is known to be its only storage.
	OrdersVersions *bool `json:"ordersVersions,omitempty"`
}

// SweepsOnStart reports whether a process that starts looks at every Gateway.
func (d Delivery) SweepsOnStart() bool {
	return d.SweepOnStart == nil || *d.SweepOnStart
}

// GatherPause returns the bound of the pause, or unset where none is given. A
// text that [Load] would refuse counts as not given.
func (d Delivery) GatherPause(unset time.Duration) time.Duration {
	if d.MaxGatherPause == nil {
		return unset
	}
	pause, err := parsePause(*d.MaxGatherPause)
	if err != nil {
		return unset
	}
	return pause
}

func (d Delivery) validate(at *field.Path) field.ErrorList {
	if d.MaxGatherPause == nil {
		return nil
	}
	if _, err := parsePause(*d.MaxGatherPause); err != nil {
		return field.ErrorList{field.Invalid(at.Child("maxGatherPause"), *d.MaxGatherPause, err.Error())}
	}
	return nil
}

func parsePause(text string) (time.Duration, error) {
	pause, err := time.ParseDuration(text)
	if err != nil || pause < 0 || pause > maxGatherPause {
		return 0, fmt.Errorf("want a duration from 0s to %s such as 250ms", maxGatherPause)
	}
	return pause, nil
}
