package config

import (
	"iter"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// tree is a YAML document with the places of its nodes. It serves to say where
// something is: what the document means is for the decoder alone to say.
type tree struct{ root *yaml.Node }

// place counts from 1, columns in characters; 0 is unknown.
type place struct{ line, column int }

func placeOf(node *yaml.Node) place { return place{node.Line, node.Column} }

// treeOf reads the first document. One that cannot be read is a tree without
// places.
func treeOf(data []byte) tree {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil || len(document.Content) == 0 {
		return tree{root: &yaml.Node{}}
	}
	return tree{root: document.Content[0]}
}

// member is a key with its value, or an item of a list.
type member struct {
	key   *yaml.Node // nil: an item
	value *yaml.Node
	rest  string // of the path that led here
}

// find returns the place of what a path names: of the value, or of the key where
// that is asked for. Where there is no such key it is the place of the nearest
// mapping around it.
func (t tree) find(path string, aboutKey bool) place {
	here := member{value: t.root, rest: path}
	for here.rest != "" {
		next, found := step(here.value, here.rest)
		if !found {
			break
		}
		here = next
	}
	return here.place(aboutKey)
}

// place is that of the key unless the value can be pointed at: only a scalar
// begins where people would look for it.
func (m member) place(aboutKey bool) place {
	leftOpen := m.value.Tag == "!!null" && m.value.Value == ""
	if m.key != nil && (aboutKey || leftOpen || m.value.Kind == yaml.MappingNode || m.value.Kind == yaml.SequenceNode) {
		return placeOf(m.key)
	}
	return placeOf(m.value)
}

// step goes from a node to the member that a path begins with.
func step(node *yaml.Node, path string) (member, bool) {
	node = resolve(node)
	if node.Kind == yaml.SequenceNode {
		return stepToItem(node, path)
	}
	return stepToKey(node, path, maxMerges)
}

func resolve(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

func stepToItem(list *yaml.Node, path string) (member, bool) {
	text, rest, closed := strings.Cut(strings.TrimPrefix(path, "["), "]")
	i, err := strconv.Atoi(text)
	if !closed || err != nil || i < 0 || i >= len(list.Content) {
		return member{}, false
	}
	return member{value: list.Content[i], rest: strings.TrimPrefix(rest, ".")}, true
}

// maxMerges bounds mappings that are merged into ones that are merged: one may
// contain itself.
const maxMerges = 10

// stepToKey prefers the longest key that fits, as keys may have dots in them, and
// of several the last, which the decoder takes too. Merged keys come last.
func stepToKey(mapping *yaml.Node, path string, merges int) (member, bool) {
	best, found := member{}, false
	for key, value := range pairs(mapping) {
		rest, fits := cutKey(path, key.Value)
		if fits && (!found || len(key.Value) >= len(best.key.Value)) {
			best, found = member{key, value, rest}, true
		}
	}
	if found || merges == 0 {
		return best, found
	}
	for key, value := range pairs(mapping) {
		if key.Tag != "!!merge" {
			continue
		}
		if merged, ok := stepToMerged(resolve(value), path, merges-1); ok {
			return merged, true
		}
	}
	return member{}, false
}

// stepToMerged looks into a merged mapping, or a list of such.
func stepToMerged(node *yaml.Node, path string, merges int) (member, bool) {
	if node.Kind != yaml.SequenceNode {
		return stepToKey(node, path, merges)
	}
	for _, item := range node.Content {
		if found, ok := stepToKey(resolve(item), path, merges); ok {
			return found, true
		}
	}
	return member{}, false
}

// cutKey takes a key off the front of a path, be it written .key or [key].
func cutKey(path, key string) (rest string, ok bool) {
	if rest, ok := strings.CutPrefix(path, "["+key+"]"); ok {
		return strings.TrimPrefix(rest, "."), true
	}
	rest, ok = strings.CutPrefix(path, key)
	switch {
	case !ok || key == "":
		return "", false
	case rest == "" || rest[0] == '[':
		return rest, true
	}
	return strings.CutPrefix(rest, ".")
}

// pairs are the keys of a mapping with their values; none of anything else.
func pairs(mapping *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		if mapping.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(mapping.Content); i += 2 {
			if !yield(mapping.Content[i], mapping.Content[i+1]) {
				return
			}
		}
	}
}
