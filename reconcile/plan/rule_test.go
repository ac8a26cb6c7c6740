package plan_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/google/go-cmp/cmp"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// judging makes rules of a function; what it does not allow, it says.
type judging func(plan.Candidate) (why string)

func (j judging) Judge(c plan.Candidate) plan.Ruling { return plan.Ruling{Why: j(c)} }

// notOn forbids one port.
func notOn(port int32) plan.Rules {
	return judging(func(c plan.Candidate) string {
		if c.Port == port {
			return fmt.Sprintf("rule ports: not on %d", port)
		}
		return ""
	})
}

func TestAListenerThatARuleDoesNotAllowIsRefusedInItsWords(t *testing.T) {
	in := baseInput()
	in.Defaults.Rules = notOn(443)
	p := plan.For(*in)
	want := []plan.Finding{{
		Reason: plan.ReasonRuleNotMet, Certificate: named("infra", "app"), Hostname: "app.example.com", Message: "rule ports: not on 443",
	}}
	if diff := cmp.Diff(want, p.Rejections); diff != "" || attached(p) != "" {
		t.Errorf("attached %q, rejections (-want +got):\n%s", attached(p), diff)
	}
}

func TestARuleIsAskedOfTheListenerAsItWouldBe(t *testing.T) {
	in := baseInput()
	app(in).Spec.DNSNames = []string{"APP.Example.com.", "*.bücher.example"}
	annotate(app(in), plan.ListenerPortKey, "8443")
	var asked []string
	in.Defaults.Rules = judging(func(c plan.Candidate) string {
		asked = append(asked, fmt.Sprintf("%s:%d of %s on %s", c.Hostname, c.Port, plan.NameOf(c.Certificate), plan.NameOf(c.Gateway)))
		return ""
	})
	plan.For(*in)
	want := []string{"app.example.com:8443 of infra/app on infra/edge", "*.xn--bcher-kva.example:8443 of infra/app on infra/edge"}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

func TestAListenerGoesWhenARuleNoLongerAllowsIt(t *testing.T) {
	in := settled(*baseInput())
	in.Defaults.Rules = notOn(443)
	want := []plan.Change{{Action: plan.Removed, Listener: "auto-app-app-example-com", Hostname: "app.example.com", Certificate: named("infra", "app")}}
	if diff := cmp.Diff(want, plan.For(in).Changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

func TestWhatARuleDoesNotAllowHoldsNoPlace(t *testing.T) {
	in := baseInput()
	in.Certificates = []certmanagerv1.Certificate{certificate("infra", "a", "x.com"), certificate("infra", "b", "x.com")}
	in.Defaults.Rules = judging(func(c plan.Candidate) string {
		if c.Certificate.Name == "a" {
			return "not this one"
		}
		return ""
	})
	p := plan.For(*in)
	if got := serving(p)["x.com"]; got != "auto-b-x-com" {
		t.Errorf("x.com is served by %q, want the younger's auto-b-x-com", got)
	}
	if got := reasons(p); !slices.Equal(got, []plan.Reason{plan.ReasonRuleNotMet}) {
		t.Errorf("reasons = %v, want %s alone", got, plan.ReasonRuleNotMet)
	}
}

// A slip in the annotation leaves the listener where it stands, and it is of there
// that a rule is asked.
func TestWhereThePortCannotBeReadARuleIsAskedOfTheOneThatStands(t *testing.T) {
	for port, want := range map[int32]string{443: "", 8443: "app.example.com"} {
		in := settled(*baseInput())
		annotate(app(&in), plan.ListenerPortKey, "https")
		in.Defaults.Rules = notOn(port)
		if got := attached(plan.For(in)); got != want {
			t.Errorf("with a rule against %d: attached %q, want %q", port, got, want)
		}
	}
}

func TestARuleIsNotAskedOfAListenerThatWaitsForItsPort(t *testing.T) {
	in := baseInput()
	annotate(app(in), plan.ListenerPortKey, "https")
	in.Defaults.Rules = notOn(0)
	if got := reasons(plan.For(*in)); !slices.Equal(got, []plan.Reason{plan.ReasonInvalidPort}) {
		t.Errorf("reasons = %v, want %s alone", got, plan.ReasonInvalidPort)
	}
}

// Else a rule against Gateways that have our label would take off what it has just
// let on, and again.
func TestARuleDoesNotSeeWhatThePlanWrites(t *testing.T) {
	in := baseInput()
	in.Gateway.Labels = map[string]string{"team": "a"}
	annotate(in.Gateway, certmanagerv1.IngressIssuerNameAnnotationKey, "ca")
	var seen []any
	in.Defaults.Rules = judging(func(c plan.Candidate) string {
		seen = append(seen, []any{c.Gateway.Labels, c.Gateway.Annotations})
		return ""
	})
	plan.For(*in)
	after := settled(*in)
	plan.For(after)
	if diff := cmp.Diff(seen[0], seen[len(seen)-1]); diff != "" {
		t.Errorf("the Gateway before and after (-before +after):\n%s", diff)
	}
	if after.Gateway.Labels[plan.ManagedKey] == "" || after.Gateway.Annotations[certmanagerv1.CertificateIgnoreTLSListeners] == "" {
		t.Errorf("the Gateway has lost %v %v", after.Gateway.Labels, after.Gateway.Annotations)
	}
}

func TestRulesThatAllowAllChangeNoPlan(t *testing.T) {
	for seed := range uint64(100) {
		w := newWorld(seed, 4)
		for turn := range 6 {
			w.turn()
			want := plan.For(w.in)
			ruled := w.in
			ruled.Defaults.Rules = judging(func(plan.Candidate) string { return "" })
			if got := plan.For(ruled); !reflect.DeepEqual(want, got) {
				t.Fatalf("seed %d, turn %d (-without +with):\n%s", seed, turn, cmp.Diff(want, got))
			}
			w.in.Gateway = applied(w.in.Gateway, want)
		}
	}
}

func TestWhateverRulesForbidThePlanIsRight(t *testing.T) {
	seen := map[plan.Reason]int{}
	for seed := range uint64(80) {
		w := newWorld(seed, 5)
		w.rules = []plan.Rules{nil, notOn(443), notOn(8443), judging(func(c plan.Candidate) string {
			if c.Certificate.Namespace != c.Gateway.Namespace || len(c.Hostname)%2 == 0 {
				return "no"
			}
			return ""
		})}
		live(t, w, seen)
	}
	if seen[plan.ReasonRuleNotMet] < 100 {
		t.Errorf("%d refusals: these worlds do not try them", seen[plan.ReasonRuleNotMet])
	}
}

// dear are rules that allow everything, and count how often they are asked.
type dear struct {
	cost  uint64
	asked map[string]int // by namespace
}

func (d *dear) Judge(c plan.Candidate) plan.Ruling {
	d.asked[c.Certificate.Namespace]++
	return plan.Ruling{Cost: d.cost}
}

// besieged has a tenant, older than all others, ask for as many hostnames as are
// looked at.
func besieged(rules plan.Rules) *plan.Input {
	in := baseInput()
	in.Certificates = nil
	for i := range 63 {
		c := certificate("greedy", fmt.Sprintf("c%02d", i), dnsNames(plan.MaxDNSNames)...)
		c.CreationTimestamp.Time = c.CreationTimestamp.AddDate(-1, 0, 0)
		in.Certificates = append(in.Certificates, c)
	}
	in.Certificates = append(in.Certificates, certificate("infra", "app", "app.example.com"))
	in.Defaults.CertificateNamespaces = "All"
	in.Defaults.Rules = rules
	return in
}

func TestWhatOneTenantAsksForCannotMakeAPlanCostMoreThanABound(t *testing.T) {
	rules := &dear{cost: 10_000, asked: map[string]int{}}
	p := plan.For(*besieged(rules))
	if got := rules.asked["greedy"]; got != 100 {
		t.Errorf("rules of 10000 each were asked %d times for one of two namespaces, want 100", got)
	}
	if rules.asked["infra"] != 1 {
		t.Error("the rules were not asked for the other namespace")
	}
	untold := slices.IndexFunc(p.Rejections, func(f plan.Finding) bool {
		return f.Reason == plan.ReasonRuleNotMet && f.Certificate.Namespace == "greedy"
	})
	if untold < 0 {
		t.Error("nobody is told of what is not looked at")
	}
}

func TestAListenerThatStandsIsJudgedWhateverOthersAskFor(t *testing.T) {
	in := besieged(nil)
	in.Certificates, in.Gateway.Spec.Listeners = in.Certificates[63:], in.Gateway.Spec.Listeners[:1]
	crowd := besieged(nil).Certificates[:63]
	after := settled(*in)
	after.Certificates = append(after.Certificates, crowd...)
	for i := range crowd { // as if each were a tenant of its own
		after.Certificates[1+i].Namespace = fmt.Sprintf("greedy%02d", i)
	}
	after.Defaults.Rules = &dear{cost: 10_000_000, asked: map[string]int{}}
	if got := serving(plan.For(after))["app.example.com"]; got == "" {
		t.Error("the listener is gone")
	}
}

func TestRulesThatCostLittleAreAskedForAllThatIsLookedAt(t *testing.T) {
	rules := &dear{cost: 60, asked: map[string]int{}}
	plan.For(*besieged(rules))
	if got := rules.asked["greedy"]; got != 63*plan.MaxDNSNames {
		t.Errorf("the rules were asked %d times, want %d", got, 63*plan.MaxDNSNames)
	}
}

// The words of each are true also where the Certificate asks for the listener.
func TestTheLastListenerStaysThoughARuleIsAgainstIt(t *testing.T) {
	in := settled(*baseInput())
	in.Gateway.Spec.Listeners = in.Gateway.Spec.Listeners[1:]
	in.Defaults.Rules = notOn(443)
	p := plan.For(in)
	if got := reasons(p); !p.Unchanged() || !slices.Equal(got, []plan.Reason{plan.ReasonLastListenerKept, plan.ReasonRuleNotMet}) {
		t.Fatalf("changes %+v and reasons %v, want none and both", p.Changes, got)
	}
	if message := p.Rejections[0].Message; strings.Contains(message, "nothing asks") {
		t.Errorf("it says %q of a listener that is asked for", message)
	}
}
