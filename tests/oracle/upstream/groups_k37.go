//go:build k37

package upstream

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/api/scheduling/v1alpha3"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// compositePodGroup is a group of groups as this release has it, and compositeKind its key among Kinds.
type compositePodGroup = v1alpha3.CompositePodGroup

const compositeKind = "scheduling.k8s.io/v1alpha3/CompositePodGroup"

// FollowPreemption calls `tell` in the place of every eviction, with the candidate and its victim.
func FollowPreemption(plugin *defaultpreemption.DefaultPreemption, tell func(Candidate, *v1.Pod)) {
	plugin.Executor.PreemptPod = func(_ context.Context, c preemption.Candidate, _ preemption.ExecutorPreemptor, victim *v1.Pod, _ string) (bool, error) {
		tell(c, victim)
		return false, nil
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
		if group, is := entity.(*framework.QueuedPodGroupInfo); is && len(group.QueuedPodInfos[fwk.PodGroupKey(namespace, name)]) > 0 {
			s.NextEntity = func(klog.Logger) (framework.QueuedEntityInfo, error) { return group, nil }
			break
		}
		entity.ForEachPodInfo(func(pod *framework.QueuedPodInfo) bool {
			others = append(others, pod.Pod)
			return true
		})
	}
	for _, pod := range others {
		s.SchedulingQueue.Add(ctx, pod)
	}
	return true
}
