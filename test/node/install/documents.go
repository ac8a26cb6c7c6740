package install

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// document is one object of a manifest.
type document struct{ unstructured.Unstructured }

func parse(r io.Reader) ([]document, error) {
	var documents []document
	for reader := utilyaml.NewYAMLReader(bufio.NewReader(r)); ; {
		text, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		if err != nil {
			return nil, err
		}
		var d document
		if err := yaml.Unmarshal(text, &d.Object); err != nil {
			return nil, err
		}
		if d.Object != nil { // else there are comments alone
			documents = append(documents, d)
		}
	}
}

// write returns documents as one text for kubectl.
func write(documents []document) ([]byte, error) {
	var text bytes.Buffer
	for _, d := range documents {
		one, err := json.Marshal(d.Object)
		if err != nil {
			return nil, fmt.Errorf("write %s %s: %w", d.GetKind(), d.GetName(), err)
		}
		text.WriteString("---\n")
		text.Write(one)
		text.WriteByte('\n')
	}
	return text.Bytes(), nil
}

// built is how Knative's manifests name an image that ko would build.
var built = regexp.MustCompile(`ko://[a-z0-9./_-]+`)

// withImages puts the references of images in the place of import paths.
func withImages(text []byte, reference func(importPath string) (string, bool)) ([]byte, error) {
	var unknown error
	text = built.ReplaceAllFunc(text, func(name []byte) []byte {
		found, ok := reference(string(name[len("ko://"):]))
		if !ok {
			unknown = fmt.Errorf("there is no image for %s: add its program to package parts", name)
		}
		return []byte(found)
	})
	return text, unknown
}

// isDefinition tells what has to be there before the rest can be written.
func (d document) isDefinition() bool {
	return d.GetKind() == "CustomResourceDefinition" || d.GetKind() == "Namespace"
}
