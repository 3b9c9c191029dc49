//go:build from30 && !from32

package upstream

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// Score runs the plugins of PreScore and Score: what each gives to each node.
func Score(ctx context.Context, f framework.Framework, state *framework.CycleState, pod *v1.Pod, infos []*framework.NodeInfo) (map[string]map[string]int64, *framework.Status) {
	if status := f.RunPreScorePlugins(ctx, state, pod, infos); !status.IsSuccess() {
		return nil, status
	}
	scored, status := f.RunScorePlugins(ctx, state, pod, infos)
	return parts(scored), status
}
