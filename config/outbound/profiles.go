package outbound

import "sync"

// profiles are those that a factory knows, by name.
type profiles struct {
	mu    sync.Mutex
	known map[string]Profile
}

func (p *profiles) register(profile Profile) error {
	if err := profile.validate(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if known, found := p.known[profile.Name]; found && known != profile {
		return configErrorf("profile %s is registered already, with other settings", profile.Name)
	}
	if p.known == nil {
		p.known = map[string]Profile{}
	}
	p.known[profile.Name] = profile
	return nil
}

func (p *profiles) get(name string) (Profile, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	profile, found := p.known[name]
	if !found {
		return Profile{}, configErrorf("profile %q is not registered", name)
	}
	return profile, nil
}
