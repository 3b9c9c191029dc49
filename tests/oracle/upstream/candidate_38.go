//go:build from38

package upstream

import (
	"reflect"
	"unsafe"

	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
)

// Candidate is a node on which preemption found victims.
type Candidate = fwk.PreemptionCandidate

// Sampler is what knows at which node the next search starts.
func Sampler(s *scheduler.Scheduler) any {
	algorithm := reflect.ValueOf(s).Elem().FieldByName("algorithm")
	return *(**scheduler.SchedulingAlgorithm)(unsafe.Pointer(algorithm.UnsafeAddr()))
}
