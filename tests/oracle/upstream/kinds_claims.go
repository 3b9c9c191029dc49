//go:build !(k12 || k16 || k19 || k22 || k28 || k33)

package upstream

import (
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Resource claims are on by default from 1.34 on.
func init() {
	Kinds["resource.k8s.io/v1/DeviceClass"] = func() runtime.Object { return &resourcev1.DeviceClass{} }
	Kinds["resource.k8s.io/v1/ResourceClaim"] = func() runtime.Object { return &resourcev1.ResourceClaim{} }
	Kinds["resource.k8s.io/v1/ResourceSlice"] = func() runtime.Object { return &resourcev1.ResourceSlice{} }
}
