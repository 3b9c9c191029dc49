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
	info, err := framework.NewPodInfo(pod)
	if err != nil {
		return "", err
	}
	result, err := s.SchedulePod(ctx, f, state, &framework.QueuedPodInfo{PodInfo: info})
	return result.SuggestedHost, err
}
