//go:build !scheduler

package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

func init() {
	programs["etcd"] = func() int {
		etcdmain.Main(os.Args)
		return 0
	}
	programs["kube-apiserver"] = func() int { return cli.Run(apiserver.NewAPIServerCommand()) }
	programs["kube-controller-manager"] = func() int { return cli.Run(controllers.NewControllerManagerCommand()) }
}
