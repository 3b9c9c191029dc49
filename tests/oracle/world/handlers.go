//go:build from26

package world

import (
	"time"

	"k8s.io/client-go/tools/cache"

	"oracle/upstream"
)

func (f *fixed) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	for _, object := range f.objects {
		add(handler, object)
	}
	return upstream.Registered{}, nil
}

func (f *fixed) AddEventHandlerWithResyncPeriod(handler cache.ResourceEventHandler, _ time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return f.AddEventHandler(handler)
}

func (f *fixed) RemoveEventHandler(cache.ResourceEventHandlerRegistration) error { return nil }
func (f *fixed) IsStopped() bool                                                 { return false }
func (f *fixed) SetTransform(cache.TransformFunc) error                          { return nil }
