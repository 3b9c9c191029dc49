// Checks the image for containers that scripts/image makes, by the library of crane and ko:
//
//	check-image LAYOUT FOLDER
//
// takes the unpacked layout, and unpacks the program for this machine into FOLDER.
package main

import (
	"archive/tar"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

func main() {
	if len(os.Args) != 3 {
		fail(fmt.Errorf("usage: check-image LAYOUT FOLDER"))
	}
	outer, err := layout.ImageIndexFromPath(os.Args[1])
	fail(err)
	// Every digest, size and media type, and that each layer unpacks to what the configuration says.
	fail(validate.Index(outer))
	manifest, err := outer.IndexManifest()
	fail(err)
	index, err := outer.ImageIndex(manifest.Manifests[0].Digest)
	fail(err)
	images, err := index.IndexManifest()
	fail(err)
	for _, entry := range images.Manifests {
		image, err := index.Image(entry.Digest)
		fail(err)
		check(image, entry)
		if entry.Platform.Architecture == runtime.GOARCH {
			unpack(image, os.Args[2])
		}
	}
}

// check says what is in an image, and fails if it would run as root or without the program.
func check(image v1.Image, entry v1.Descriptor) {
	config, err := image.ConfigFile()
	fail(err)
	if config.Architecture != entry.Platform.Architecture || config.OS != "linux" {
		fail(fmt.Errorf("the image for %v is one for %s/%s", entry.Platform, config.OS, config.Architecture))
	}
	if config.Config.User != "65532:65532" || len(config.Config.Entrypoint) != 1 {
		fail(fmt.Errorf("it runs %v as %q", config.Config.Entrypoint, config.Config.User))
	}
	size, err := image.Size()
	fail(err)
	layers, err := image.Layers()
	fail(err)
	for _, layer := range layers {
		packed, err := layer.Size()
		fail(err)
		size += packed
	}
	fmt.Printf("linux/%s: runs %s as %s, %d bytes\n", config.Architecture, config.Config.Entrypoint[0], config.Config.User, size)
}

func unpack(image v1.Image, folder string) {
	files := tar.NewReader(mutate.Extract(image))
	for {
		entry, err := files.Next()
		if err == io.EOF {
			return
		}
		fail(err)
		file, err := os.OpenFile(filepath.Join(folder, filepath.Base(entry.Name)), os.O_CREATE|os.O_WRONLY, os.FileMode(entry.Mode))
		fail(err)
		_, err = io.Copy(file, files)
		fail(err)
		fail(file.Close())
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "check-image:", err)
		os.Exit(1)
	}
}
