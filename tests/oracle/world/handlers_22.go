//go:build k12 || k16 || k19 || k22

package world

import (
	"time"

	"k8s.io/client-go/tools/cache"
)

func (f *fixed) AddEventHandler(handler cache.ResourceEventHandler) {
	for _, object := range f.objects {
		handler.OnAdd(object)
	}
}

func (f *fixed) AddEventHandlerWithResyncPeriod(handler cache.ResourceEventHandler, _ time.Duration) {
	f.AddEventHandler(handler)
}
