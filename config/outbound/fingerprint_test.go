package outbound

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func fullSpec() spec {
	return spec{
		profile: Profile{"profile", time.Second, 3, false, "tls.crt", "tls.key"},
		origins: []origin{{"https", "a.example", "443"}, {"https", "b.example", "8443"}},
		auth: Auth{
			Mode:         Password,
			TokenURL:     "https://idp.example/token",
			Issuer:       "https://idp.example",
			ClientID:     "id",
			ClientSecret: NewSecret("secret"),
			Username:     NewSecret("user"),
			Password:     NewSecret("password"),
			Scopes:       []string{"read", "write"},
			Audience:     "audience",
		},
		roots:      []byte("roots"),
		clientCert: pemPair{[]byte("certificate"), []byte("key")},
	}
}

// changes returns, for each field below a value that can be set, a function that
// changes it. A field that is added to one of the types is found by itself.
func changes(t *testing.T, path string, v reflect.Value) map[string]func() {
	all := map[string]func(){}
	switch {
	case v.Type() == reflect.TypeFor[Secret]():
		all[path] = func() { v.Set(reflect.ValueOf(NewSecret(v.Interface().(Secret).reveal() + "x"))) }
	case v.Kind() == reflect.Struct:
		for field, value := range v.Fields() {
			for name, change := range changes(t, path+"."+field.Name, value) {
				all[name] = change
			}
		}
	case v.Kind() == reflect.String:
		all[path] = func() { v.SetString(v.String() + "x") }
	case v.Kind() == reflect.Bool:
		all[path] = func() { v.SetBool(!v.Bool()) }
	case v.CanInt():
		all[path] = func() { v.SetInt(v.Int() + 1) }
	case v.Type() == reflect.TypeFor[[]string]():
		all[path+" longer"] = func() { v.Set(reflect.Append(v, reflect.ValueOf("x"))) }
		all[path+" shorter"] = func() { v.Set(v.Slice(0, v.Len()-1)) }
		all[path+" joined"] = func() { v.Set(reflect.ValueOf([]string{strings.Join(v.Interface().([]string), "")})) }
	case v.Type() == reflect.TypeFor[[]byte]():
		all[path] = func() { v.SetBytes(append(slices.Clone(v.Bytes()), 'x')) }
	default:
		t.Fatalf("%s is a %s, which this test cannot change", path, v.Type())
	}
	return all
}

func TestAnyFieldThatChangesChangesTheFingerprint(t *testing.T) {
	take := newFingerprinter()
	seen := map[fingerprint]string{take(fullSpec()): "the base"}
	if _, same := seen[take(fullSpec())]; !same {
		t.Fatal("two fingerprints of one spec differ")
	}
	look := func(name string, s spec) {
		f := take(s)
		if other, found := seen[f]; found {
			t.Errorf("%s has the fingerprint of %s", name, other)
		}
		seen[f] = name
	}
	for name := range changes(t, "profile", reflect.ValueOf(&Profile{}).Elem()) {
		s := fullSpec()
		changes(t, "profile", reflect.ValueOf(&s.profile).Elem())[name]()
		look(name, s)
	}
	for name := range changes(t, "auth", reflect.ValueOf(&Auth{Scopes: []string{"a"}}).Elem()) {
		s := fullSpec()
		changes(t, "auth", reflect.ValueOf(&s.auth).Elem())[name]()
		look(name, s)
	}
	for name, mutate := range map[string]func(*spec){
		"another scheme":     func(s *spec) { s.origins[1].scheme = "http" },
		"another host":       func(s *spec) { s.origins[1].host += "x" },
		"another port":       func(s *spec) { s.origins[1].port += "0" },
		"an origin more":     func(s *spec) { s.origins = append(s.origins, origin{"https", "c.example", "443"}) },
		"an origin less":     func(s *spec) { s.origins = s.origins[:1] },
		"roots":              func(s *spec) { s.roots = []byte("other") },
		"no roots":           func(s *spec) { s.roots = nil },
		"client certificate": func(s *spec) { s.clientCert.certificate = []byte("other") },
		"client key":         func(s *spec) { s.clientCert.key = []byte("other") },
	} {
		s := fullSpec()
		mutate(&s)
		look(name, s)
	}
}

// What stands in two neighbours is cut in another place: all other bytes are as
// they were.
func TestNoBoundaryBetweenFieldsCanBeShifted(t *testing.T) {
	take := newFingerprinter()
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		text := make([]byte, 1+random.IntN(40))
		for i := range text {
			text[i] = "\x00\x01ab"[random.IntN(4)]
		}
		i, j := random.IntN(len(text)+1), random.IntN(len(text)+1)
		if i == j {
			continue
		}
		for name, set := range map[string]func(s *spec, first, second string){
			"texts": func(s *spec, first, second string) { s.auth.ClientID, s.auth.ClientSecret = first, NewSecret(second) },
			"bytes": func(s *spec, first, second string) { s.roots, s.clientCert.certificate = []byte(first), []byte(second) },
			"items": func(s *spec, first, second string) { s.origins = []origin{{first, second, ""}} },
			"lists": func(s *spec, first, second string) { s.auth.Scopes, s.auth.Audience = []string{first}, second },
		} {
			one, other := fullSpec(), fullSpec()
			set(&one, string(text[:i]), string(text[i:]))
			set(&other, string(text[:j]), string(text[j:]))
			if take(one) == take(other) {
				t.Fatalf("%s: %q cut at %d and at %d give one fingerprint", name, text, i, j)
			}
		}
	}
}

func TestFingerprintsOfTwoFactoriesDiffer(t *testing.T) {
	one, other := newFingerprinter(), newFingerprinter()
	if one(fullSpec()) == other(fullSpec()) {
		t.Error("they are taken with one key")
	}
}

// The fields of spec that are taken, so that a new one is not forgotten.
func TestEveryFieldOfASpecIsKnownToTheseTests(t *testing.T) {
	var names []string
	for field := range reflect.TypeFor[spec]().Fields() {
		names = append(names, field.Name)
	}
	if want := []string{"profile", "origins", "auth", "roots", "clientCert"}; !slices.Equal(names, want) {
		t.Errorf("fields = %v, want %v: take the new one into the fingerprint", names, want)
	}
}
