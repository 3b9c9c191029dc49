//go:build k37

package upstream

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/api/scheduling/v1alpha3"
	fwk "k8s.io/kube-scheduler/framework"
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

// holdsGroup says whether pods of a group wait in an entry of the queue.
func holdsGroup(entry *framework.QueuedPodGroupInfo, namespace, name string) bool {
	return len(entry.QueuedPodInfos[fwk.PodGroupKey(namespace, name)]) > 0
}

// podsOf has the pods of an entry of the queue.
func podsOf(entity framework.QueuedEntityInfo) (pods []*v1.Pod) {
	entity.ForEachPodInfo(func(pod *framework.QueuedPodInfo) bool {
		pods = append(pods, pod.Pod)
		return true
	})
	return pods
}

// ToldToPod is the message of a pod's condition after it failed.
func ToldToPod(_ *v1.Pod, status *fwk.Status) string { return status.Message() }
