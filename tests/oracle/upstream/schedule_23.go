//go:build from22 && !from24

package upstream

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// ErrNoNodes is the error of a cluster without nodes.
var ErrNoNodes = scheduler.ErrNoNodesAvailable

// NominatedFirst says whether a node to which the pod is nominated is taken if it fits.
const NominatedFirst = true

// Schedule runs the scheduler's own cycle up to the choice of a node.
func Schedule(ctx context.Context, s *scheduler.Scheduler, f framework.Framework, state *framework.CycleState, pod *v1.Pod) (scheduler.ScheduleResult, error) {
	return s.Algorithm.Schedule(ctx, nil, f, state, pod)
}

// Sampler is what knows at which node the next search starts.
func Sampler(s *scheduler.Scheduler) any { return s.Algorithm }
