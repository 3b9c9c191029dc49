//go:build from21 && !from24

package upstream

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// PreFilter runs the plugins of this extension point; these releases keep every node.
func PreFilter(ctx context.Context, f framework.Framework, state *framework.CycleState, pod *v1.Pod) (keeps func(node string) bool, status *framework.Status) {
	return nil, f.RunPreFilterPlugins(ctx, state, pod)
}
