//go:build from21 && !from32

package upstream

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// NodeErrors is the number of different errors that the filters and scores of nodes end with.
func NodeErrors(ctx context.Context, f framework.Framework, pod *v1.Pod) int {
	state := framework.NewCycleState()
	if _, status := PreFilter(ctx, f, state, pod); !status.IsSuccess() {
		return 0
	}
	nodes, err := f.SnapshotSharedLister().NodeInfos().List()
	if err != nil {
		return 0
	}
	different := map[string]bool{}
	for _, info := range nodes {
		status := f.RunFilterPluginsWithNominatedPods(ctx, state, pod, info)
		if status.IsSuccess() {
			_, status = Score(ctx, f, state, pod, []*framework.NodeInfo{info})
		}
		if status.Code() == framework.Error {
			different[status.Message()] = true
		}
	}
	return len(different)
}
