//go:build from38

package upstream

import (
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	draapi "k8s.io/dynamic-resource-allocation/api"
)

func init() {
	Held["resource.k8s.io/v1/ResourceSlice"] = func(object runtime.Object) (runtime.Object, error) {
		var slice draapi.ResourceSlice
		return &slice, draapi.Convert_v1_ResourceSlice_To_api_ResourceSlice(object.(*resourcev1.ResourceSlice), &slice, nil)
	}
}
