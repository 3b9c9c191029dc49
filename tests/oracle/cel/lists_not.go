//go:build !k36 && !k37 && !k38

package main

import "k8s.io/dynamic-resource-allocation/cel"

func features(bool) cel.Features {
	return cel.Features{EnableConsumableCapacity: true}
}

func listDevices(bool) []device {
	return nil
}
