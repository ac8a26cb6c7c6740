package plan

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// MigrateInput is what coming from the gateway-cert-operator depends on. Nothing
// of it is modified.
type MigrateInput struct {
	// Scope names the Gateways in question; an empty part stands for all.
	Scope types.NamespacedName
	// Gateways are all those of the scope, as they stand.
	Gateways []gatewayv1.Gateway
	// Certificates are all of the cluster that name a Gateway, by label or by
	// annotation. From fewer it could not be told what is stale.
	Certificates []certmanagerv1.Certificate
	// Namespaces and Defaults are those of [Input].
	Namespaces map[string]metav1.ObjectMeta
	Defaults   Defaults
}

// Migration is what coming from the gateway-cert-operator means for one Gateway.
type Migration struct {
	Gateway types.NamespacedName
	// Missing is set when there is no such Gateway.
	Missing bool
	// Certificates are those that name the Gateway by annotation only, by name.
	Certificates []Unlabelled
	// Listeners are those that are called as the gateway-cert-operator called its
	// own and that the ledger does not name, by name.
	Listeners []LeftListener
}

// Unlabelled is a Certificate that only the gateway-cert-operator understands.
type Unlabelled struct {
	Certificate types.NamespacedName
	// ResourceVersion is that of the Certificate as it was read.
	ResourceVersion string
	// Labels would say to the handler what the annotations say. Nil if they
	// cannot, and then Why tells why.
	Labels map[string]string
	Why    string
}

// Fate is what becomes of a listener when the handler comes.
type Fate string

// The fates.
const (
	// TakenOver: a Certificate asks for just this listener, and so it becomes
	// the handler's.
	TakenOver Fate = "TakenOver"
	// Kept: a Certificate asks for it, yet the handler will not take it over. It
	// serves, so it is not stale.
	Kept Fate = "Kept"
	// UserOwned: the gateway-cert-operator cannot have written it like that.
	UserOwned Fate = "UserOwned"
	// Stale: the gateway-cert-operator wrote it, and nothing that lives asks for it.
	Stale Fate = "Stale"
)

// LeftListener is a listener on a Gateway as the gateway-cert-operator left it.
type LeftListener struct {
	Name     gatewayv1.SectionName
	Hostname gatewayv1.Hostname
	Fate     Fate
	// Certificate is the one that asks for it; zero if there is none.
	Certificate types.NamespacedName
	// Why says to a person what is behind the fate. Empty where the fate says all.
	Why string
	// Stays is why a stale one cannot be removed; empty if it can.
	Stays string
}

// Removable reports whether the listener may go.
func (l LeftListener) Removable() bool { return l.Fate == Stale && l.Stays == "" }

// Migrate decides what there is to do, Gateway by Gateway, by name. Gateways
// without anything to say of are left out. Certificates are judged as if their
// labels were set already.
func Migrate(in MigrateInput) []Migration {
	gateways := map[types.NamespacedName]*gatewayv1.Gateway{}
	for i := range in.Gateways {
		gateways[NameOf(&in.Gateways[i])] = &in.Gateways[i]
	}
	all := in.formers()
	var migrations []Migration
	for _, name := range in.names(gateways, all) {
		m := Migration{Gateway: name, Missing: gateways[name] == nil}
		for _, f := range all {
			if f.gateway == name && f.unlabelled != nil {
				m.Certificates = append(m.Certificates, *f.unlabelled)
			}
		}
		if !m.Missing {
			m.Listeners = in.leftOn(gateways[name], all)
		}
		if m.Missing || len(m.Certificates)+len(m.Listeners) > 0 {
			migrations = append(migrations, m)
		}
	}
	return migrations
}

// names returns the Gateways that there are, those that Certificates would name
// and the one that was asked for, as far as they are in the scope.
func (in MigrateInput) names(gateways map[types.NamespacedName]*gatewayv1.Gateway, all []former) []types.NamespacedName {
	names := map[types.NamespacedName]bool{in.Scope: in.Scope.Namespace != "" && in.Scope.Name != ""}
	for name := range gateways {
		names[name] = true
	}
	for _, f := range all {
		names[f.gateway] = names[f.gateway] || f.unlabelled != nil
	}
	maps.DeleteFunc(names, func(name types.NamespacedName, concerned bool) bool {
		return !concerned || name.Namespace != cmp.Or(in.Scope.Namespace, name.Namespace) || name.Name != cmp.Or(in.Scope.Name, name.Name)
	})
	return slices.SortedFunc(maps.Keys(names), byNamespaceAndName)
}

func byNamespaceAndName(a, b types.NamespacedName) int {
	return strings.Compare(a.String(), b.String())
}
