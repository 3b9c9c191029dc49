//go:build k36 || k37 || k38

package main

import (
	"strings"

	"k8s.io/dynamic-resource-allocation/cel"
)

func features(lists bool) cel.Features {
	return cel.Features{EnableConsumableCapacity: true, EnableListTypeAttributes: lists}
}

// listDevices are devices with attributes that are lists, which 1.36 reads only with a gate.
func listDevices(lists bool) []device {
	if !lists && strings.HasPrefix(version, "1.36.") {
		return nil
	}
	return []device{{
		Driver: "gpu.example.com",
		Attributes: qualified[attribute](
			"model", attribute{StringValues: []string{"a100", "h100", "b200"}},
			"index", attribute{IntValues: []int64{3, -1, 3}},
			"healthy", attribute{BoolValues: []bool{true, false}},
			"firmware", attribute{VersionValues: []string{"1.10.0", "1.2.3-rc.1+b7"}},
		),
	}}
}
