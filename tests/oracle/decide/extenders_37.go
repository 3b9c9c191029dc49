//go:build from32 && !from38

package decide

import (
	"context"
	_ "unsafe" // for go:linkname

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"oracle/upstream"
)

//go:linkname findNodesThatPassExtenders k8s.io/kubernetes/pkg/scheduler.findNodesThatPassExtenders
func findNodesThatPassExtenders(ctx context.Context, extenders []upstream.Extender, pod *v1.Pod, nodes []upstream.NodeInfo, statuses *framework.NodeToStatus) ([]upstream.NodeInfo, error)

//go:linkname prioritizeNodes k8s.io/kubernetes/pkg/scheduler.prioritizeNodes
func prioritizeNodes(ctx context.Context, extenders []upstream.Extender, profile framework.Framework, state upstream.CycleState, pod *v1.Pod, nodes []upstream.NodeInfo) ([]upstream.NodePluginScores, error)

// passExtenders are the nodes that the profile's extenders keep.
func passExtenders(ctx context.Context, profile framework.Framework, pod *v1.Pod, nodes []upstream.NodeInfo, statuses *framework.NodeToStatus) ([]upstream.NodeInfo, error) {
	return findNodesThatPassExtenders(ctx, profile.Extenders(), pod, nodes, statuses)
}

// prioritize scores nodes.
func prioritize(ctx context.Context, profile framework.Framework, state upstream.CycleState, pod *v1.Pod, nodes []upstream.NodeInfo) ([]upstream.NodePluginScores, error) {
	return prioritizeNodes(ctx, profile.Extenders(), profile, state, pod, nodes)
}

func (n named) NumPodGroupDisruptions() int { return 0 }
