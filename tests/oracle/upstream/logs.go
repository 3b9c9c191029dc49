//go:build from28

package upstream

import (
	"io"

	"k8s.io/klog/v2"
)

// Silence drops what the scheduler logs.
func Silence() {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
}
