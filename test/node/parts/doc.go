// Package parts has the programs that a node is made of: those that are built
// from Go modules, once per version into the cache, and those that Debian builds.
//
// What is pinned is pinned in few places: the go.mod of each nested module beside
// this package, and the file debian.txt.
package parts
