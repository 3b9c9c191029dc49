//go:build from38

package decide

import (
	"context"
	_ "unsafe" // for go:linkname

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"oracle/upstream"
)

//go:linkname findNodesThatPassExtenders k8s.io/kubernetes/pkg/scheduler.findNodesThatPassExtenders
func findNodesThatPassExtenders(ctx context.Context, extenders []upstream.Extender, pod *v1.Pod, nodes []framework.NodeWithRank, statuses *framework.NodeToStatus) ([]framework.NodeWithRank, error)

//go:linkname prioritizeNodes k8s.io/kubernetes/pkg/scheduler.prioritizeNodes
func prioritizeNodes(ctx context.Context, profile framework.Framework, state upstream.CycleState, pod *v1.Pod, nodes []framework.NodeWithRank) ([]upstream.NodePluginScores, error)

// ranked are nodes that no group prefers to others.
func ranked(nodes []upstream.NodeInfo) (all []framework.NodeWithRank) {
	for _, node := range nodes {
		all = append(all, framework.NodeWithRank{NodeInfo: node})
	}
	return all
}

// passExtenders are the nodes that the profile's extenders keep.
func passExtenders(ctx context.Context, profile framework.Framework, pod *v1.Pod, nodes []upstream.NodeInfo, statuses *framework.NodeToStatus) (kept []upstream.NodeInfo, err error) {
	passed, err := findNodesThatPassExtenders(ctx, profile.Extenders(), pod, ranked(nodes), statuses)
	for _, node := range passed {
		kept = append(kept, node.NodeInfo)
	}
	return kept, err
}

// prioritize scores nodes.
func prioritize(ctx context.Context, profile framework.Framework, state upstream.CycleState, pod *v1.Pod, nodes []upstream.NodeInfo) ([]upstream.NodePluginScores, error) {
	return prioritizeNodes(ctx, profile, state, pod, ranked(nodes))
}

func (n named) NumDisruptionsByVictimType() map[fwk.EntityKeyType]int { return nil }
func (n named) Nodes() []string                                       { return []string{n.name} }
