package authn

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"strings"
	"time"
)

// forever is the time left to a token that names no end.
const forever = time.Duration(math.MaxInt64)

// timeLeft returns how long a token is good by its own claim "exp" (RFC 7519),
// or 0 or less after that. The signature is not looked at: the API server has
// verified the token.
func timeLeft(token string, now time.Time) time.Duration {
	expiry, ok := expiryOf(token)
	if !ok {
		return forever
	}
	// In seconds and as a float, because any number may stand there.
	left := expiry - float64(now.UnixMilli())/1000
	switch {
	case left <= 0:
		return 0
	case left >= forever.Seconds():
		return forever
	}
	return time.Duration(left * float64(time.Second))
}

// expiryOf reads the claim, in seconds since 1970. It is false for what is no
// JWT and for one without the claim.
func expiryOf(token string) (float64, bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return 0, false
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return 0, false
	}
	var claims struct {
		Expiry *float64 `json:"exp"`
	}
	if err := json.Unmarshal(payload, &claims); err != nil || claims.Expiry == nil {
		return 0, false
	}
	return *claims.Expiry, true
}
