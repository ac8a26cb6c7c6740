package base_test

import (
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/test/image/base"
)

func TestTheBaseIsTheSameEachTime(t *testing.T) {
	var digests []string
	for range 2 {
		image, err := base.New("amd64")
		if err != nil {
			t.Fatal(err)
		}
		digest, err := image.Digest()
		if err != nil {
			t.Fatal(err)
		}
		digests = append(digests, digest.String())
	}
	if digests[0] != digests[1] {
		t.Errorf("the digests are %q", digests)
	}
}
