//go:build k36

package upstream

import (
	"k8s.io/api/scheduling/v1alpha2"
	"k8s.io/apimachinery/pkg/runtime"
)

// Pod groups are watched if a gate is on, which is off by default.
func init() {
	Kinds["scheduling.k8s.io/v1alpha2/PodGroup"] = func() runtime.Object { return &v1alpha2.PodGroup{} }
}
