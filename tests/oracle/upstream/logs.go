//go:build !(k12 || k16 || k19 || k22)

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
