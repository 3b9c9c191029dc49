//go:build k36 || k37

package main

import (
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"
)

func features(lists bool) cel.Features {
	return cel.Features{EnableConsumableCapacity: true, EnableListTypeAttributes: lists}
}

// listDevices are devices with attributes that are lists, which 1.36 reads only with a gate.
func listDevices(lists bool) []cel.Device {
	if !lists && strings.HasPrefix(version, "1.36.") {
		return nil
	}
	return []cel.Device{{
		Driver: "gpu.example.com",
		Attributes: qualified[resourceapi.DeviceAttribute](
			"model", resourceapi.DeviceAttribute{StringValues: []string{"a100", "h100", "b200"}},
			"index", resourceapi.DeviceAttribute{IntValues: []int64{3, -1, 3}},
			"healthy", resourceapi.DeviceAttribute{BoolValues: []bool{true, false}},
			"firmware", resourceapi.DeviceAttribute{VersionValues: []string{"1.10.0", "1.2.3-rc.1+b7"}},
		),
	}}
}
