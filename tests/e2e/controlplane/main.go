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

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // as the programs themselves do
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

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
	switch program {
	case "etcd":
		etcdmain.Main(os.Args)
	case "kube-apiserver":
		os.Exit(cli.Run(apiserver.NewAPIServerCommand()))
	case "kube-controller-manager":
		os.Exit(cli.Run(controllers.NewControllerManagerCommand()))
	case "kube-scheduler":
		os.Exit(cli.Run(scheduler.NewSchedulerCommand()))
	default:
		fail("there is no program " + program)
	}
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(2)
}
