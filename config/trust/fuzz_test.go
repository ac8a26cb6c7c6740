package trust_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gateway-cert-operator.io/gateway-cert-handler/config/trust"
)

// Whatever a bundle is: it is refused in words that can be printed, or what is
// taken of it is what the standard library finds there, and its form is
// canonical. Junk between its blocks, at a place that the fuzzer chooses, has it
// refused.
func FuzzBundle(f *testing.F) {
	a, bundle := authority(f, "a"), authorities(f, "a", "b", "c")
	f.Add([]byte(""), []byte("\x00"), uint16(0), uint64(0))
	f.Add([]byte(bundle), []byte("# comment\n"), uint16(1), uint64(1))
	f.Add([]byte(strings.ReplaceAll(bundle, "\n", "\r\n")), []byte("\r"), uint16(2), uint64(2))
	f.Add([]byte(" \n"+strings.TrimSpace(bundle)), []byte(" \t\r\n"), uint16(3), uint64(3))
	f.Add([]byte(a+a+oneLine(a)), []byte(a), uint16(0), uint64(4))
	f.Add([]byte(beginLine+a), []byte(beginLine), uint16(1), uint64(5))
	f.Add([]byte(strings.TrimSpace(a)+a), []byte("\ufeff"), uint16(0), uint64(6))
	f.Add([]byte(strings.Replace(a, "\n", "\nProc-Type: 4,ENCRYPTED\n\n", 1)), []byte(endLine), uint16(1), uint64(7))
	f.Add([]byte(inPEM("PRIVATE KEY", []byte("secret"))), []byte("\v"), uint16(1), uint64(8))
	f.Add([]byte(a+inPEM("CERTIFICATE", []byte("none"))), []byte(strings.TrimSpace(a)), uint16(1), uint64(9))
	f.Fuzz(func(t *testing.T, text, junk []byte, at uint16, order uint64) {
		bundle, err := trust.Parse(text)
		if err != nil {
			checkMessage(t, err)
			checkPlace(t, err, text)
			return
		}
		checkContents(t, bundle, text)
		checkFixpoint(t, bundle)
		checkInsertion(t, bundle, junk, int(at))
		checkOrder(t, bundle, order)
	})
}

func checkPlace(t *testing.T, err error, text []byte) {
	t.Helper()
	var refused *trust.BundleError
	if !errors.As(err, &refused) {
		t.Fatalf("the error is %T", err)
	}
	lines, blocks := bytes.Count(text, []byte("\n"))+1, bytes.Count(text, []byte("-----BEGIN "))
	if refused.Line < 0 || refused.Line > lines || refused.Block < 0 || refused.Block > blocks {
		t.Errorf("the error is at line %d of %d, in block %d of %d", refused.Line, lines, refused.Block, blocks)
	}
}

// checkContents compares with the standard library, which takes more than we do,
// but reads what we take no other way.
func checkContents(t *testing.T, bundle trust.Bundle, text []byte) {
	t.Helper()
	for _, certificate := range decodeAll(text) {
		if !contains(bundle, certificate) {
			t.Errorf("the bundle lacks a certificate of\n%q", text)
		}
	}
	if !pool(bundle).Equal(poolOf(string(text))) {
		t.Errorf("the bundle has more than the certificates of\n%q", text)
	}
}

func contains(bundle trust.Bundle, certificate []byte) bool {
	all := decodeAll(bundle.PEM())
	return len(without(all, certificate)) == len(all)-1
}

func checkFixpoint(t *testing.T, bundle trust.Bundle) {
	t.Helper()
	again, err := trust.Parse(bundle.PEM())
	if err != nil {
		t.Fatalf("the canonical form is refused: %v", err)
	}
	if diff := cmp.Diff(string(bundle.PEM()), string(again.PEM())); diff != "" || again.Digest() != bundle.Digest() {
		t.Errorf("the canonical form is not its own (-once +twice):\n%s", diff)
	}
}

// checkInsertion inserts a run of bytes before one of the blocks or behind the
// last. By itself it is refused as well, or it is white space, or it is a bundle.
func checkInsertion(t *testing.T, bundle trust.Bundle, junk []byte, at int) {
	t.Helper()
	blocks := blocksOf(bundle)
	at %= len(blocks) + 1
	text := strings.Join(blocks[:at], "") + string(junk) + strings.Join(blocks[at:], "")
	got, err := trust.Parse([]byte(text))
	alone, aloneErr := trust.Parse(junk)
	switch {
	case aloneErr != nil && err == nil:
		t.Errorf("%q before block %d is taken", junk, at+1)
	case aloneErr == nil && alone.IsEmpty() && len(text) <= trust.MaxBytes && (err != nil || got.Digest() != bundle.Digest()):
		t.Errorf("white space %q before block %d changes the bundle: %v", junk, at+1, err)
	}
}

// checkOrder shuffles the blocks, some of them twice, and ends lines in CRLF.
func checkOrder(t *testing.T, bundle trust.Bundle, seed uint64) {
	t.Helper()
	text := shuffled(blocksOf(bundle), rand.New(rand.NewPCG(seed, 0)))
	if len(text) > trust.MaxBytes || strings.Count(text, beginLine) > trust.MaxCertificates {
		return
	}
	if got := parse(t, text); got.Digest() != bundle.Digest() {
		t.Errorf("seed %d: another order has another digest", seed)
	}
}

func shuffled(blocks []string, random *rand.Rand) string {
	for _, block := range blocks {
		if random.IntN(3) == 0 {
			blocks = append(blocks, block)
		}
	}
	random.Shuffle(len(blocks), func(i, j int) { blocks[i], blocks[j] = blocks[j], blocks[i] })
	text := strings.Join(blocks, "")
	if random.IntN(2) == 0 {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// blocksOf returns the blocks of the canonical form.
func blocksOf(bundle trust.Bundle) []string {
	blocks := strings.SplitAfter(string(bundle.PEM()), endLine)
	return blocks[:len(blocks)-1]
}

func TestOrderAndRepetitionDoNotMatter(t *testing.T) {
	var names []string
	for seed := range uint64(200) {
		if seed%10 == 0 { // one more authority now and then
			names = append(names, "authority "+strings.Repeat("x", int(seed/10)))
		}
		checkOrder(t, parse(t, authorities(t, names...)), seed)
	}
}
