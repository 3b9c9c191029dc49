//go:build from27

package world

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
)

// add tells a handler of an object that was there from the beginning.
func add(handler cache.ResourceEventHandler, object runtime.Object) { handler.OnAdd(object, true) }
