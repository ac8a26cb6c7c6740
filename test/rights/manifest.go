package rights

import (
	"encoding/json"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// object is what is read of an object of the manifests: of a role, of a binding, or
// of something else.
type object struct {
	metav1.TypeMeta
	Metadata metav1.ObjectMeta
	Rules    []rbacv1.PolicyRule
	RoleRef  rbacv1.RoleRef
	Subjects []rbacv1.Subject
}

// Of returns the rights that a directory, as kubectl apply -k would send it, binds
// to a ServiceAccount. One that it binds twice ends the test: taken away once, it
// would not be missed.
func Of(tb testing.TB, dir, account string) []Right {
	tb.Helper()
	objects := build(tb, dir)
	var all []Right
	for _, o := range objects {
		if !binds(o, account) {
			continue
		}
		of := role(tb, objects, o)
		rights, err := split(of.Metadata.Name, of.Metadata.Namespace, of.Rules)
		namespace.Must(tb, err)
		all = append(all, rights...)
	}
	seen := map[Right]bool{}
	for _, r := range all {
		r.Role = ""
		if seen[r] {
			tb.Fatalf("%s has the right to %s twice in %s", account, r, dir)
		}
		seen[r] = true
	}
	return all
}

func build(tb testing.TB, dir string) []object {
	tb.Helper()
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	namespace.Must(tb, err)
	var objects []object
	for _, resource := range resources.Resources() {
		data, err := resource.MarshalJSON()
		namespace.Must(tb, err)
		var o object
		namespace.Must(tb, json.Unmarshal(data, &o))
		objects = append(objects, o)
	}
	return objects
}

func binds(o object, account string) bool {
	for _, subject := range o.Subjects {
		if subject.Kind == rbacv1.ServiceAccountKind && subject.Name == account {
			return true
		}
	}
	return false
}

// role returns the role of a binding. A ClusterRole in one namespace alone is not
// known here.
func role(tb testing.TB, objects []object, binding object) object {
	tb.Helper()
	for _, o := range objects {
		if o.Kind == binding.RoleRef.Kind && o.Kind+"Binding" == binding.Kind &&
			o.Metadata.Name == binding.RoleRef.Name && o.Metadata.Namespace == binding.Metadata.Namespace {
			return o
		}
	}
	tb.Fatalf("%s %s is of %s %s, which is not there", binding.Kind, binding.Metadata.Name, binding.RoleRef.Kind, binding.RoleRef.Name)
	return object{}
}
