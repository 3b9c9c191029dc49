//go:build from26 && !from29

package main

// From 1.26 on gates keep pods out of the queue, and PreFilter refuses a pod for all nodes at once.
func init() {
	wanted["PreEnqueue"] = append(wanted["PreEnqueue"], "SchedulingGates")
	wanted["PreFilter"] = append(wanted["PreFilter"], "NodeAffinity: pod affinity terms conflict")
}
