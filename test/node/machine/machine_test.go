package machine

import (
	"crypto/tls"
	"crypto/x509"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
)

func TestAProcessIsToldFromOneThatLaterHasItsNumber(t *testing.T) {
	state := t.TempDir()
	if err := writeIdentity(state, os.Getpid()); err != nil {
		t.Fatal(err)
	}
	if _, alive, err := readIdentity(state); err != nil || !alive {
		t.Errorf("this process is alive: %t, %v", alive, err)
	}
	if err := os.WriteFile(identityFile(state), []byte("1 17\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, alive, err := readIdentity(state); err != nil || alive {
		t.Errorf("another process by that number is it: %t, %v", alive, err)
	}
}

func TestWithoutANodeThereIsNothingToStop(t *testing.T) {
	if err := Stop(t.Context(), filepath.Join(t.TempDir(), "node")); err != nil {
		t.Error(err)
	}
}

func TestANodeIsNotStartedWhereOneIs(t *testing.T) {
	err := Start(t.Context(), Options{State: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "make cluster-down") {
		t.Errorf("the error is %v", err)
	}
}

func TestAPlaceThatTheNodeWouldHideIsRefused(t *testing.T) {
	t.Setenv(controlplane.CacheDirVariable, "/var/lib/cache")
	if _, err := StateDir(); err == nil || !strings.Contains(err.Error(), controlplane.CacheDirVariable) {
		t.Errorf("the error is %v", err)
	}
}

func TestEachFileIsFilledIn(t *testing.T) {
	state := t.TempDir()
	if err := makeDirs(state); err != nil {
		t.Fatal(err)
	}
	if err := writeFiles(values{State: state, Token: "secret", NodeIP: NodeIP}); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(state, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), "{{") {
			t.Errorf("%s is still a template", path)
		}
		if info, _ := entry.Info(); info.Mode().Perm() != 0o600 {
			t.Errorf("%s can be read by others: %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(Kubeconfig(state)); err != nil {
		t.Error(err)
	}
}

func TestTheAPIServersCertificateIsGoodForItsAddresses(t *testing.T) {
	dir := t.TempDir()
	if err := writePKI(dir, "secret"); err != nil {
		t.Fatal(err)
	}
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "apiserver.crt"), filepath.Join(dir, "apiserver.key"))
	if err != nil {
		t.Fatal(err)
	}
	authority, err := os.ReadFile(filepath.Join(dir, "ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	for _, name := range []string{NodeIP, serviceIP, "kubernetes.default.svc"} {
		if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: name}); err != nil {
			t.Errorf("at %s: %v", name, err)
		}
	}
}

func TestAProgramThatTheNodeWouldHideIsRefused(t *testing.T) {
	for program, want := range map[string]bool{
		"/root/project/bin/node/cluster": true,
		"/run/project/bin/node/cluster":  false,
		"/runs/bin/node/cluster":         true,
	} {
		if err := Reaches(program); (err == nil) != want {
			t.Errorf("of %s the error is %v, want none: %t", program, err, want)
		}
	}
}
