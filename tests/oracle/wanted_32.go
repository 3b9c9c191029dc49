//go:build from32

package main

// 1.32 names the plugins that leave a node out from the beginning, and is the first that is asked with extenders and samples.
func init() {
	wanted["an extender"] = []string{
		"fails to filter", "leaves nodes out", "names nodes twice, or others", "says why nodes fail", "says that no eviction helps",
		"answers in a form that it chooses", "fails to score", "scores", "fails to preempt", "leaves candidates out", "spares victims",
		"names other victims",
	}
	wanted["nodes nominated from a sample, by start"] = []string{"1", "2", "3 to 4", "5 to 9"}
	wanted["Filter"] = append(wanted["Filter"], ": node(s) didn't satisfy plugin(s) *")
}
