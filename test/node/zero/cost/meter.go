package cost

import "time"

// Meter adds up readings of the kubelet over a span of time. The zero Meter has
// none.
type Meter struct {
	begin, end time.Time
	readings   int
	seen       map[identity]*series
	memory     map[Part]float64 // added up over the readings, bytes
	there      map[Part]int     // readings in which there was a container
}

// identity is a container's: one that is started again is another.
type identity struct {
	namespace, pod, name string
	started              int64
}

// series is the first and the last that was read of a container.
type series struct {
	part        Part
	first, last Container
	read        int // the reading that last had it
}

// Add takes a reading. Readings come in the order of time.
func (m *Meter) Add(at time.Time, containers []Container) {
	if m.readings == 0 {
		m.begin, m.seen, m.memory, m.there = at, map[identity]*series{}, map[Part]float64{}, map[Part]int{}
	}
	m.end = at
	m.readings++
	present := map[Part]bool{}
	for _, c := range containers {
		part := PartOf(c.Namespace, c.Pod)
		present[part] = true
		m.memory[part] += c.Memory
		id := identity{c.Namespace, c.Pod, c.Name, c.Started.Unix()}
		if m.seen[id] == nil {
			m.seen[id] = &series{part: part, first: c}
		}
		m.seen[id].last, m.seen[id].read = c, m.readings
	}
	for part := range present {
		m.there[part]++
	}
}

// Usage is what a part has used between the first reading and the last.
func (m *Meter) Usage(part Part) Usage {
	u := Usage{Length: m.end.Sub(m.begin)}
	if m.readings == 0 {
		return u
	}
	for _, s := range m.seen {
		if s.part == part {
			u.CPU += m.used(s)
		}
	}
	u.Memory = m.memory[part] / float64(m.readings)
	u.There = float64(m.there[part]) / float64(m.readings)
	return u
}

// used is a container's processor time. Of what has ended, the last that was read
// counts. Of what has been there all the time, the kubelet's first and last look lie
// some seconds apart from the span's ends, which is set right.
func (m *Meter) used(s *series) time.Duration {
	if !s.first.Started.Before(m.begin.Truncate(time.Second)) {
		return s.last.CPU
	}
	used, between := s.last.CPU-s.first.CPU, s.last.At.Sub(s.first.At)
	if s.read < m.readings || between <= 0 {
		return used
	}
	return time.Duration(float64(used) * float64(m.end.Sub(m.begin)) / float64(between))
}
