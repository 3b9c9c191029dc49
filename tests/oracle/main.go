// Command oracle says what the linked kube-scheduler decides. It is one program per release: see mods/ and `just oracle`.
//
//	oracle families                                               names for -family
//	oracle generate [-seed S] [-count N] [-start I] [-family F]   cases without an answer on stdout
//	oracle admit [-drop] [-check]                                 cases on stdin, on stdout as the API server would have stored them
//	oracle bench [-threads 2] [-pod namespace/name] FILE          time for one pod of a large cluster
//	oracle coverage                                               decided cases on stdin, what they exercise on stdout
//	oracle decide [-admit] [-runs 2] [-j N]                       cases on stdin, decided cases on stdout, line for line and in order
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"

	"oracle/generate"
	"oracle/upstream"
)

// stderr is the standard error that is ours alone, whatever a release logs to its own.
var stderr = os.Stderr

// version is the release that is linked, set by the build.
var version = "0.0.0"

func main() {
	debug.SetGCPercent(400)
	upstream.Silence()
	commands := map[string]func([]string) error{
		"generate": generateCommand,
		"admit":    admitCommand,
		"decide":   decideCommand,
		"coverage": coverageCommand,
		"bench":    benchCommand,
		"families": func([]string) error {
			_, err := fmt.Println(strings.Join(generate.Families(version), "\n"))
			return err
		},
	}
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(stderr, "oracle families|generate|admit|decide|coverage|bench; see main.go")
		os.Exit(2)
	}
	if err := commands[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintln(stderr, "oracle:", err)
		os.Exit(1)
	}
}

func decideCommand(args []string) error {
	flags := flag.NewFlagSet("decide", flag.ExitOnError)
	runs := flags.Int("runs", 2, "schedulers that decide each case; what differs between them is noticed")
	jobs := flags.Int("j", runtime.GOMAXPROCS(0), "cases decided at a time")
	refuse := flags.Bool("admit", false, "decide no case with an object that the API server would refuse (newest release only)")
	profile := flags.String("cpuprofile", "", "where to write a profile of this program")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *profile != "" {
		file, err := os.Create(*profile)
		if err != nil {
			return err
		}
		if err := pprof.StartCPUProfile(file); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	return stream(os.Stdin, os.Stdout, *jobs, func(line []byte) []byte { return decideLine(line, *runs, *refuse) })
}

func generateCommand(args []string) error {
	flags := flag.NewFlagSet("generate", flag.ExitOnError)
	seed := flags.Uint64("seed", 1, "another seed makes other clusters")
	count := flags.Int("count", 100, "how many")
	start := flags.Int("start", 0, "index of the first one")
	family := flags.String("family", "", "one of "+strings.Join(generate.Families(version), ", ")+"; all in turn when empty")
	if err := flags.Parse(args); err != nil {
		return err
	}
	families := generate.Families(version)
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	for index := *start; index < *start+*count; index++ {
		name := *family
		if name == "" {
			name = families[index%len(families)]
		}
		line, err := generate.One(version, *seed, name, index)
		if err != nil {
			return err
		}
		out.Write(append(line, '\n'))
	}
	return out.Flush()
}
