package outbound

import (
	"context"
	"fmt"
	"slices"
)

// Owner is whom a client is made for. Owners never share one, however alike
// their settings are.
type Owner struct {
	// Kind and Name are needed; Namespace and UID where the owner has them.
	Kind, Namespace, Name, UID string
}

// Config is what an owner wants a client to be. What it says, and what its files
// and its Trust hold at the time, is the client's version.
type Config struct {
	// Profile is the name of a registered profile.
	Profile string
	// Endpoints are the URLs that the client is for, at least one: it takes
	// requests to their schemes, hosts and ports and to no others, and only these
	// tell it from other clients. With authentication all must have https; without,
	// http is taken too.
	Endpoints []string
	Auth      Auth
	// Trust is needed; see [SystemRoots]. It is not asked, and the profile's client
	// certificate is not read, if all endpoints have http and no proxy with https
	// stands before them.
	Trust Trust
}

// spec is a Config that has been checked, with what it points at.
type spec struct {
	profile    Profile
	origins    []origin // sorted, each once
	auth       Auth
	roots      []byte
	clientCert pemPair
}

// specify reads all that a Config points at.
func (f *Factory) specify(ctx context.Context, owner Owner, config Config) (spec, error) {
	if owner.Kind == "" || owner.Name == "" {
		return spec{}, configErrorf("the owner of a client has no kind or no name")
	}
	profile, err := f.profiles.get(config.Profile)
	if err != nil {
		return spec{}, err
	}
	if err := config.Auth.validate(); err != nil {
		return spec{}, err
	}
	origins, err := config.origins()
	if err != nil {
		return spec{}, err
	}
	if config.Trust == nil {
		return spec{}, errNoTrust
	}
	auth := config.Auth
	auth.Scopes = slices.Clone(auth.Scopes) // needed when the caller may have gone
	wanted := spec{profile: profile, origins: origins, auth: auth}
	if err := wanted.readTLS(ctx, config.Trust); err != nil {
		return spec{}, err
	}
	return wanted, nil
}

func (c Config) origins() ([]origin, error) {
	if len(c.Endpoints) == 0 {
		return nil, configErrorf("no endpoint is set")
	}
	parse := parseURL
	if c.Auth.Mode != NoAuth {
		parse = parseHTTPS
	}
	var origins []origin
	for i, endpoint := range c.Endpoints {
		u, err := parse(fmt.Sprintf("endpoint %d", i+1), endpoint)
		if err != nil {
			return nil, err
		}
		origins = append(origins, originOf(u))
	}
	slices.SortFunc(origins, origin.compare)
	return slices.Compact(origins), nil
}
