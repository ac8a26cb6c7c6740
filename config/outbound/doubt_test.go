package outbound_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// A backend may refuse every token, say because it trusts another issuer.
func TestABackendThatRefusesNewTokensTooCostsOthersAfterPausesThatGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{api: always(http.StatusUnauthorized, "go away")}
		client := acquire(t, c.factory(t), credentialsConfig()).Client()
		expectPauses(t, c, short, func() error { _, err := get(t, client, apiURL); return err })
	})
}

func TestATokenThatIsTakenAgainForgetsThosePauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{api: refusing("access-1", "access-2")}
		client := acquire(t, c.factory(t), credentialsConfig()).Client()
		expectStatus(t, client, apiURL, http.StatusUnauthorized)
		expectStatus(t, client, apiURL, http.StatusUnauthorized) // it is not replaced yet
		c.api = nil
		expectStatus(t, client, apiURL, http.StatusOK)
		c.api = refusing("access-2")
		expectStatus(t, client, apiURL, http.StatusOK)
		expectShown(t, c, "access-1 access-2 access-2 access-2 access-2 access-3")
	})
}

func TestAnotherTokenThatIsTakenForgetsThosePauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{api: refusing("access-1", "access-2")}
		client := acquire(t, c.factory(t), credentialsConfig()).Client()
		expectStatus(t, client, apiURL, http.StatusUnauthorized)
		time.Sleep(time.Second)
		expectStatus(t, client, apiURL, http.StatusOK) // access-3
		c.api = refusing("access-3", "access-4")
		expectStatus(t, client, apiURL, http.StatusUnauthorized)
		time.Sleep(time.Second)
		expectStatus(t, client, apiURL, http.StatusOK)
		expectShown(t, c, "access-1 access-2 access-2 access-3 access-3 access-4 access-4 access-5")
	})
}

func TestATokenThatEndsInSuchAPauseIsReplacedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{
			api:   refusing("access-1"),
			token: always(http.StatusOK, `{"access_token": "access-1", "token_type": "bearer", "expires_in": 1}`),
		}
		client := acquire(t, c.factory(t), credentialsConfig()).Client()
		expectStatus(t, client, apiURL, http.StatusUnauthorized)
		time.Sleep(900 * time.Millisecond)
		c.token, c.issued = nil, 1
		expectStatus(t, client, apiURL, http.StatusOK)
	})
}
