//go:build k35

package upstream

import (
	scheduling "k8s.io/api/scheduling/v1alpha1"
	"k8s.io/apimachinery/pkg/runtime"
)

// This release reads the groups of pods in Workloads.
func init() {
	Kinds["scheduling.k8s.io/v1alpha1/Workload"] = func() runtime.Object { return &scheduling.Workload{} }
}
