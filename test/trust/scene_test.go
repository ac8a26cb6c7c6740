package trust

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"gateway-cert-operator.io/gateway-cert-handler/config/trust"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// scene is a namespace with ConfigMaps that its owner writes, and the handler,
// which has the rights of its ServiceAccount there and no others.
type scene struct {
	t       *testing.T
	name    string
	owner   kubernetes.Interface
	account string
	handler *kubernetes.Clientset // to see which rights are in force
	reader  trust.Client
}

func newScene(t *testing.T) *scene {
	t.Helper()
	user := namespace.New(t, plane.Config())
	owner, err := kubernetes.NewForConfig(plane.Config())
	namespace.Must(t, err)
	config := rest.AnonymousClientConfig(plane.Config())
	config.BearerToken = user.CreateAccount(plane.Config(), "handler").Token(time.Hour)
	config.QPS = -1
	handler, err := kubernetes.NewForConfig(config)
	namespace.Must(t, err)
	reader, err := trust.NewClient(config)
	namespace.Must(t, err)
	return &scene{t, user.Name, owner, "handler", handler, reader}
}

func (s *scene) configMap(name, key string) trust.ConfigMap {
	return trust.ConfigMap{Client: s.reader, Namespace: s.name, Name: name, Key: key}
}

func (s *scene) knativeBundles() trust.KnativeBundles {
	return trust.KnativeBundles{Client: s.reader, Namespace: s.name}
}

// write makes a ConfigMap, or another of the one that is there.
func (s *scene) write(name string, mutate func(*corev1.ConfigMap)) {
	s.t.Helper()
	written := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
	mutate(written)
	maps := s.owner.CoreV1().ConfigMaps(s.name)
	_, err := maps.Create(s.t.Context(), written, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		_, err = maps.Update(s.t.Context(), written, metav1.UpdateOptions{})
	}
	namespace.Must(s.t, err)
}

// data is a ConfigMap with this text under a key.
func data(key, text string) func(*corev1.ConfigMap) {
	return func(c *corev1.ConfigMap) { c.Data = map[string]string{key: text} }
}

// labelled is a trust bundle of Knative with this text.
func labelled(text string) func(*corev1.ConfigMap) {
	return func(c *corev1.ConfigMap) {
		c.Labels = map[string]string{"networking.knative.dev/trust-bundle": "true"}
		data("bundle.pem", text)(c)
	}
}

// grant gives the handler these rights in the namespace and waits until the API
// server has learnt of them, which it does by a watch.
func (s *scene) grant(rule rbacv1.PolicyRule) {
	s.t.Helper()
	rbac := s.owner.RbacV1()
	_, err := rbac.Roles(s.name).Create(s.t.Context(), &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Name: s.account}, Rules: []rbacv1.PolicyRule{rule},
	}, metav1.CreateOptions{})
	namespace.Must(s.t, err)
	_, err = rbac.RoleBindings(s.name).Create(s.t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: s.account},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: s.account},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: s.name, Name: s.account}},
	}, metav1.CreateOptions{})
	namespace.Must(s.t, err)
	namespace.Must(s.t, wait.PollUntilContextTimeout(s.t.Context(), 20*time.Millisecond, 10*time.Second, true, s.inForce(rule)))
}

func (s *scene) inForce(rule rbacv1.PolicyRule) wait.ConditionWithContextFunc {
	return func(ctx context.Context) (bool, error) {
		var err error
		if len(rule.ResourceNames) > 0 {
			_, err = s.handler.CoreV1().ConfigMaps(s.name).Get(ctx, rule.ResourceNames[0], metav1.GetOptions{})
		} else {
			_, err = s.handler.CoreV1().ConfigMaps(s.name).List(ctx, metav1.ListOptions{Limit: 1})
		}
		return !apierrors.IsForbidden(err), nil
	}
}

// mayGet and mayList are the least rights that each source needs.
func mayGet(name string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"configmaps"}, ResourceNames: []string{name}, Verbs: []string{"get"}}
}

func mayList() rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"list"}}
}

// resolvesTo wants the source to have what stands in the text, and no more.
func (s *scene) resolvesTo(source trust.Source, text string) {
	s.t.Helper()
	want, err := trust.Parse([]byte(text))
	namespace.Must(s.t, err)
	got, err := source.Resolve(s.t.Context())
	namespace.Must(s.t, err)
	if got.Digest() != want.Digest() {
		s.t.Errorf("the source has\n%s\nwant\n%s", got.PEM(), want.PEM())
	}
}

// wantConfigError wants the source to be refused, in words that have all of this.
func (s *scene) wantConfigError(source trust.Source, says ...string) {
	s.t.Helper()
	bundle, err := source.Resolve(s.t.Context())
	var config *trust.ConfigError
	if !errors.As(err, &config) || !bundle.IsEmpty() {
		s.t.Fatalf("Resolve = %q, %T %v; want a ConfigError", bundle.PEM(), err, err)
	}
	for _, word := range says {
		if !strings.Contains(err.Error(), word) {
			s.t.Errorf("the error is %q, want %q in it", err, word)
		}
	}
}

// authorities makes as many new ones.
func authorities(t *testing.T, count int) []string {
	t.Helper()
	blocks := make([]string, count)
	for i := range blocks {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		namespace.Must(t, err)
		template := &x509.Certificate{
			SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: fmt.Sprint("authority ", i)},
			NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
			BasicConstraintsValid: true, IsCA: true,
		}
		der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
		namespace.Must(t, err)
		blocks[i] = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	}
	return blocks
}
