package outbound

// Versions returns how many clients the factory keeps or is making.
func (f *Factory) Versions() int {
	f.cache.mu.Lock()
	defer f.cache.mu.Unlock()
	return len(f.cache.versions)
}

// Pauses returns how many failures the factory remembers.
func (f *Factory) Pauses() int {
	f.cache.mu.Lock()
	defer f.cache.mu.Unlock()
	return len(f.cache.pauses)
}

// Sweep does at once what the factory does every so often.
func (f *Factory) Sweep() { f.cache.evictIdle() }

// Kept tells whether the factory still keeps the leased client, and not another
// in its place.
func (f *Factory) Kept(l *Lease) bool {
	f.cache.mu.Lock()
	defer f.cache.mu.Unlock()
	return f.cache.versions[l.version.key] == l.version
}

// Fingerprint returns what must never be shown.
func (l *Lease) Fingerprint() string { return string(l.version.key.fingerprint[:]) }

// IsSame tells whether two leases are on one client.
func (l *Lease) IsSame(other *Lease) bool { return l.version.client == other.version.client }

// OnClose calls f when the leased client is closed.
func (l *Lease) OnClose(f func()) {
	cancel := l.version.client.cancel
	l.version.client.cancel = func() { cancel(); f() }
}
