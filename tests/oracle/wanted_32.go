//go:build from32

package main

// 1.32 names the plugins that leave a node out from the beginning.
func init() {
	wanted["Filter"] = append(wanted["Filter"], ": node(s) didn't satisfy plugin(s) *")
}
