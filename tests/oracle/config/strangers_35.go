//go:build from35

package main

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// usual has every point of which the scheduler does not demand exactly one plugin, or one at least. Nothing asks it.
type usual struct {
	name string
	fwk.PreEnqueuePlugin
	fwk.PreFilterPlugin
	fwk.FilterPlugin
	fwk.PostFilterPlugin
	fwk.PreScorePlugin
	fwk.ScorePlugin
	fwk.ReservePlugin
	fwk.PermitPlugin
	fwk.PreBindPlugin
	fwk.PostBindPlugin
}

func (u usual) Name() string { return u.name }

// special makes plugins with a point besides the usual ones, by the names of the points' fields.
var special = map[string]func(usual) fwk.Plugin{
	"QueueSort": func(u usual) fwk.Plugin { return sorting{usual: u} },
	"Bind":      func(u usual) fwk.Plugin { return binding{usual: u} },
}

type sorting struct {
	usual
	fwk.QueueSortPlugin
}

func (s sorting) Name() string { return s.name }

type binding struct {
	usual
	fwk.BindPlugin
}

func (b binding) Name() string { return b.name }

func newStranger(name, point string) frameworkruntime.PluginFactory {
	return func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
		if with, is := special[point]; is {
			return with(usual{name: name}), nil
		}
		return usual{name: name}, nil
	}
}
