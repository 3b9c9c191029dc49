//go:build from37

package upstream

import (
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Taint rules of devices are on by default from 1.37 on.
func init() {
	Kinds["resource.k8s.io/v1/DeviceTaintRule"] = func() runtime.Object { return &resourcev1.DeviceTaintRule{} }
}
