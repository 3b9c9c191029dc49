package main

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
)

type (
	attribute = resourceapi.DeviceAttribute
	capacity  = resourceapi.DeviceCapacity
)

// device is one of a driver as the API has it.
type device struct {
	Driver                   string
	AllowMultipleAllocations *bool
	Attributes               map[resourceapi.QualifiedName]attribute
	Capacity                 map[resourceapi.QualifiedName]capacity
}

func amount(text string) capacity {
	return capacity{Value: resource.MustParse(text)}
}

func text(value string) attribute {
	return attribute{StringValue: &value}
}

func number(value int64) attribute {
	return attribute{IntValue: &value}
}

// devices are what selectors are evaluated for: one with everything, one with other types under the same names, one with
// nothing, where attributes may be lists, one with lists, and where values of unknown types are read late, one with such.
func devices(lists bool) []device {
	return append([]device{{
		Driver:                   "gpu.example.com",
		AllowMultipleAllocations: ptr.To(true),
		Attributes: qualified[attribute](
			"model", text("a100"), "index", number(3), "healthy", attribute{BoolValue: ptr.To(true)},
			"firmware", attribute{VersionValue: ptr.To("1.10.0-rc.1+build.5")},
			"example.com/socket", number(1), "example.com/numa", number(9223372036854775807),
			"example.com/address", text("10.1.2.3"), "example.com/name", text("größer als 世界"),
		),
		Capacity: qualified[capacity](
			"memory", amount("40Gi"), "cores", amount("7500m"), "example.com/memory", amount("-1.5k"),
			"example.com/huge", amount("9999999999999999999999G"),
		),
	}, {
		Driver: "gpu.example.com",
		Attributes: qualified[attribute](
			"model", number(100), "index", text("3"), "healthy", attribute{VersionValue: ptr.To("1.0.0")},
			"firmware", text("1.10.0"), "example.com/socket", attribute{BoolValue: ptr.To(false)},
			"example.com/numa", text(""),
		),
		Capacity: qualified[capacity]("memory", amount("80G"), "cores", amount("0"), "example.com/memory", amount("1e3")),
	}, {
		Driver: "net.example.com",
	}}, append(listDevices(lists), unknownDevices()...)...)
}
