//go:build from38

package upstream

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/api/scheduling/v1beta1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// compositePodGroup is a group of groups as this release has it, and compositeKind its key among Kinds.
type compositePodGroup = v1beta1.CompositePodGroup

const compositeKind = "scheduling.k8s.io/v1beta1/CompositePodGroup"

// FollowPreemption calls `tell` in the place of every eviction, with the candidate and its victim.
func FollowPreemption(plugin *defaultpreemption.DefaultPreemption, tell func(Candidate, *v1.Pod)) {
	plugin.Executor.(*preemption.Executor).PreemptPod = func(_ context.Context, c Candidate, _ preemption.ExecutorPreemptor, victim *v1.Pod, _ string) (bool, error) {
		tell(c, victim)
		return false, nil
	}
}

// holdsGroup says whether pods of a group wait in an entry of the queue.
func holdsGroup(entry *framework.QueuedPodGroupInfo, namespace, name string) bool {
	return len(entry.PodInfosForGroup(fwk.PodGroupKey(namespace, name))) > 0
}

// podsOf has the pods of an entry of the queue.
func podsOf(entity framework.QueuedEntityInfo) (pods []*v1.Pod) {
	for pod := range entity.ForEachPodInfo() {
		pods = append(pods, pod.Pod)
	}
	return pods
}

// ToldToPod is the message of a pod's condition after it failed: FailureHandler replaces that of a group, whose type is not public.
func ToldToPod(pod *v1.Pod, status *fwk.Status) string {
	if fmt.Sprintf("%T", status.AsError()) == "*scheduler.podGroupFitError" {
		return fmt.Sprintf("parent pod group %q is unschedulable", *pod.Spec.SchedulingGroup.PodGroupName)
	}
	return status.Message()
}
