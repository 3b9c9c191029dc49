// Fills in .krew.yaml as krew-release-bot does, with archives of this machine instead of those of a release:
//
//	go run krew/manifest.go .krew.yaml v0.1.0 target/dist [NAME]
//
// writes the manifest to standard output, with another name of the plugin if one is given. The functions that a template may
// use are the bot's.
package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"text/template"
)

func main() {
	if len(os.Args) != 4 && len(os.Args) != 5 {
		fail("usage: manifest TEMPLATE VERSION FOLDER [NAME]")
	}
	file, release, folder := os.Args[1], struct{ TagName string }{os.Args[2]}, os.Args[3]
	functions := template.FuncMap{
		"indent": func(spaces int, text string) string {
			return strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", spaces))
		},
		"addURIAndSha": func(pattern, tag string) (string, error) {
			var uri strings.Builder
			address, err := template.New("uri").Parse(pattern)
			if err == nil {
				err = address.Execute(&uri, struct{ TagName string }{tag})
			}
			if err != nil {
				return "", err
			}
			archive, err := os.ReadFile(filepath.Join(folder, path.Base(uri.String())))
			return fmt.Sprintf("uri: %s\nsha256: %x", uri.String(), sha256.Sum256(archive)), err
		},
	}
	var manifest strings.Builder
	parsed, err := template.New(filepath.Base(file)).Funcs(functions).ParseFiles(file)
	if err == nil {
		err = parsed.Execute(&manifest, release)
	}
	if err != nil {
		fail(err.Error())
	}
	text := manifest.String()
	if len(os.Args) == 5 {
		// krew calls the program by the plugin's name, whatever its file is called.
		text = strings.Replace(text, "\n  name: preempt\n", "\n  name: "+os.Args[4]+"\n", 1)
	}
	fmt.Print(text)
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, "krew/manifest.go:", message)
	os.Exit(2)
}
