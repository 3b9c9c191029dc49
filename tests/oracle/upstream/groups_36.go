//go:build k36

package upstream

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/api/scheduling/v1alpha2"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// PodGroup is the group's object as this release has it.
type PodGroup = v1alpha2.PodGroup

// GroupKind is its key among Kinds.
const GroupKind = "scheduling.k8s.io/v1alpha2/PodGroup"

// InTree is false: this release knows no groups of groups.
func InTree(*PodGroup, func(kind, namespace, name string) runtime.Object) (inTree, limited bool) {
	return false, false
}

// Unit is empty: the pods of a group that is preempted as a whole are in the order of the nodes.
func Unit(*v1.Pod, func(kind, namespace, name string) runtime.Object) string { return "" }

// PopGroup takes pods from the queue, which is closed, until the next cycle is the group's: its first pod takes the others
// along. It is false if the queue holds all of them back. What else was taken on the way goes back: the nominations of what
// is in no queue count for little.
func PopGroup(ctx context.Context, s *scheduler.Scheduler, namespace, name string) bool {
	var others []*v1.Pod
	for {
		pod, err := s.SchedulingQueue.Pop(klog.FromContext(ctx))
		if err != nil || pod == nil {
			return false
		}
		if group := pod.Pod.Spec.SchedulingGroup; pod.Pod.Namespace == namespace && group != nil && *group.PodGroupName == name {
			s.NextPod = func(klog.Logger) (*framework.QueuedPodInfo, error) { return pod, nil }
			break
		}
		others = append(others, pod.Pod)
	}
	for _, pod := range others {
		s.SchedulingQueue.Add(ctx, pod)
	}
	return true
}

// PlacementOf is nil: the snapshot of this release does not show its placement.
func PlacementOf(*internalcache.Snapshot) *fwk.Placement { return nil }

// FollowPreemption calls `tell` in the place of every eviction, with the candidate and its victim.
func FollowPreemption(plugin *defaultpreemption.DefaultPreemption, tell func(preemption.Candidate, *v1.Pod)) {
	plugin.Executor.PreemptPod = func(_ context.Context, c preemption.Candidate, _ preemption.ExecutorPreemptor, victim *v1.Pod, _ string) error {
		tell(c, victim)
		return nil
	}
}

// lastResort is a plugin of it.
type lastResort struct {
	framework.PodGroupPostFilterPlugin
	begins func()
	tell   func(*Status)
}

func (f followed) PodGroupPostFilterPlugins() (all []framework.PodGroupPostFilterPlugin) {
	for _, plugin := range f.Framework.PodGroupPostFilterPlugins() {
		all = append(all, lastResort{plugin, f.begins, f.tell})
	}
	return all
}

func (p lastResort) PodGroupPostFilter(ctx context.Context, group *PodGroup, pods []*v1.Pod, try func(context.Context) *Status) *Status {
	p.begins()
	status := p.PodGroupPostFilterPlugin.PodGroupPostFilter(ctx, group, pods, try)
	p.tell(status)
	return status
}

// FollowPostFilter calls `begins` before each plugin of the last resort and `tell` with the status that it ends with, if it comes to that.
func FollowPostFilter(s *scheduler.Scheduler, begins func(), tell func(*Status)) {
	for name, profile := range s.Profiles {
		s.Profiles[name] = followed{profile, begins, tell}
	}
}

// ToldToPod is the message of a pod's condition after it failed.
func ToldToPod(_ *v1.Pod, status *fwk.Status) string { return status.Message() }
