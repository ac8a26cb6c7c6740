package admission

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// pieces are what texts are drawn from, for each annotation: the words that it
// knows, what its grammar is made of, and what is near to that.
var pieces = map[string][]string{
	"certificate-namespaces": {"Same", "All", "Selector:", " ", "same", ","},
	"allowed-routes":         {"All", "Same", "CertificateNamespace", "Selector:", " ", "all"},
	"allowed-hostnames": {
		"a", "b-c", "com", "example.org", ".", ".", "-", "*", "*.", ",", ", ", " ", "_", ":", "1", "10.0.0.1", "0x", "xn--", "xn--bcher-kva", "é", "A.B", label(63),
	},
	"listener-port": {"0", "1", "443", "65535", "65536", " ", "-", "+", "x", "9"},
	"max-listeners": {"0", "1", "64", "2147483647", "2147483648", " ", "-", "+", "x", "9"},
	"publish":       {"Gateway", "ListenerSet", " ", "g", "ateway"},
	"attach":        {"Always", "WhenReady", " ", "al", "ways"},
	"mode":          {"Apply", "DryRun", " ", "app", "Dry"},
	"paused":        {"true", "false", " ", "t", "rue"},
}

// selectorPieces follow "Selector:".
var selectorPieces = []string{
	"a", "b_C.d", "example.com/e", "1", "12", "in", "notin", " in ", " notin ", "(", ")", "(a)", "(a,b)", ",", ",",
	"=", "==", "!=", "!", " ", " ", "\t", "<", ">", "-", "/", label(63),
}

// beyond are the hostnames of which the policy does not see all that is wrong.
var beyond = regexp.MustCompile(`(?i)[^[:ascii:]]|xn--`)

type draw struct{ *rand.Rand }

func (d draw) text(key string) string {
	selects := key == "certificate-namespaces" || key == "allowed-routes"
	if selects && d.IntN(6) > 0 {
		return "Selector:" + d.join(selectorPieces, 8)
	}
	return d.join(pieces[key], 5)
}

// join makes a text of up to so many pieces, of few more often.
func (d draw) join(from []string, most int) string {
	var text strings.Builder
	for range 1 + min(d.IntN(most), d.IntN(most)) {
		text.WriteString(from[d.IntN(len(from))])
	}
	return text.String()
}

func TestWhateverIsWrittenThePolicyAndThePlannerAgree(t *testing.T) {
	const draws = 150 // of each annotation on each kind
	c := mustClient(t)
	for _, r := range readings {
		for i, k := range r.on {
			t.Run(r.key+" of a "+string(k), func(t *testing.T) {
				d := draw{rand.New(rand.NewPCG(1, uint64(i)))}
				refused := 0
				for range draws {
					text := d.text(r.key)
					object := annotated(k, r.key, text)
					said := refusal(t, c, object)
					if said != "" {
						refused++
					}
					for _, fault := range disagreements(r.key, text, said, planned(object, r.key)) {
						t.Errorf("%q: %s", text, fault)
					}
				}
				if few := draws / 15; min(refused, draws-refused) < few {
					t.Errorf("%d of %d are refused: the draws do not try both", refused, draws)
				}
			})
		}
	}
}

// disagreements knows that the policy may miss something, or tell of something
// else than the planner, where it does not see all.
func disagreements(key, text, said, planned string) []string {
	if key == "allowed-hostnames" && beyond.MatchString(text) && planned != "" {
		return nil
	}
	return compare(said, planned)
}
