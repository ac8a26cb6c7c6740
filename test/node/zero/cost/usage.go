package cost

import "time"

// Usage is what something uses in a span of time.
type Usage struct {
	Length time.Duration
	CPU    time.Duration
	// Memory is the mean over Length, in bytes: nothing counts where there is
	// no container.
	Memory float64
	// There is for how much of Length there was a container, 0 to 1.
	There float64
	// Requests are those to the API server.
	Requests float64
}

// Plus is two things together, over the same span.
func (u Usage) Plus(v Usage) Usage {
	u.CPU += v.CPU
	u.Memory += v.Memory
	u.There = max(u.There, v.There)
	u.Requests += v.Requests
	return u
}

// WhileThere is the mean memory of the time in which there was a container, in
// bytes; 0 if there was none.
func (u Usage) WhileThere() float64 {
	if u.There == 0 {
		return 0
	}
	return u.Memory / u.There
}

// Idle is a span that goes on for longer with the same memory as before and nothing
// to do.
func (u Usage) Idle(longer time.Duration) Usage {
	share := float64(u.Length) / float64(u.Length+longer)
	memory := u.WhileThere()
	u.Length += longer
	u.Memory = u.Memory*share + memory*(1-share)
	u.There = u.There*share + (1 - share)
	return u
}

// Hour reckons what an hour takes that has wakes in it, each as long as wake, and
// is as rest for the remaining time.
func Hour(rest, wake Usage, wakes int) Usage {
	awake := time.Duration(wakes) * wake.Length
	share := float64(awake) / float64(time.Hour)
	times := float64(time.Hour-awake) / float64(rest.Length)
	return Usage{
		Length:   time.Hour,
		CPU:      time.Duration(float64(rest.CPU)*times) + time.Duration(wakes)*wake.CPU,
		Memory:   rest.Memory*(1-share) + wake.Memory*share,
		There:    rest.There*(1-share) + wake.There*share,
		Requests: rest.Requests*times + float64(wakes)*wake.Requests,
	}
}
