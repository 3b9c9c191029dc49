//go:build from37

package main

// From 1.37 on the room that volumes leave counts.
func init() {
	wanted["score differs"] = append(wanted["score differs"], "VolumeBinding")
}
