//go:build from36

package main

import fwk "k8s.io/kube-scheduler/framework"

type generating struct {
	usual
	fwk.PlacementGeneratePlugin
}

func (g generating) Name() string { return g.name }

type placing struct {
	usual
	fwk.PlacementScorePlugin
}

func (p placing) Name() string { return p.name }

func init() {
	special["PlacementGenerate"] = func(u usual) fwk.Plugin { return generating{usual: u} }
	special["PlacementScore"] = func(u usual) fwk.Plugin { return placing{usual: u} }
}
