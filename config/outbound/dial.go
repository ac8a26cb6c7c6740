package outbound

import (
	"context"
	"net"
)

// dialer makes connections that end with a context at the latest. net/http closes
// what is idle when it is told to; HTTP/2 may hold one that will be idle in a
// moment, and would keep it.
func dialer(lifetime context.Context) func(ctx context.Context, network, address string) (net.Conn, error) {
	dial := (&net.Dialer{Timeout: dialTimeout, KeepAlive: keepAlive}).DialContext
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		made, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &connection{made, context.AfterFunc(lifetime, func() { _ = made.Close() })}, nil
	}
}

type connection struct {
	net.Conn
	forget func() bool
}

func (c *connection) Close() error {
	c.forget()
	return c.Conn.Close()
}
