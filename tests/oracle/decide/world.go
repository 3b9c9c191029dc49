package decide

import (
	"context"
	"encoding/json"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/scheduler"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"oracle/cases"
	"oracle/upstream"
	"oracle/world"
)

// World is a scheduler that has just started and seen all objects of a cluster.
type World struct {
	Scheduler *scheduler.Scheduler
	Snapshot  *internalcache.Snapshot
	Objects   cases.Objects
}

// NewWorld starts a scheduler on these objects, which writes through this client; the context ends what it keeps running.
func NewWorld(ctx context.Context, client kubernetes.Interface, objects cases.Objects, raw json.RawMessage, parallelism int32) (*World, error) {
	options := []scheduler.Option{scheduler.WithParallelism(parallelism)}
	configured, err := world.Configuration(raw)
	if err != nil {
		return nil, err
	}
	if profiles := configured.Profiles; profiles != nil {
		options = append(options, scheduler.WithProfiles(profiles...), scheduler.WithComponentConfigVersion("kubescheduler.config.k8s.io/v1"))
	}
	options = append(options, scheduler.WithExtenders(configured.Extenders...))
	factory, err := world.Informers(objects)
	if err != nil {
		return nil, err
	}
	sched, err := scheduler.New(ctx, client, factory, nil, upstream.NoEvents, options...)
	if err != nil {
		return nil, err
	}
	made := &World{Scheduler: sched, Objects: objects}
	for _, profile := range sched.Profiles {
		made.Snapshot = profile.SnapshotSharedLister().(*internalcache.Snapshot)
	}
	if err := sched.Cache.UpdateSnapshot(logger(ctx), made.Snapshot); err != nil {
		return nil, err
	}
	return made, nil
}

// Profile is the framework that schedules this pod, nil if none does.
func (w *World) Profile(pod *v1.Pod) framework.Framework {
	return w.Scheduler.Profiles[pod.Spec.SchedulerName]
}
