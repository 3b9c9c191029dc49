//go:build from29 && !from32

package upstream

import (
	"context"

	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// NewDefaultPreemption makes the plugin of this name with its default arguments.
func NewDefaultPreemption(ctx context.Context, f framework.Framework) (framework.Plugin, error) {
	return plugins.NewInTreeRegistry()[names.DefaultPreemption](
		ctx, &config.DefaultPreemptionArgs{MinCandidateNodesPercentage: 10, MinCandidateNodesAbsolute: 100}, f)
}

// Select is the scheduler's tie-break.
func Select(ctx context.Context, e *preemption.Evaluator, candidates []preemption.Candidate) preemption.Candidate {
	return e.SelectCandidate(ctx, candidates)
}
