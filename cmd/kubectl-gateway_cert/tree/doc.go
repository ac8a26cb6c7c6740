// Package tree shows Gateways with their listeners, whose each is, and the
// Certificates and Secrets behind them. It is pure, and knows of Secrets only what
// the status of their Certificates says.
package tree
