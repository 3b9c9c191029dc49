//go:build from21 && !from25

package upstream

import (
	"reflect"
	"unsafe"

	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// EndRecorder ends the goroutine with which a framework of this release flushes its metrics for as long as the program
// runs. It has a channel for that, which only its own tests reach.
func EndRecorder(profile framework.Framework) {
	stop := reflect.ValueOf(profile).Elem().FieldByName("metricsRecorder").Elem().FieldByName("stopCh")
	close(*(*chan struct{})(unsafe.Pointer(stop.UnsafeAddr())))
}
