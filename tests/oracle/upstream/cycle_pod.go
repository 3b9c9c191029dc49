//go:build k35

package upstream

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// SchedulePod runs the scheduler's own cycle up to the choice of a node.
func SchedulePod(ctx context.Context, s *scheduler.Scheduler, f framework.Framework, state CycleState, pod *v1.Pod) (string, error) {
	result, err := s.SchedulePod(ctx, f, state, pod)
	return result.SuggestedHost, err
}
