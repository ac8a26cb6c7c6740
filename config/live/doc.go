// Package live holds the settings of a process that works: it watches the file
// that they come from, and puts in force what is valid of it.
//
// A version is loaded, validated, and what depends on it is built aside; then one
// pointer is swapped. Whoever took a [Snapshot] before goes on with it. What is
// not valid changes nothing: the last good version stays in force, and the caller
// is told why.
package live
