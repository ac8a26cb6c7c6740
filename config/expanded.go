package config

import "go.yaml.in/yaml/v3"

// maxExpanded bounds, in bytes, what a file comes to when each alias is written
// out. The YAML library minds how many there are, but not how long: some kilobytes
// of them can fill any memory, and would end a process that works.
const maxExpanded = 4 << 20

// expanded finds the alias by which the document gets too large.
func (t tree) expanded() []finding {
	e := expansion{sizes: map[*yaml.Node]int{}}
	e.size(t.root)
	if e.beyond == nil {
		return nil
	}
	return []finding{{message: "with each alias written out the settings are larger than 4 MiB: use fewer, or none", known: placeOf(e.beyond)}}
}

// expansion measures nodes, each that has an anchor once.
type expansion struct {
	sizes  map[*yaml.Node]int
	beyond *yaml.Node // the first alias with which something is too large
}

// size is at most some bytes above the bound.
func (e *expansion) size(node *yaml.Node) int {
	if known, ok := e.sizes[node]; ok {
		return known
	}
	if node.Anchor != "" {
		e.sizes[node] = 0 // within itself, which the decoder refuses
	}
	total := len(node.Value) + 1
	if node.Kind == yaml.AliasNode {
		total = e.size(node.Alias)
	}
	for _, child := range node.Content {
		total += e.size(child)
		if total > maxExpanded && e.beyond == nil && resolve(child) != child {
			e.beyond = child
		}
		total = min(total, maxExpanded+1)
	}
	if node.Anchor != "" {
		e.sizes[node] = total
	}
	return total
}
