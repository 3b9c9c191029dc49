//go:build from26 && !from32

package upstream

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// PreEnqueue asks whether the pod gets into the queue: the plugin that holds it, and why.
func PreEnqueue(ctx context.Context, f framework.Framework, pod *v1.Pod) (string, *framework.Status) {
	for _, plugin := range f.PreEnqueuePlugins() {
		if status := plugin.PreEnqueue(ctx, pod); !status.IsSuccess() {
			return plugin.Name(), status
		}
	}
	return "", nil
}
