//go:build k37

package upstream

import (
	"k8s.io/api/scheduling/v1alpha3"
	"k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Pod groups are watched if a gate is on, which is off by default.
func init() {
	Kinds["scheduling.k8s.io/v1beta1/PodGroup"] = func() runtime.Object { return &v1beta1.PodGroup{} }
	Kinds["scheduling.k8s.io/v1alpha3/CompositePodGroup"] = func() runtime.Object { return &v1alpha3.CompositePodGroup{} }
}
