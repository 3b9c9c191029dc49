//go:build k19

package upstream

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/events"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

// Where 1.19 declares the types of its framework.
type (
	Framework       = *profile.Profile
	Status          = *framework.Status
	NodeInfo        = *framework.NodeInfo
	NodeInfoLister  = framework.NodeInfoLister
	NodeToStatusMap = framework.NodeToStatusMap
	PluginToStatus  = framework.PluginToStatus
	PreemptHandle   = framework.PreemptHandle
	CycleState      = *framework.CycleState
)

// NewCycleState is the state of a cycle that begins.
func NewCycleState() CycleState { return framework.NewCycleState() }

// NewScheduler makes the scheduler that runs until the context ends.
func NewScheduler(ctx context.Context, client kubernetes.Interface, factory informers.SharedInformerFactory, options ...scheduler.Option) (*scheduler.Scheduler, error) {
	noEvents := func(string) events.EventRecorder { return &events.FakeRecorder{} }
	return scheduler.New(client, factory, factory.Core().V1().Pods(), noEvents, ctx.Done(), options...)
}

// FindCandidates tries every node.
func FindCandidates(ctx context.Context, client kubernetes.Interface, factory informers.SharedInformerFactory, state CycleState, f Framework, pod *v1.Pod, statuses NodeToStatusMap) ([]defaultpreemption.Candidate, error) {
	return defaultpreemption.FindCandidates(ctx, client, state, pod, statuses, f.PreemptHandle(),
		f.SnapshotSharedLister().NodeInfos(), factory.Policy().V1beta1().PodDisruptionBudgets().Lister())
}
