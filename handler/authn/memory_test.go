package authn

import (
	"encoding/base64"
	"encoding/binary"
	"testing"
	"time"
)

func key(n int) digest {
	var d digest
	binary.BigEndian.PutUint64(d[:], uint64(n))
	return d
}

func TestTheMemoryIsBoundedAndForgetsWhatWasLongestUnused(t *testing.T) {
	m := newMemory(time.Now)
	for n := range maxRemembered {
		m.keep(key(n), Identity{Username: "somebody"}, "")
	}
	m.recall(key(0))
	m.keep(key(maxRemembered), Identity{Username: "somebody"}, "")
	for n, want := range map[int]bool{0: true, 1: false, 2: true, maxRemembered: true} {
		if _, got := m.recall(key(n)); got != want {
			t.Errorf("token %d is remembered: %v, want %v", n, got, want)
		}
	}
}

func TestAFloodOfInvalidTokensPushesNoValidOneOut(t *testing.T) {
	m := newMemory(time.Now)
	m.keep(key(0), Identity{Username: "somebody"}, "")
	for n := range 2 * maxRemembered {
		m.keep(key(n+1), Identity{Refusal: "unknown"}, "")
	}
	if known, ok := m.recall(key(0)); !ok || known.Username != "somebody" {
		t.Errorf("recall = %+v, %v; want the valid token", known, ok)
	}
}

// jwt has the claims and no signature: nothing here looks at one.
func jwt(claims string) string {
	return "e30." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".c2ln"
}

func TestTimeLeftToAToken(t *testing.T) {
	now := time.Unix(1000, 0)
	for token, want := range map[string]time.Duration{
		jwt(`{"exp":1060}`):   time.Minute,
		jwt(`{"exp":1000.5}`): time.Second / 2,
		jwt(`{"exp":1000}`):   0,
		jwt(`{"exp":0}`):      0,
		jwt(`{"exp":-1e300}`): 0,
		jwt(`{"exp":1e300}`):  forever,
		jwt(`{"exp":null}`):   forever,
		jwt(`{"exp":"soon"}`): forever,
		jwt(`{}`):             forever,
		jwt(`[`):              forever,
		"e30.%.c2ln":          forever,
		"opaque":              forever,
		"":                    forever,
	} {
		if got := timeLeft(token, now); got != want {
			t.Errorf("timeLeft(%s) = %s, want %s", token, got, want)
		}
	}
}
