// Package version says which version of the product a program is.
package version

import "runtime/debug"

// released is set by the linker in what make release builds.
var released string

// String is the version of the release that the program belongs to. Without one it
// is what the Go toolchain has recorded: the module's version or, for a build from a
// checkout, the commit.
func String() string {
	if released != "" {
		return released
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			return setting.Value
		}
	}
	return "devel"
}
