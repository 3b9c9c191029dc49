//go:build from32

package main

import (
	"errors"
	"flag"
	"os"
	"runtime"

	"oracle/decide"
)

// benchCommand times the scheduler on a whole cluster, a List as `kubectl get -o json` writes it.
func benchCommand(args []string) error {
	flags := flag.NewFlagSet("bench", flag.ExitOnError)
	pod := flags.String("pod", "team-000/preemptor", "the pending pod, namespace/name")
	threads := flags.Int("threads", 2, "threads")
	runs := flags.Int("runs", 2, "the least of so many runs is told")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("bench takes one file")
	}
	runtime.GOMAXPROCS(*threads)
	cluster, err := os.ReadFile(flags.Arg(0))
	if err != nil {
		return err
	}
	measured, err := decide.Measure(cluster, *pod, *threads, *runs)
	if err != nil {
		return err
	}
	text, err := encode(measured)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(append(text, '\n'))
	return err
}
