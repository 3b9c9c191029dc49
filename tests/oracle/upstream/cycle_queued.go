//go:build from36

package upstream

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// SchedulePod runs the scheduler's own cycle up to the choice of a node.
func SchedulePod(ctx context.Context, s *scheduler.Scheduler, f framework.Framework, state CycleState, pod *v1.Pod) (string, error) {
	// As in the queue, terms that cannot be parsed are left out.
	info, _ := framework.NewPodInfo(pod)
	result, err := s.SchedulePod(ctx, f, state, &framework.QueuedPodInfo{PodInfo: info})
	return result.SuggestedHost, err
}
