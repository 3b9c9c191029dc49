//go:build !from35

package main

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// usual has every point of which the scheduler does not demand exactly one plugin, or one at least. Nothing asks it.
type usual struct {
	name string
	framework.PreEnqueuePlugin
	framework.PreFilterPlugin
	framework.FilterPlugin
	framework.PostFilterPlugin
	framework.PreScorePlugin
	framework.ScorePlugin
	framework.ReservePlugin
	framework.PermitPlugin
	framework.PreBindPlugin
	framework.PostBindPlugin
}

func (u usual) Name() string { return u.name }

// special makes plugins with a point besides the usual ones, by the names of the points' fields.
var special = map[string]func(usual) framework.Plugin{
	"QueueSort": func(u usual) framework.Plugin { return sorting{usual: u} },
	"Bind":      func(u usual) framework.Plugin { return binding{usual: u} },
}

type sorting struct {
	usual
	framework.QueueSortPlugin
}

func (s sorting) Name() string { return s.name }

type binding struct {
	usual
	framework.BindPlugin
}

func (b binding) Name() string { return b.name }

func newStranger(name, point string) frameworkruntime.PluginFactory {
	return func(context.Context, runtime.Object, framework.Handle) (framework.Plugin, error) {
		if with, is := special[point]; is {
			return with(usual{name: name}), nil
		}
		return usual{name: name}, nil
	}
}
