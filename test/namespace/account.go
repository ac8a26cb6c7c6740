package namespace

import (
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
)

// Account is a ServiceAccount whose tokens a test may have. What fails ends the
// test.
type Account struct {
	// Username is how the API server calls it.
	Username string

	tb       testing.TB
	name     string
	accounts typedcorev1.ServiceAccountInterface
}

// CreateAccount makes a ServiceAccount.
func (n *Namespace) CreateAccount(config *rest.Config, name string) *Account {
	n.tb.Helper()
	account := ExistingAccount(n.tb, config, n.Name, name)
	_, err := account.accounts.Create(n.tb.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	Must(n.tb, err)
	return account
}

// ExistingAccount is a ServiceAccount that somebody has made.
func ExistingAccount(tb testing.TB, config *rest.Config, namespace, name string) *Account {
	tb.Helper()
	core, err := kubernetes.NewForConfig(config)
	Must(tb, err)
	return &Account{
		Username: "system:serviceaccount:" + namespace + ":" + name,
		tb:       tb,
		name:     name,
		accounts: core.CoreV1().ServiceAccounts(namespace),
	}
}

// Token is issued for these audiences, or for the API server's own if there are
// none. lifetime is at least ten minutes: the API server issues no shorter ones.
func (a *Account) Token(lifetime time.Duration, audiences ...string) string {
	a.tb.Helper()
	seconds := int64(lifetime / time.Second)
	granted, err := a.accounts.CreateToken(a.tb.Context(), a.name, &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{Audiences: audiences, ExpirationSeconds: &seconds},
	}, metav1.CreateOptions{})
	Must(a.tb, err)
	return granted.Status.Token
}

// Delete deletes the ServiceAccount, and with it its tokens.
func (a *Account) Delete() {
	a.tb.Helper()
	Must(a.tb, a.accounts.Delete(a.tb.Context(), a.name, metav1.DeleteOptions{}))
}
