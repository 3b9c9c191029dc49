//go:build from34

package main

// From 1.34 on claims are allocated.
func init() {
	wanted["PreEnqueue"] = append(wanted["PreEnqueue"], "DynamicResources")
	wanted["PreFilter"] = append(wanted["PreFilter"], "DynamicResources: ")
	wanted["Filter"] = append(wanted["Filter"],
		"DynamicResources: cannot allocate all claims", "DynamicResources: resourceclaim not available on the node")
	wanted["score differs"] = append(wanted["score differs"], "DynamicResources")
}
