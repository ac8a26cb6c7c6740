package config

import (
	"regexp"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

// toJSON goes by way of JSON, as Kubernetes does: sigs.k8s.io/yaml alone would
// take keys in any letter case, and then one key twice. It returns nil where the
// rest cannot be judged.
func toJSON(data []byte, in tree) ([]byte, []finding) {
	found := in.unfit()
	asJSON, err := yaml.YAMLToJSONStrict(data)
	if err == nil {
		return asJSON, found
	}
	if len(found) == 0 {
		found = refusals(err, data)
	}
	// Of a key that is there twice the last counts, and the rest can be judged.
	asJSON, err = yaml.YAMLToJSON(data)
	if err != nil {
		return nil, found
	}
	return asJSON, found
}

var (
	// atLine is how go-yaml says where something is.
	atLine = regexp.MustCompile(`(?m)^(?:yaml: | +)line (\d+): (.*)$`)
	// lineBreak is what go-yaml counts: YAML 1.1, section 5.4.
	lineBreak = regexp.MustCompile("\r\n|[\r\n\u0085\u2028\u2029]")
)

// refusals takes apart what go-yaml has found.
func refusals(err error, data []byte) []finding {
	var found []finding
	last := 1 + len(lineBreak.FindAllIndex(data, -1))
	for _, match := range atLine.FindAllStringSubmatch(err.Error(), -1) {
		line, _ := strconv.Atoi(match[1]) // digits; 0, unknown, if too many
		line = min(line, last)            // it may be one too high
		found = append(found, finding{message: "not YAML: " + match[2], known: place{line: line}})
	}
	if found == nil {
		found = append(found, finding{message: "not YAML: " + strings.TrimPrefix(err.Error(), "yaml: ")})
	}
	return found
}
