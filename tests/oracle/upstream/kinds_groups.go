//go:build from37

package upstream

import (
	"k8s.io/apimachinery/pkg/runtime"
)

// Pod groups are watched if a gate is on, which is off by default.
func init() {
	Kinds[GroupKind] = func() runtime.Object { return &PodGroup{} }
	Kinds[compositeKind] = func() runtime.Object { return &compositePodGroup{} }
}
