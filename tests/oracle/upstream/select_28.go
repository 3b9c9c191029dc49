//go:build k28

package upstream

import (
	"context"

	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// Select is the scheduler's tie-break.
func Select(ctx context.Context, e *preemption.Evaluator, candidates []preemption.Candidate) preemption.Candidate {
	return e.SelectCandidate(klog.FromContext(ctx), candidates)
}
