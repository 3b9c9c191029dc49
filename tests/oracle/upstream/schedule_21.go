//go:build k21

package upstream

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/core"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// ErrNoNodes is the error of a cluster without nodes.
var ErrNoNodes = core.ErrNoNodesAvailable

// NominatedFirst says whether a node to which the pod is nominated is taken if it fits; a gate does that, off by default.
const NominatedFirst = false

// Schedule runs the scheduler's own cycle up to the choice of a node.
func Schedule(ctx context.Context, s *scheduler.Scheduler, f framework.Framework, state *framework.CycleState, pod *v1.Pod) (core.ScheduleResult, error) {
	return s.Algorithm.Schedule(ctx, f, state, pod)
}
