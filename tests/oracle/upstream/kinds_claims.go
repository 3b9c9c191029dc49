//go:build from34

package upstream

import (
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Resource claims are on by default from 1.34 on.
func init() {
	Kinds["resource.k8s.io/v1/DeviceClass"] = func() runtime.Object { return &resourcev1.DeviceClass{} }
	Kinds["resource.k8s.io/v1/ResourceClaim"] = func() runtime.Object { return &resourcev1.ResourceClaim{} }
	Move["resource.k8s.io/v1/ResourceClaim"] = func(object runtime.Object, shift time.Duration) {
		if allocation := object.(*resourcev1.ResourceClaim).Status.Allocation; allocation != nil && allocation.AllocationTimestamp != nil {
			allocation.AllocationTimestamp = &metav1.Time{Time: allocation.AllocationTimestamp.Add(shift)}
		}
	}
	Kinds["resource.k8s.io/v1/ResourceSlice"] = func() runtime.Object { return &resourcev1.ResourceSlice{} }
}
