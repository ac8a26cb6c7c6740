package reconcile

import (
	"crypto/sha256"
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// mark tells one state of a Gateway, but for its status, from every other. It is
// small, whatever its owner has written: an object may have 256 kB of annotations.
type mark struct {
	uid             types.UID
	resourceVersion string
	generation      int64
	metadata        [sha256.Size]byte
}

func markOf(gateway metav1.ObjectMeta) mark {
	return mark{gateway.UID, gateway.ResourceVersion, gateway.Generation, metadataDigest(gateway)}
}

// metadataDigest is of what no generation tells of.
func metadataDigest(object metav1.ObjectMeta) [sha256.Size]byte {
	// Maps of strings are always encoded, and sorted by their keys.
	text, _ := json.Marshal([]map[string]string{object.Labels, object.Annotations})
	return sha256.Sum256(text)
}
