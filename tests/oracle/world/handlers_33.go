//go:build from33

package world

import "k8s.io/client-go/tools/cache"

func (f *fixed) AddEventHandlerWithOptions(handler cache.ResourceEventHandler, _ cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	return f.AddEventHandler(handler)
}
