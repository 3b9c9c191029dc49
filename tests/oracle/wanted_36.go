//go:build from36

package main

// From 1.36 on nodes declare their features.
func init() {
	wanted["Filter"] = append(wanted["Filter"], "NodeDeclaredFeatures: ")
}
