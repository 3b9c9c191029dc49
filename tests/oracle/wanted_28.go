//go:build k28

package main

// 1.28 knows sidecars, which its default gates forbid.
func init() {
	wanted["Filter"] = append(wanted["Filter"],
		"NodeResourcesFit: Pod has a restartable init container and the SidecarContainers feature is disabled")
	wanted["dry run fails"] = append(wanted["dry run fails"], "running RemovePod on PreFilter plugin")
}
