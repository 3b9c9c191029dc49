//go:build from27 && !from29

package main

// From 1.27 on gates keep pods out of the queue by default.
func init() {
	wanted["PreEnqueue"] = append(wanted["PreEnqueue"], "SchedulingGates")
}
