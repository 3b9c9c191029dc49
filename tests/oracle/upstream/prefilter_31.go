//go:build k31

package upstream

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// PreFilter runs the plugins of this extension point and says which nodes they keep; nil if they keep all.
func PreFilter(ctx context.Context, f framework.Framework, state *framework.CycleState, pod *v1.Pod) (func(node string) bool, *framework.Status) {
	result, status, _ := f.RunPreFilterPlugins(ctx, state, pod)
	return keeps(result), status
}
