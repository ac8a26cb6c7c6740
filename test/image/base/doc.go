// Package base makes the image that the handler's stands on where none can be
// pulled: like distroless static it has CA certificates and two users, and no
// shell, no library and no package manager.
package base
