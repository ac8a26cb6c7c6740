package reconcile

import (
	"crypto/sha256"
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// mark tells one state of a Gateway from every other, but for what of its status no
// run looks at. It is small, whatever its owner has written: an object may have 256
// kB of annotations.
type mark struct {
	uid             types.UID
	resourceVersion string
	generation      int64
	metadata        [sha256.Size]byte
	complaints      complaints
}

func markOf(o Outcome) mark {
	return mark{o.left.UID, o.left.ResourceVersion, o.left.Generation, metadataDigest(o.left), o.complaints}
}

// metadataDigest is of what no generation tells of.
func metadataDigest(object metav1.ObjectMeta) [sha256.Size]byte {
	// Maps of strings are always encoded, and sorted by their keys.
	text, _ := json.Marshal([]map[string]string{object.Labels, object.Annotations})
	return sha256.Sum256(text)
}
