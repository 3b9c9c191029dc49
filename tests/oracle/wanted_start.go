//go:build k16

package main

// 1.16 asks for starts in its tie-break, which 1.12 does not, and ends with an error where 1.12 panics.
func init() {
	wanted["tie-break"] = append(wanted["tie-break"], "latest start of the most important victims")
	wanted["outcome"] = append(wanted["outcome"], "ends with an error")
}
