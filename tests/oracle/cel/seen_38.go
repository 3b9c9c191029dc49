//go:build k38

package main

import (
	resourceapi "k8s.io/api/resource/v1"
	draapi "k8s.io/dynamic-resource-allocation/api"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/utils/ptr"
)

// seen is the device as selectors see it, of a slice in the form that the scheduler's informers hold.
func seen(d device) cel.Device {
	slice := resourceapi.ResourceSlice{Spec: resourceapi.ResourceSliceSpec{
		Driver: d.Driver, Devices: []resourceapi.Device{{Attributes: d.Attributes, Capacity: d.Capacity}},
	}}
	var held draapi.ResourceSlice
	if err := draapi.Convert_v1_ResourceSlice_To_api_ResourceSlice(&slice, &held, nil); err != nil {
		panic(err)
	}
	return cel.Device{
		Driver: d.Driver, AllowMultipleAllocations: d.AllowMultipleAllocations, LookupUniqueString: held.LookupUniqueString,
		Attributes: held.Spec.Devices[0].Attributes, Capacity: held.Spec.Devices[0].Capacity,
	}
}

// unknownDevices are devices with values of types that the release does not know, and with a name in two forms.
func unknownDevices() []device {
	return []device{{
		Driver: "gpu.example.com",
		Attributes: qualified[attribute](
			"model", attribute{}, "index", number(3), "gpu.example.com/index", number(4),
			"firmware", attribute{VersionValue: ptr.To("1.02.0")}, "example.com/socket", attribute{IntValues: []int64{}},
		),
		Capacity: qualified[capacity]("memory", amount("1Gi"), "gpu.example.com/memory", amount("2Gi")),
	}}
}
