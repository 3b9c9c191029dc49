//go:build from23 && !from29

package upstream

import (
	"context"

	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// NewDefaultPreemption makes the plugin of this name with its default arguments.
func NewDefaultPreemption(_ context.Context, f framework.Framework) (framework.Plugin, error) {
	return plugins.NewInTreeRegistry()[names.DefaultPreemption](
		&config.DefaultPreemptionArgs{MinCandidateNodesPercentage: 10, MinCandidateNodesAbsolute: 100}, f)
}
