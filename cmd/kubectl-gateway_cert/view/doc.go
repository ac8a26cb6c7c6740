// Package view holds what was read of a cluster with a person's own rights, and
// what could not be.
//
// It plans as the handler does. Where a right is missing it takes less for
// granted: a listener whose Certificate could not be read stays as it is.
package view
