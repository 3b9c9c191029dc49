//go:build from37

package upstream

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/api/scheduling/v1beta1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// PodGroup is the group's object as this release has it.
type PodGroup = v1beta1.PodGroup

// GroupKind is its key among Kinds.
const GroupKind = "scheduling.k8s.io/v1beta1/PodGroup"

// DisruptedAsOne says whether the group's pods are preempted all together or not at all.
func DisruptedAsOne(group *PodGroup) bool {
	return group.Spec.DisruptionMode != nil && group.Spec.DisruptionMode.All != nil
}

// PopGroup takes the group from the queue, which is closed: the next cycle is the group's. It is false if the queue holds
// the group back; otherwise the members are in the order of the cycle.
func PopGroup(s *scheduler.Scheduler, logger klog.Logger, namespace, name string) ([]*v1.Pod, bool) {
	for {
		entity, err := s.SchedulingQueue.Pop(logger)
		if err != nil || entity == nil {
			return nil, false
		}
		group, is := entity.(*framework.QueuedPodGroupInfo)
		if !is || group.GetNamespace() != namespace || group.GetName() != name {
			continue
		}
		s.NextEntity = func(klog.Logger) (framework.QueuedEntityInfo, error) { return group, nil }
		var members []*v1.Pod
		for _, member := range group.QueuedPodInfos[fwk.PodGroupKey(namespace, name)] {
			members = append(members, member.Pod)
		}
		return members, true
	}
}

// FollowPreemption has every victim told in the place of its eviction, with the violations of all of them.
func FollowPreemption(plugin *defaultpreemption.DefaultPreemption, tell func(victim *v1.Pod, violations int64)) {
	plugin.Executor.PreemptPod = func(_ context.Context, c preemption.Candidate, _ preemption.ExecutorPreemptor, victim *v1.Pod, _ string) (bool, error) {
		tell(victim, c.Victims().NumPDBViolations)
		return false, nil
	}
}

// followed is a profile that tells how its last resort for a group ends.
type followed struct {
	framework.Framework
	tell func(*Status)
}

func (f followed) RunPodGroupPostFilterPlugins(ctx context.Context, state *framework.CycleState, group fwk.PodGroupInfo, try fwk.PodGroupSchedulingFunc) (*fwk.PodGroupPostFilterResult, *fwk.Status) {
	result, status := f.Framework.RunPodGroupPostFilterPlugins(ctx, state, group, try)
	f.tell(status)
	return result, status
}

// FollowPostFilter has told how the last resort ends, if it comes to that.
func FollowPostFilter(s *scheduler.Scheduler, tell func(*Status)) {
	for name, profile := range s.Profiles {
		s.Profiles[name] = followed{profile, tell}
	}
}
