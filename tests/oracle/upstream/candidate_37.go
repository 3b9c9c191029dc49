//go:build from32 && !from38

package upstream

import (
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// Candidate is a node on which preemption found victims.
type Candidate = preemption.Candidate

// Sampler is what knows at which node the next search starts.
func Sampler(s *scheduler.Scheduler) any { return s }
