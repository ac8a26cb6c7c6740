package cost

import (
	"testing"
	"time"
)

func TestAnHourIsWakesAndRest(t *testing.T) {
	rest := Usage{Length: 5 * time.Minute, CPU: time.Second, Memory: 10, There: 1, Requests: 2}
	wake := Usage{Length: time.Minute, CPU: 3 * time.Second, Memory: 70, There: 0.5, Requests: 9}
	got := Hour(rest, wake, 6)
	// 54 minutes are 10.8 times five.
	want := Usage{Length: time.Hour, CPU: 28800 * time.Millisecond, Memory: 16, There: 0.95, Requests: 75.6}
	if !same(got, want) {
		t.Errorf("it is %+v, want %+v", got, want)
	}
}

func TestAnHourOfWhatOnlyWakesUseIsTheWakes(t *testing.T) {
	wake := Usage{Length: time.Minute, CPU: time.Second, Memory: 60, There: 1, Requests: 20}
	got := Hour(Usage{Length: 5 * time.Minute}, wake, 6)
	want := Usage{Length: time.Hour, CPU: 6 * time.Second, Memory: 6, There: 0.1, Requests: 120}
	if !same(got, want) {
		t.Errorf("it is %+v, want %+v", got, want)
	}
}

func TestAnHourOfWhatDoesNotWakeIsTwelveTimesFiveMinutes(t *testing.T) {
	rest := Usage{Length: 5 * time.Minute, CPU: 2 * time.Second, Memory: 60, There: 1, Requests: 1}
	wake := Usage{Length: time.Minute, CPU: 400 * time.Millisecond, Memory: 60, There: 1, Requests: 0.2}
	want := Usage{Length: time.Hour, CPU: 24 * time.Second, Memory: 60, There: 1, Requests: 12}
	if got := Hour(rest, wake, 6); !same(got, want) {
		t.Errorf("it is %+v, want %+v", got, want)
	}
}

func TestAPodThatIdlesLongerKeepsItsMemory(t *testing.T) {
	wake := Usage{Length: 30 * time.Second, CPU: time.Second, Memory: 20, There: 0.5, Requests: 3}
	got := wake.Idle(60 * time.Second)
	// 40 bytes for 75 of 90 seconds.
	want := Usage{Length: 90 * time.Second, CPU: time.Second, Memory: 40 * 75.0 / 90, There: 75.0 / 90, Requests: 3}
	if !same(got, want) {
		t.Errorf("it is %+v, want %+v", got, want)
	}
	if got.WhileThere() < 39.99 || got.WhileThere() > 40.01 {
		t.Errorf("while it is there it has %v", got.WhileThere())
	}
}

func TestWhatWasNeverThereHasNoMemory(t *testing.T) {
	if got := (Usage{Length: time.Minute}).WhileThere(); got != 0 {
		t.Errorf("it has %v", got)
	}
}

func TestTwoThingsTogetherUseWhatBothUse(t *testing.T) {
	a := Usage{Length: time.Hour, CPU: time.Second, Memory: 1, There: 0.1, Requests: 2}
	b := Usage{Length: time.Hour, CPU: 2 * time.Second, Memory: 3, There: 1, Requests: 4}
	want := Usage{Length: time.Hour, CPU: 3 * time.Second, Memory: 4, There: 1, Requests: 6}
	if got := a.Plus(b); got != want {
		t.Errorf("it is %+v, want %+v", got, want)
	}
}

// same tells whether two are equal but for what is lost in calculating.
func same(a, b Usage) bool {
	near := func(a, b float64) bool { return a-b < 1e-6 && b-a < 1e-6 }
	return a.Length == b.Length && near(a.CPU.Seconds(), b.CPU.Seconds()) &&
		near(a.Memory, b.Memory) && near(a.There, b.There) && near(a.Requests, b.Requests)
}
