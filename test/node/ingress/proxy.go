package main

import (
	"context"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"time"

	"knative.dev/networking/pkg/apis/networking/v1alpha1"
)

// destination is where one request goes.
type destination struct {
	path  v1alpha1.HTTPIngressPath
	split v1alpha1.IngressBackendSplit
}

type destinationKey struct{}

// newProxy forwards by the routes as they are when a request comes. It asks dns
// for the addresses of Services.
func newProxy(current *atomic.Pointer[routes], dns string) http.Handler {
	proxy := &httputil.ReverseProxy{Transport: newTransport(dns), FlushInterval: -1, Rewrite: rewrite}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, found := current.Load().find(r)
		if !found || len(path.Splits) == 0 {
			http.NotFound(w, r)
			return
		}
		to := destination{path: path, split: pick(path.Splits, rand.IntN(100))}
		proxy.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), destinationKey{}, to)))
	})
}

func newTransport(dns string) *http.Transport {
	found := newNames(dns)
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		ip, err := found.address(ctx, host)
		if err != nil {
			return nil, err
		}
		return dialer.DialContext(ctx, network, net.JoinHostPort(ip, port))
	}
	// A connection that is kept stays with the pod that it was made to, also when
	// the Service has gone over to the activator meanwhile.
	return &http.Transport{DialContext: dial, DisableKeepAlives: true}
}

func rewrite(r *httputil.ProxyRequest) {
	to := r.In.Context().Value(destinationKey{}).(destination)
	// The dot at the end: without it the resolver would try other names first.
	service := to.split.ServiceName + "." + to.split.ServiceNamespace + ".svc.cluster.local."
	r.SetURL(&url.URL{Scheme: "http", Host: net.JoinHostPort(service, to.split.ServicePort.String())})
	r.SetXForwarded()
	r.Out.Host = r.In.Host
	if to.path.RewriteHost != "" {
		r.Out.Host = to.path.RewriteHost
	}
	appended := maps.Clone(to.path.AppendHeaders)
	if appended == nil {
		appended = map[string]string{}
	}
	maps.Copy(appended, to.split.AppendHeaders)
	for name, value := range appended {
		r.Out.Header.Set(name, value)
	}
}
