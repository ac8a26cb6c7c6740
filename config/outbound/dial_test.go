package outbound

import (
	"context"
	"io"
	"net"
	"testing"
)

// far returns a listener's address and the far ends of connections to it.
func far(t *testing.T) (address string, ends <-chan net.Conn) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	accepted := make(chan net.Conn, 10)
	go func() {
		for {
			end, err := listener.Accept()
			if err != nil {
				return
			}
			accepted <- end
		}
	}()
	return listener.Addr().String(), accepted
}

func TestAConnectionEndsWithItsClient(t *testing.T) {
	address, ends := far(t)
	lifetime, end := context.WithCancel(t.Context())
	dial := dialer(lifetime)
	if _, err := dial(t.Context(), "tcp", address); err != nil {
		t.Fatal(err)
	}
	end()
	if _, err := (<-ends).Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the far end reads %v, want that the connection is closed", err)
	}
	// One that was still being dialled then.
	if _, err := dial(t.Context(), "tcp", address); err != nil {
		t.Fatal(err)
	}
	if _, err := (<-ends).Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the far end of a late one reads %v, want that the connection is closed", err)
	}
}

func TestAConnectionThatIsClosedIsForgotten(t *testing.T) {
	address, _ := far(t)
	made, err := dialer(t.Context())(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	if err := made.Close(); err != nil {
		t.Fatal(err)
	}
	if made.(*connection).forget() {
		t.Error("its client still held it")
	}
}
