//go:build from28 && !from30

package upstream

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// Score runs the plugins of PreScore and Score.
func Score(ctx context.Context, f framework.Framework, state *framework.CycleState, pod *v1.Pod, infos []*framework.NodeInfo) ([]framework.NodePluginScores, *framework.Status) {
	nodes := make([]*v1.Node, len(infos))
	for i, info := range infos {
		nodes[i] = info.Node()
	}
	if status := f.RunPreScorePlugins(ctx, state, pod, nodes); !status.IsSuccess() {
		return nil, status
	}
	return f.RunScorePlugins(ctx, state, pod, nodes)
}
