//go:build from21 && !from26

package upstream

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// Score runs the plugins of PreScore and Score: what each gives to each node.
func Score(ctx context.Context, f framework.Framework, state *framework.CycleState, pod *v1.Pod, infos []*framework.NodeInfo) (map[string]map[string]int64, *framework.Status) {
	nodes := make([]*v1.Node, len(infos))
	for i, info := range infos {
		nodes[i] = info.Node()
	}
	if status := f.RunPreScorePlugins(ctx, state, pod, nodes); !status.IsSuccess() {
		return nil, status
	}
	scored, status := f.RunScorePlugins(ctx, state, pod, nodes)
	parts := map[string]map[string]int64{}
	for _, node := range nodes {
		parts[node.Name] = map[string]int64{}
	}
	for plugin, scores := range scored {
		for _, score := range scores {
			parts[score.Name][plugin] = score.Score
		}
	}
	return parts, status
}
