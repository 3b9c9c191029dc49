//go:build k19

package main

// 1.19 has a text of its own for node affinity, and spreads by selector.
func init() {
	wanted["Filter"] = append(wanted["Filter"], "NodeAffinity: node(s) didn't match node selector")
	wanted["score differs"] = append(wanted["score differs"], "SelectorSpread")
}
