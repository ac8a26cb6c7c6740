// Command release puts together what make release publishes, from what make has
// built: the image, the plugin for each platform, the manifests, a manifest for
// krew and checksums. From equal inputs it makes equal bytes.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"golang.org/x/mod/semver"
)

func main() {
	var r release
	flag.StringVar(&r.version, "version", "", "the `VERSION`, such as v1.2.3")
	flag.StringVar(&r.image, "image", "", "`NAME` of the handler's image where clusters pull it, without a tag")
	flag.StringVar(&r.download, "download", "", "`URL` of the directory that the files will be downloaded from")
	flag.StringVar(&r.source, "source", ".", "`DIRECTORY` of the source")
	flag.StringVar(&r.built, "built", "bin", "`DIRECTORY` with image/ and plugins/, which make has built")
	flag.StringVar(&r.to, "to", "bin/release", "`DIRECTORY` to write to, which must not exist")
	flag.Parse()
	if err := r.check(); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(2)
	}
	if err := r.write(); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func (r release) check() error {
	switch {
	case !semver.IsValid(r.version):
		return fmt.Errorf("version %q is not one by semver.org with a v before it, which krew and Go want: tag the commit, or give VERSION=v1.2.3", r.version)
	case semver.Build(r.version) != "":
		return fmt.Errorf("version %q has build metadata, which no tag of an image can have: leave out what follows the +", r.version)
	case r.image == "":
		return errors.New("give -image")
	case r.download == "":
		return errors.New("give -download")
	}
	return nil
}
