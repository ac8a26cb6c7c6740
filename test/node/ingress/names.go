package main

import (
	"context"
	"net"
	"sync"
	"time"
)

// namesTTL is that of the cluster's name server. A Service keeps its address as
// long as it is there.
const namesTTL = 5 * time.Second

// names knows the addresses of Services, so that not each request asks for one, as
// no networking layer does.
type names struct {
	lookup func(ctx context.Context, host string) ([]string, error)
	now    func() time.Time

	mu    sync.Mutex
	known map[string]name
}

type name struct {
	ip    string
	until time.Time
}

// newNames asks the server dns, or the machine's where that is empty.
func newNames(dns string) *names {
	resolver := &net.Resolver{PreferGo: true}
	if dns != "" {
		resolver.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, dns)
		}
	}
	return &names{lookup: resolver.LookupHost, now: time.Now, known: map[string]name{}}
}

// address returns the address of a host, at most namesTTL old.
func (n *names) address(ctx context.Context, host string) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if one := n.known[host]; n.now().Before(one.until) {
		return one.ip, nil
	}
	ips, err := n.lookup(ctx, host)
	if err != nil {
		delete(n.known, host)
		return "", err
	}
	n.known[host] = name{ips[0], n.now().Add(namesTTL)}
	return ips[0], nil
}
