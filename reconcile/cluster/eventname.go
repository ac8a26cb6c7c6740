package cluster

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/truncate"
)

const (
	// maxNote and maxInstance are the API's limits, in bytes.
	maxNote     = 1024
	maxInstance = 128
)

// eventName is the same for the same key about the same object, or where there is
// none for the same words, so that a repeat finds the Event that it repeats. It is
// the object's name, so that people see what it is about, then 16 hex digits; a
// DNS subdomain, as the object's name is one.
func eventName(e Event) string {
	regarding := e.Regarding
	words := strings.Join([]string{
		string(regarding.UID), regarding.Kind, regarding.Namespace, regarding.Name, e.Type, e.Reason, cmp.Or(e.Key, e.Note),
	}, "\x00")
	sum := sha256.Sum256([]byte(words))
	suffix := "." + hex.EncodeToString(sum[:8])
	name := regarding.Name
	if limit := validation.DNS1123SubdomainMaxLength - len(suffix); len(name) > limit {
		name = strings.TrimRight(name[:limit], ".-")
	}
	return name + suffix
}

// reportingInstance is the host, in a cluster the pod's name. Events must have
// one, so that where it is not known the program's name stands in.
func reportingInstance() string {
	host, _ := os.Hostname()
	return truncate.Text(cmp.Or(host, FieldManager), maxInstance)
}
