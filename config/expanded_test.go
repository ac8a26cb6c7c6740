package config

import (
	"errors"
	"strings"
	"testing"
)

// aliases is a settings file with a text, and a list that repeats it.
func aliases(length, times int) string {
	return "apiVersion: gateway-cert-operator.io/v1alpha1\nkind: HandlerConfig\ntrust:\n  files:\n  - &a /" + strings.Repeat("x", length) +
		"\n" + strings.Repeat("  - *a\n", times)
}

func TestAliasesAreRefusedBeforeTheyFillTheMemory(t *testing.T) {
	_, err := Read("config.yaml", strings.NewReader(aliases(20_000, 20_000)))
	var faults *Faults
	if !errors.As(err, &faults) || len(faults.List) != 1 || faults.List[0].Line != 5+209 || !strings.Contains(err.Error(), "each alias written out") {
		t.Errorf("got %.200v, want one fault at the alias that is too much", err)
	}
}

func TestAliasesInAliasesAreCountedAsOftenAsTheyStandThere(t *testing.T) {
	text := "a: &a [" + strings.Repeat("xxxxxxxxxx,", 500) + "]\nb: &b [" + strings.Repeat("*a,", 500) + "]\nc: [" + strings.Repeat("*b,", 500) + "]\n"
	if found := treeOf([]byte(text)).expanded(); len(found) != 1 || found[0].known.line != 3 {
		t.Errorf("found %v, want one in line 3", found)
	}
}

func TestSomeAliasesAreFine(t *testing.T) {
	if _, err := Read("config.yaml", strings.NewReader(aliases(100, 100))); err != nil {
		t.Error(err)
	}
}

func TestAnAliasWithinItselfIsLeftToTheDecoder(t *testing.T) {
	if found := treeOf([]byte("a: &a [*a, *a]\n")).expanded(); found != nil {
		t.Errorf("found %v", found)
	}
}
