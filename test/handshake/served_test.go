package handshake

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
)

func TestACertificateIsServedFromItsCreationOn(t *testing.T) {
	s := newScene(t)
	shop := s.host("shop")
	s.createRoute(s.Name, shop, "shop.invalid")
	stages := s.follow(s.certificate("shop", s.Name, shop))
	t.Logf("from create to the first good handshake:\n%s", Table(stages))
	s.expectServed(shop, s.issued("shop-tls"), "shop.invalid")

	var told []string
	for _, stage := range stages {
		told = append(told, stage.What)
		if stage.After <= 0 {
			t.Errorf("%q was reached %s after the Certificate was created", stage.What, stage.After)
		}
	}
	slices.Sort(told)
	want := []string{Arrived, Patched, Issued, Programmed, Shaken}
	slices.Sort(want)
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("the stages (-want +got):\n%s", diff)
	}
}

func TestEachHostnameIsServedItsOwnCertificate(t *testing.T) {
	s := newScene(t)
	for _, name := range []string{"one", "two"} {
		s.createRoute(s.Name, s.host(name), name+".invalid")
		s.follow(s.certificate(name, s.Name, s.host(name)))
	}
	for _, name := range []string{"one", "two"} {
		s.expectServed(s.host(name), s.issued(name+"-tls"), name+".invalid")
	}
}

// A renewal is a new Secret under the old name, which the listener names already.
func TestARenewalIsServedWithoutAWriteOfOurs(t *testing.T) {
	s := newScene(t)
	shop := s.host("shop")
	s.createRoute(s.Name, shop, "shop.invalid")
	s.follow(s.certificate("shop", s.Name, shop))
	first := s.issued("shop-tls")
	s.expectServed(shop, first, "shop.invalid")
	before := s.Gateway(edge)

	s.renew("shop")
	eventually(t, func(ctx context.Context) error {
		served, err := system.client.Handshake(ctx, shop)
		if err == nil && bytes.Equal(served.Raw, first.Raw) {
			return errors.New("the first certificate is served still")
		}
		return err
	})
	s.expectServed(shop, s.issued("shop-tls"), "shop.invalid")
	s.waitForEvents("shop")
	after := s.Gateway(edge)
	if before.Generation != after.Generation {
		t.Errorf("the Gateway's generation went from %d to %d", before.Generation, after.Generation)
	}
	if diff := cmp.Diff(before.Annotations, after.Annotations); diff != "" {
		t.Errorf("the Gateway's annotations (-before +after):\n%s", diff)
	}
}

// renew asks cert-manager to issue anew, as its command cmctl does.
func (s *scene) renew(name string) {
	s.t.Helper()
	certificate, err := s.Certificates.Get(s.t.Context(), name, metav1.GetOptions{})
	must(s.t, err)
	certificate.Status.Conditions = append(certificate.Status.Conditions, certmanagerv1.CertificateCondition{
		Type: certmanagerv1.CertificateConditionIssuing, Status: cmmeta.ConditionTrue,
		Reason: "ManuallyTriggered", Message: "a test wants another",
	})
	_, err = s.Certificates.UpdateStatus(s.t.Context(), certificate, metav1.UpdateOptions{})
	must(s.t, err)
}

// waitForEvents returns when the handler has dealt with the Certificate's changes
// so far: with one more, that comes after them.
func (s *scene) waitForEvents(name string) {
	s.t.Helper()
	began := time.Now()
	_, err := s.Certificates.Patch(s.t.Context(), name, types.MergePatchType, []byte(`{"metadata":{"annotations":{"a":"b"}}}`), metav1.PatchOptions{})
	must(s.t, err)
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	_, err = system.traces.Wait(ctx, func(trace collector.Trace) bool {
		event, answered := trace.Find("POST /")
		return answered && event.Start.After(began) &&
			event.Attributes["cloudevents.event_subject"] == "/apis/cert-manager.io/v1/namespaces/"+s.Name+"/certificates/"+name
	})
	must(s.t, err)
}

func TestADeletedCertificateIsServedNoMore(t *testing.T) {
	s := newScene(t)
	shop := s.host("shop")
	s.createRoute(s.Name, shop, "shop.invalid")
	s.follow(s.certificate("shop", s.Name, shop))
	certificate := s.issued("shop-tls")
	s.expectServed(shop, certificate, "shop.invalid")

	must(t, s.Certificates.Delete(t.Context(), "shop", metav1.DeleteOptions{}))
	eventually(t, func(ctx context.Context) error {
		served, err := system.client.Unverified(ctx, shop)
		if err == nil && bytes.Equal(served.Raw, certificate.Raw) {
			return errors.New("the certificate is served still")
		}
		return err
	})
	// cert-manager leaves it behind, so that it is the listener that made the end.
	if left := s.issued("shop-tls"); !bytes.Equal(left.Raw, certificate.Raw) {
		t.Errorf("the Secret holds serial number %d, want %d", left.SerialNumber, certificate.SerialNumber)
	}
}
