//go:build !k38

package main

import "k8s.io/dynamic-resource-allocation/cel"

// seen is the device as selectors see it.
func seen(d device) cel.Device {
	return cel.Device{
		Driver: d.Driver, AllowMultipleAllocations: d.AllowMultipleAllocations, Attributes: d.Attributes, Capacity: d.Capacity,
	}
}

func unknownDevices() []device { return nil }
