//go:build from37

package main

import fwk "k8s.io/kube-scheduler/framework"

type grouping struct {
	usual
	fwk.PodGroupPostFilterPlugin
}

func (g grouping) Name() string { return g.name }

func init() {
	special["PodGroupPostFilter"] = func(u usual) fwk.Plugin { return grouping{usual: u} }
}
