//go:build from22 && !from24

package main

// From 1.22 on NodeResourcesFit scores.
func init() {
	wanted["score differs"] = append(wanted["score differs"], "NodeResourcesFit")
	wanted["dry run fails"] = append(wanted["dry run fails"], "node(s) didn't match pod anti-affinity rules")
}
