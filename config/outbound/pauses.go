package outbound

import "time"

// pauses are those of clients that could not be made. They are kept apart from
// these: nothing of such a client may be handed out. They are bounded in number,
// since whoever changes a secret leaves one behind.
type pauses map[key]*pause

func (p pauses) remembered(k key, now time.Time) error {
	if known := p[k]; known != nil {
		return known.remembered(now)
	}
	return nil
}

func (p pauses) begin(k key, now time.Time, err error) {
	if p[k] == nil {
		p.makeRoom()
		p[k] = &pause{}
	}
	p[k].begin(now, err)
}

// makeRoom drops the pause that would be over first.
func (p pauses) makeRoom() {
	if len(p) < maxPauses {
		return
	}
	var first key
	for k, known := range p {
		if p[first] == nil || known.until.Before(p[first].until) {
			first = k
		}
	}
	delete(p, first)
}

// dropOver drops those that have been over for so long.
func (p pauses) dropOver(now time.Time, since time.Duration) {
	for k, known := range p {
		if now.Sub(known.until) >= since {
			delete(p, k)
		}
	}
}
