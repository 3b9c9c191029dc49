// Package world holds a cluster's objects as the scheduler's informers hold them.
package world

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"

	"oracle/cases"
	"oracle/upstream"
)

// fixed is an informer whose objects never change: a handler sees them all while it is being added, in the order of
// namespace and name. So the scheduler's own handlers fill its cache and its queue, without goroutines or waiting.
type fixed struct {
	cache.SharedIndexInformer
	store    cache.Indexer
	objects  []runtime.Object
	handlers []cache.ResourceEventHandler
}

func newFixed(objects []runtime.Object) (*fixed, error) {
	store := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for _, object := range objects {
		if err := store.Add(object); err != nil {
			return nil, err
		}
	}
	return &fixed{store: store, objects: objects}, nil
}

func (f *fixed) GetStore() cache.Store     { return f.store }
func (f *fixed) GetIndexer() cache.Indexer { return f.store }
func (f *fixed) HasSynced() bool           { return true }

func (f *fixed) AddIndexers(indexers cache.Indexers) error {
	for name := range f.store.GetIndexers() {
		delete(indexers, name)
	}
	return f.store.AddIndexers(indexers)
}

// Client answers every call with the object it was given: nothing is ever read through it, and what the scheduler writes
// is nobody's business.
var Client = Watched(func(testing.Action) {})

// Watched is such a client that passes every call on to `tell`.
func Watched(tell func(testing.Action)) kubernetes.Interface {
	c := &fake.Clientset{}
	c.AddReactor("*", "*", func(action testing.Action) (bool, runtime.Object, error) {
		tell(action)
		if write, is := action.(interface{ GetObject() runtime.Object }); is {
			return true, write.GetObject(), nil
		}
		return true, nil, nil
	})
	return c
}

// Informers know these objects from the beginning.
func Informers(objects cases.Objects) (informers.SharedInformerFactory, error) {
	factory := informers.NewSharedInformerFactory(Client, 0)
	for key, blank := range upstream.Kinds {
		held, err := held(key, append([]runtime.Object{blank()}, objects[key]...))
		if err != nil {
			return nil, err
		}
		informer, err := newFixed(held[1:])
		if err != nil {
			return nil, err
		}
		factory.InformerFor(held[0], func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer { return informer })
	}
	return factory, nil
}

// held are objects of a kind as informers hold them.
func held(key string, objects []runtime.Object) ([]runtime.Object, error) {
	convert := upstream.Held[key]
	if convert == nil {
		return objects, nil
	}
	converted := make([]runtime.Object, len(objects))
	for i, object := range objects {
		var err error
		if converted[i], err = convert(object); err != nil {
			return nil, err
		}
	}
	return converted, nil
}
