// Command config says which configurations kube-scheduler starts with, and what it says of the others. It is one program
// per release; `build` in this folder builds it.
//
//	config [-seed S] [-count N] [-start I]   changed configurations and what becomes of them, a line each, on stdout
//	config -ask                              the same for configurations on stdin, one per line
//
// The first line holds the release. Each other line has the text `c` of a configuration. If the scheduler does not start
// with it, `stage` says where it stops: `load` while the file is decoded, `validate` in its validation, `new` while its
// extenders, profiles and plugins are made; `e` has its errors, each with the paths of fields that it names, as far as it
// names any.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"oracle/upstream"
)

// version is the release that is linked, set by the build.
var version = "0.0.0"

type header struct {
	Version string `json:"version"`
}

type line struct {
	Configuration string    `json:"c"`
	Stage         string    `json:"stage,omitempty"`
	Errors        []problem `json:"e,omitempty"`
}

func main() {
	seed := flag.Uint64("seed", 1, "another seed makes other configurations")
	count := flag.Int("count", 100, "how many")
	start := flag.Int("start", 0, "index of the first one")
	ask := flag.Bool("ask", false, "take the configurations from stdin")
	flag.Parse()
	upstream.Silence()
	if err := run(*seed, *count, *start, *ask); err != nil {
		fmt.Fprintln(os.Stderr, "config:", err)
		os.Exit(1)
	}
}

func run(seed uint64, count, start int, ask bool) error {
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(header{version}); err != nil {
		return err
	}
	if ask {
		in := bufio.NewScanner(os.Stdin)
		in.Buffer(nil, 1<<20)
		for in.Scan() {
			if err := encoder.Encode(judge(in.Text())); err != nil {
				return err
			}
		}
		return in.Err()
	}
	for index := start; index < start+count; index++ {
		if err := encoder.Encode(judge(changed(seed, uint64(index)))); err != nil {
			return err
		}
	}
	return nil
}
