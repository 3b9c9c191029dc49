//go:build !from26

package world

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
)

func (f *fixed) AddEventHandler(handler cache.ResourceEventHandler) {
	f.handlers = append(f.handlers, handler)
	for _, object := range f.objects {
		add(handler, object)
	}
}

func (f *fixed) AddEventHandlerWithResyncPeriod(handler cache.ResourceEventHandler, _ time.Duration) {
	f.AddEventHandler(handler)
}

// Forgetful is an informer that can say that an object is gone.
type Forgetful interface {
	Forget(runtime.Object)
}

// Forget tells the handlers that this object is gone.
func (f *fixed) Forget(object runtime.Object) {
	for _, handler := range f.handlers {
		handler.OnDelete(object)
	}
}
