//go:build from23 && !from26

package upstream

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// PreEnqueue asks whether the pod gets into the queue: in these releases every pod does.
func PreEnqueue(context.Context, framework.Framework, *v1.Pod) (string, *framework.Status) {
	return "", nil
}
