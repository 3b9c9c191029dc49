//go:build from37

package upstream

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// PodGroup is the group's object as this release has it.
type PodGroup = v1beta1.PodGroup

// GroupKind is its key among Kinds.
const GroupKind = "scheduling.k8s.io/v1beta1/PodGroup"

// InTree says whether a group belongs to a composite group, and whether it or one above it has a topology constraint.
func InTree(group *PodGroup, find func(kind, namespace, name string) runtime.Object) (inTree, limited bool) {
	limited = group.Spec.SchedulingConstraints != nil
	for parent := group.Spec.ParentCompositePodGroupName; parent != nil; inTree = true {
		composite, is := find(compositeKind, group.Namespace, *parent).(*compositePodGroup)
		if !is {
			break
		}
		limited = limited || composite.Spec.SchedulingConstraints != nil
		parent = composite.Spec.ParentCompositePodGroupName
	}
	return inTree, limited
}

// Unit names the highest of the groups above a pod that is preempted all together or not at all; it is empty if none is.
func Unit(pod *v1.Pod, find func(kind, namespace, name string) runtime.Object) (unit string) {
	if pod.Spec.SchedulingGroup == nil {
		return ""
	}
	group, is := find(GroupKind, pod.Namespace, *pod.Spec.SchedulingGroup.PodGroupName).(*PodGroup)
	if !is {
		return ""
	}
	if mode := group.Spec.DisruptionMode; mode != nil && mode.All != nil {
		unit = group.Namespace + "/" + group.Name
	}
	for parent := group.Spec.ParentCompositePodGroupName; parent != nil; {
		composite, is := find(compositeKind, pod.Namespace, *parent).(*compositePodGroup)
		if !is {
			break
		}
		if mode := composite.Spec.DisruptionMode; mode != nil && mode.All != nil {
			unit = "composite " + composite.Namespace + "/" + composite.Name
		}
		parent = composite.Spec.ParentCompositePodGroupName
	}
	return unit
}

// PlacementOf is the placement that the snapshot is narrowed to, nil if it is not.
func PlacementOf(snapshot *internalcache.Snapshot) *fwk.Placement { return snapshot.GetPlacement() }

func (f followed) RunPodGroupPostFilterPlugins(ctx context.Context, state *framework.CycleState, group fwk.PodGroupInfo, try fwk.PodGroupSchedulingFunc) (*fwk.PodGroupPostFilterResult, *fwk.Status) {
	f.begins()
	result, status := f.Framework.RunPodGroupPostFilterPlugins(ctx, state, group, try)
	f.tell(status)
	return result, status
}

// FollowPostFilter calls `begins` before the last resort and `tell` with the status that it ends with, if it comes to that.
func FollowPostFilter(s *scheduler.Scheduler, begins func(), tell func(*Status)) {
	for name, profile := range s.Profiles {
		s.Profiles[name] = followed{profile, begins, tell}
	}
}

// PopGroup takes the group from the queue, which is closed, or the composite group that it is in: the next cycle is its. It is false if the queue holds
// the group back. What else was taken on the way goes back: the nominations of what is in no queue count for little.
func PopGroup(ctx context.Context, s *scheduler.Scheduler, namespace, name string) bool {
	var others []*v1.Pod
	for {
		entity, err := s.SchedulingQueue.Pop(klog.FromContext(ctx))
		if err != nil || entity == nil {
			return false
		}
		if group, is := entity.(*framework.QueuedPodGroupInfo); is && holdsGroup(group, namespace, name) {
			s.NextEntity = func(klog.Logger) (framework.QueuedEntityInfo, error) { return group, nil }
			break
		}
		others = append(others, podsOf(entity)...)
	}
	for _, pod := range others {
		s.SchedulingQueue.Add(ctx, pod)
	}
	return true
}
