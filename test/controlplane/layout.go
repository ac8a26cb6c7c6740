package controlplane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// CacheDirVariable names the environment variable that moves the cache.
const CacheDirVariable = "GATEWAY_CERT_CACHE_DIR"

// layout is what there is to build, and where it goes.
type layout struct {
	assets   Assets
	programs []program
}

func readLayout(ctx context.Context) (layout, error) {
	given, err := readOverrides()
	if err != nil {
		return layout{}, err
	}
	source, err := sourceDir(ctx)
	if err != nil {
		return layout{}, err
	}
	r, err := readRecipe(ctx, source)
	if err != nil {
		return layout{}, err
	}
	key, err := r.key()
	if err != nil {
		return layout{}, err
	}
	base, err := CacheDir()
	if err != nil {
		return layout{}, err
	}
	return newLayout(filepath.Join(base, "control-plane", key), r.programs(), given), nil
}

func newLayout(dir string, programs []program, given overrides) layout {
	l := layout{assets: Assets{
		Dir:               dir,
		KubernetesDir:     dir,
		ReceiveAdapter:    filepath.Join(dir, receiveAdapter),
		ReceiveAdapterEnv: filepath.Join(dir, receiveAdapterEnv),
		BrokerControllers: filepath.Join(dir, brokerControllers),
		BrokerIngress:     filepath.Join(dir, brokerIngress),
		BrokerFilter:      filepath.Join(dir, brokerFilter),
		ChannelDispatcher: filepath.Join(dir, channelDispatcher),
	}}
	if given.replaceKubernetes() {
		l.assets.KubernetesDir = given.kubernetesDir
	}
	for _, p := range programs {
		if !given.replaces(p.name) {
			l.programs = append(l.programs, p)
		}
	}
	return l
}

func (l layout) target() target {
	return target{name: "control plane", estimate: "15 minutes", dir: l.assets.Dir, programs: l.programs}
}

// CacheDir returns the absolute path below which everything that is built for
// tests is kept, per version. It may be deleted at any time.
func CacheDir() (string, error) {
	if dir := os.Getenv(CacheDirVariable); dir != "" {
		// Tests run in the directory of their package, so a relative path
		// would be another one for each of them.
		if !filepath.IsAbs(dir) {
			return "", fmt.Errorf("%s=%s is a relative path: give an absolute one", CacheDirVariable, dir)
		}
		return dir, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", errors.Join(fmt.Errorf("find a cache directory: set %s to an absolute path", CacheDirVariable), err)
	}
	return filepath.Join(dir, "gateway-cert-handler"), nil
}
