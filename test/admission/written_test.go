package admission

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// readings are, for each annotation, texts that can be read and texts that cannot.
var readings = []struct {
	key       string
	on        []kind
	good, bad []string
}{
	{
		"certificate-namespaces", []kind{gateway},
		append([]string{"Same", "All"}, goodSelectors...),
		append([]string{"", "all", "All ", " All", "Everybody", "Selector", "selector: a=b", "All,Same"}, badSelectors...),
	},
	{
		"allowed-routes", []kind{gateway, certificate},
		append([]string{"All", "Same", "CertificateNamespace"}, goodSelectors...),
		append([]string{"", "all", "None", "certificateNamespace", "Selector: a>1", "Selector: a=b,c < 2"}, badSelectors...),
	},
	{
		"allowed-hostnames", []kind{gateway, tenant},
		[]string{
			"a.com", "*.com", "localhost", "App.Example.COM.", " a.com ,\t*.b.com\n", "*.bücher.example", "xn--bcher-kva.example", "pr--123.x.com",
			"1.example.com", "0x1.example.com", "a1", label(63) + ".com", strings.Repeat("a.", 126) + "a", strings.Repeat("a.", 126) + "a.", hostnames(256),
		},
		[]string{
			"", " ", ",", "a.com,", ",a.com", ".", "*", "*.", "*..", "*.*", "*.*.", "*.*.x.com", "foo.*.com", "f*.x.com", "*ready.com", "ready.*", "a.com.*",
			"10.0.0.1", "*.10.0.0.1", "127.1", "0x7f.0.0.0x1", "0X", "2130706433", "*.0.0.1", "::1", "2001:db8::1", "1.",
			"a_b.com", "https://a.com", "a.com:443", "a.com b.com", "-a.com", "a-.com", "a..b", "a.com..", "1..", ".a.com", "a.com,*,b.com", "a_b.1",
			label(64) + ".com", "*." + label(64), label(64) + "..com", strings.Repeat("a.", 127) + "a", "*." + strings.Repeat("a.", 125) + "aa",
			hostnames(257), hostnames(256) + ",*", strings.Repeat(",", 300),
			`"`, `\`, strings.Repeat("x_", 60),
		},
	},
	{
		"listener-port", []kind{gateway, certificate},
		[]string{"", "1", "443", "0443", "65535", strings.Repeat("0", 100) + "443"},
		[]string{"0", "00", "65536", "70000", "99999", "100000", "-1", "+443", "https", "443 ", " 443", "4 43", "4_43", "0x1bb", "443.0", "18446744073709551617", "٤٤٣"},
	},
	{
		"max-listeners", []kind{gateway},
		[]string{"0", "1", "64", "00064", "1000", "2147483647"},
		[]string{"", "-1", "+1", "many", "1.5", "1 ", "1_0", "0x1", "2147483648", "9999999999", "9999999999999999999999"},
	},
	{"publish", []kind{gateway}, []string{"Gateway"}, []string{"", "gateway", "ListenerSet", "Gateway "}},
	{"attach", []kind{gateway}, []string{"Always", "WhenReady"}, []string{"", "always", "WhenReady ", "Never", "Always\nor never"}},
	{"mode", []kind{gateway}, []string{"Apply", "DryRun"}, []string{"", "dryrun", "apply", "Apply ", " DryRun", "Dry Run", "Apply,DryRun"}},
	{"paused", []kind{gateway}, []string{"true", "false"}, []string{"", "True", "FALSE", "yes", "1", "0", strings.Repeat("true", 30)}},
}

var (
	goodSelectors = []string{
		"Selector: a=b", "Selector:a", "Selector: tier in (gold)", "Selector: a==b , c!=d", "Selector: !a", "Selector: ! a", "Selector: a=", "Selector: a=,b",
		"Selector: a notin (b, c ,d)", "Selector: a in(b)", "Selector: a in (,)", "Selector: a in ()", "Selector: a in ( )", "Selector: a in (b,)", "Selector: in in (in)", "Selector: !in",
		"Selector: example.com/a_B.c=d", "Selector: a\t=\nb", "Selector: a=b,a=c", "Selector: " + label(63) + "=" + label(63),
	}
	badSelectors = []string{
		"Selector:", "Selector: ", "Selector:\t\n", "Selector: ,", "Selector: a,", "Selector: ,a", "Selector: a,,b", "Selector: a in (",
		"Selector: a in b", "Selector: a in (b c)", "Selector: ain (b)", "Selector: a IN (b)", "Selector: a b", "Selector: a = b c", "Selector: !a=b",
		"Selector: !!a", "Selector: a>=1", "Selector: a=!b", "Selector: a>b", "Selector: a>", "Selector: a>-1", "Selector: -a", "Selector: a/b/c", "Selector: /a",
		"Selector: A.com/b", "Selector: a.-b/c", "Selector: a=b-", "Selector: a=ü", "Selector: a\f=b", "Selector: " + label(64), "Selector: a=" + label(64),
		"Selector: a in (" + strings.Repeat("b,", 520) + "c)",
	}
)

func label(length int) string { return strings.Repeat("a", length) }

// hostnames is a list of so many.
func hostnames(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("h%d.example.com", i)
	}
	return strings.Join(list, ",")
}

func eachReading(t *testing.T, test func(t *testing.T, k kind, key, text string, good bool)) {
	t.Helper()
	for _, r := range readings {
		for _, k := range r.on {
			for i, text := range slices.Concat(r.good, r.bad) {
				t.Run(fmt.Sprintf("%s of a %s: %.40q", r.key, k, text), func(t *testing.T) {
					test(t, k, r.key, text, i < len(r.good))
				})
			}
		}
	}
}

func TestWhatIsMalformedIsRefusedWhenItIsWritten(t *testing.T) {
	c := mustClient(t)
	eachReading(t, func(t *testing.T, k kind, key, text string, good bool) {
		said := refusal(t, c, annotated(k, key, text))
		if good != (said == "") {
			t.Errorf("the policy says %q, and the text can be read: %v", said, good)
		}
	})
}

func TestWhatIsRefusedIsRefusedInThePlannersWords(t *testing.T) {
	c := mustClient(t)
	eachReading(t, func(t *testing.T, k kind, key, text string, _ bool) {
		object := annotated(k, key, text)
		for _, fault := range compare(refusal(t, c, object), planned(object, key)) {
			t.Error(fault)
		}
	})
}

// compare returns what sets the policy and the planner apart. The planner's
// message goes on to say details, and what it does.
func compare(said, planned string) (faults []string) {
	switch {
	case said == "" && planned != "":
		return []string{fmt.Sprintf("the policy lets through what the planner cannot read: %s", planned)}
	case said != "" && planned == "":
		return []string{fmt.Sprintf("the policy refuses what the planner can read: %s", said)}
	case !strings.HasPrefix(planned, said):
		return []string{fmt.Sprintf("the policy says %q, the planner %q", said, planned)}
	}
	return nil
}
