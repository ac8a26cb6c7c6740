package config

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// unfit returns what YAML has room for and JSON has not: keys that are there
// twice or are no text, and numbers that are none.
func (t tree) unfit() []finding {
	var w walk
	w.visit("", t.root)
	return w.found
}

// walk goes through a tree. It follows no alias: what that stands for is visited
// where it is written.
type walk struct{ found []finding }

func (w *walk) visit(path string, node *yaml.Node) {
	switch node.Kind {
	case yaml.MappingNode:
		w.keys(path, node)
	case yaml.SequenceNode:
		for i, item := range node.Content {
			w.visit(path+"["+strconv.Itoa(i)+"]", item)
		}
	case yaml.ScalarNode:
		if text := strings.ToLower(node.Value); node.Tag == "!!float" && (strings.Contains(text, "inf") || strings.Contains(text, "nan")) {
			w.add(path, node, "want a number that is finite")
		}
	}
}

func (w *walk) keys(path string, mapping *yaml.Node) {
	first := map[string]int{}
	for key, value := range pairs(mapping) {
		if name := resolve(key); name.Kind != yaml.ScalarNode || name.Tag == "!!null" {
			w.add(path, key, "a key in it is no text: put it in quotes")
			continue
		}
		name := resolve(key).Value
		below := strings.TrimPrefix(path+"."+name, ".")
		if line, again := first[name]; again {
			w.add(below, key, fmt.Sprintf("the key is there twice, first in line %d: keep one", line))
		} else {
			first[name] = key.Line
		}
		w.visit(below, value)
	}
}

func (w *walk) add(path string, node *yaml.Node, message string) {
	w.found = append(w.found, finding{path: path, message: message, known: placeOf(node)})
}
