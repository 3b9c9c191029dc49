// Karpenter as a program whose cloud makes nodes that nobody runs: its provider for tests, from its own module.
//
//	karpenter karpenter KUBECONFIG --metrics-port=0 --health-probe-port=0 --disable-leader-election=true
//
// The first argument is its name, as for the programs of the control plane. With CONTROLPLANE_STDIN=alive it lives as long
// as its standard input, as they do.
package main

import (
	"io"
	"log"
	"os"

	kwok "sigs.k8s.io/karpenter/kwok/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/cloudprovider/overlay"
	"sigs.k8s.io/karpenter/pkg/controllers"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/operator"
)

func main() {
	if os.Getenv("CONTROLPLANE_STDIN") == "alive" {
		go func() {
			io.Copy(io.Discard, os.Stdin)
			os.Exit(0)
		}()
	}
	if len(os.Args) < 3 {
		log.Fatal("usage: karpenter NAME KUBECONFIG [FLAG]...")
	}
	// Karpenter has no flag for it, and reads the flags of its process.
	os.Setenv("KUBECONFIG", os.Args[2])
	os.Args = append([]string{os.Args[1]}, os.Args[3:]...)

	ctx, op := operator.NewOperator()
	sizes, err := kwok.ConstructInstanceTypes(ctx)
	if err != nil {
		log.Fatal(err)
	}
	client := op.GetClient()
	cloud := kwok.NewCloudProvider(ctx, client, sizes)
	provider := overlay.Decorate(cloud, client, op.InstanceTypeStore)
	nodes := state.NewCluster(op.Clock, client, provider)
	all := controllers.NewControllers(ctx, op.Manager, op.Clock, client, op.EventRecorder, provider, cloud, nodes, op.InstanceTypeStore)
	op.WithControllers(ctx, all...).Start(ctx)
}
