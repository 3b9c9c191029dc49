// One program that is a whole control plane: etcd, kube-apiserver, kube-controller-manager and kube-scheduler of one
// release, as that release's own code. Which of them it is, its first argument says:
//
//	controlplane kube-scheduler --kubeconfig=...
//
// One link instead of four, and what they share is stored once. With CONTROLPLANE_STDIN=alive it lives as long as its
// standard input: whoever started it holds the other end, and however that ends, nothing stays behind.
package main

import (
	"fmt"
	"io"
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // as the programs themselves do
	_ "k8s.io/component-base/metrics/prometheus/version"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

// What it can be: the scheduler, and what others.go adds to it.
var programs = map[string]func() int{
	"kube-scheduler": func() int { return cli.Run(scheduler.NewSchedulerCommand()) },
}

func main() {
	if len(os.Args) < 2 {
		fail("which program? etcd, kube-apiserver, kube-controller-manager or kube-scheduler")
	}
	if os.Getenv("CONTROLPLANE_STDIN") == "alive" {
		go func() {
			io.Copy(io.Discard, os.Stdin)
			os.Exit(0)
		}()
	}
	program := os.Args[1]
	// The programs read the arguments of their process.
	os.Args = append([]string{program}, os.Args[2:]...)
	run, there := programs[program]
	if !there {
		fail("there is no program " + program)
	}
	os.Exit(run())
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(2)
}
