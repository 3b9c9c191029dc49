package decide

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	kjson "sigs.k8s.io/json"

	"oracle/upstream"
)

// fixed is an informer whose objects never change: a handler sees them all while it is being added, in the order of
// namespace and name. So the scheduler's own handlers fill its cache and its queue, without goroutines or waiting.
type fixed struct {
	cache.SharedIndexInformer
	store   cache.Indexer
	objects []runtime.Object
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

func (f *fixed) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	for _, object := range f.objects {
		handler.OnAdd(object, true)
	}
	return upstream.Registered{}, nil
}

func (f *fixed) AddEventHandlerWithResyncPeriod(handler cache.ResourceEventHandler, _ time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return f.AddEventHandler(handler)
}

func (f *fixed) AddEventHandlerWithOptions(handler cache.ResourceEventHandler, _ cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	return f.AddEventHandler(handler)
}

func (f *fixed) RemoveEventHandler(cache.ResourceEventHandlerRegistration) error { return nil }
func (f *fixed) GetStore() cache.Store                                           { return f.store }
func (f *fixed) GetIndexer() cache.Indexer                                       { return f.store }
func (f *fixed) HasSynced() bool                                                 { return true }
func (f *fixed) IsStopped() bool                                                 { return false }
func (f *fixed) SetTransform(cache.TransformFunc) error                          { return nil }

func (f *fixed) AddIndexers(indexers cache.Indexers) error {
	for name := range f.store.GetIndexers() {
		delete(indexers, name)
	}
	return f.store.AddIndexers(indexers)
}

// Objects are the parsed objects of a cluster, by `apiVersion/kind`.
type Objects map[string][]runtime.Object

// parse reads a List. Times move by `shift`, so that the case's "now" is the clock's.
func parse(cluster json.RawMessage, shift time.Duration) (Objects, error) {
	var list struct {
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(cluster, &list); err != nil {
		return nil, err
	}
	objects := Objects{}
	for i, raw := range list.Items {
		var kind metav1.TypeMeta
		if err := json.Unmarshal(raw, &kind); err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
		key := kind.APIVersion + "/" + kind.Kind
		blank, known := upstream.Kinds[key]
		if !known {
			continue
		}
		object := blank()
		if err := kjson.UnmarshalCaseSensitivePreserveInts(raw, object); err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
		if pod, is := object.(*v1.Pod); is {
			// The scheduler's informer leaves finished pods out.
			if pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed {
				continue
			}
			if start := pod.Status.StartTime; start != nil {
				pod.Status.StartTime = &metav1.Time{Time: start.Add(shift)}
			}
		}
		objects[key] = append(objects[key], object)
	}
	for _, list := range objects {
		slices.SortStableFunc(list, byName)
	}
	return objects, nil
}

func byName(a, b runtime.Object) int {
	x, y := name(a), name(b)
	return cmp.Or(cmp.Compare(x.GetNamespace(), y.GetNamespace()), cmp.Compare(x.GetName(), y.GetName()))
}

func name(object runtime.Object) metav1.Object {
	accessor, err := meta.Accessor(object)
	if err != nil {
		panic(err) // every kind of ours has metadata
	}
	return accessor
}

// client answers every call with the object it was given: nothing is ever read through it, and what the scheduler writes
// is nobody's business.
var client kubernetes.Interface = func() *fake.Clientset {
	c := &fake.Clientset{}
	c.AddReactor("*", "*", func(action testing.Action) (bool, runtime.Object, error) {
		if write, is := action.(interface{ GetObject() runtime.Object }); is {
			return true, write.GetObject(), nil
		}
		return true, nil, nil
	})
	return c
}()

// World is a scheduler that has just started and seen all objects of a cluster.
type World struct {
	Scheduler *scheduler.Scheduler
	Snapshot  *internalcache.Snapshot
	Objects   Objects
}

// NewWorld starts a scheduler on these objects; the context ends what it keeps running.
func NewWorld(ctx context.Context, objects Objects, raw json.RawMessage, parallelism int32) (*World, error) {
	options := []scheduler.Option{scheduler.WithParallelism(parallelism)}
	profiles, err := configured(raw)
	if err != nil {
		return nil, err
	}
	if profiles != nil {
		options = append(options, scheduler.WithProfiles(profiles...), scheduler.WithComponentConfigVersion("kubescheduler.config.k8s.io/v1"))
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	for key, blank := range upstream.Kinds {
		informer, err := newFixed(objects[key])
		if err != nil {
			return nil, err
		}
		factory.InformerFor(blank(), func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer { return informer })
	}
	sched, err := scheduler.New(ctx, client, factory, nil, upstream.NoEvents, options...)
	if err != nil {
		return nil, err
	}
	world := &World{Scheduler: sched, Objects: objects}
	for _, profile := range sched.Profiles {
		world.Snapshot = profile.SnapshotSharedLister().(*internalcache.Snapshot)
	}
	if err := sched.Cache.UpdateSnapshot(logger(ctx), world.Snapshot); err != nil {
		return nil, err
	}
	return world, nil
}

// Profile is the framework that schedules this pod, nil if none does.
func (w *World) Profile(pod *v1.Pod) framework.Framework {
	return w.Scheduler.Profiles[pod.Spec.SchedulerName]
}

func configured(raw json.RawMessage) ([]config.KubeSchedulerProfile, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	object, _, err := scheme.Codecs.UniversalDecoder().Decode(raw, nil, nil)
	if err != nil {
		return nil, err
	}
	configuration, is := object.(*config.KubeSchedulerConfiguration)
	if !is {
		return nil, fmt.Errorf("not a KubeSchedulerConfiguration: %T", object)
	}
	if len(configuration.Extenders) > 0 {
		return nil, fmt.Errorf("extenders are not part of a case")
	}
	return configuration.Profiles, nil
}
