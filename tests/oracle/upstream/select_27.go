//go:build from23 && !from28

package upstream

import (
	"context"

	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// Select is the scheduler's tie-break.
func Select(_ context.Context, e *preemption.Evaluator, candidates []preemption.Candidate) preemption.Candidate {
	return e.SelectCandidate(candidates)
}
