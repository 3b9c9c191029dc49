//go:build k20

package upstream

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/events"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
)

// Where 1.20 declares the types of its framework.
type (
	Framework       = framework.Framework
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
	return scheduler.New(client, factory, noEvents, ctx.Done(), options...)
}

// FindCandidates tries every node.
func FindCandidates(ctx context.Context, _ kubernetes.Interface, _ informers.SharedInformerFactory, state CycleState, f Framework, pod *v1.Pod, statuses NodeToStatusMap) ([]defaultpreemption.Candidate, error) {
	plugin, err := defaultpreemption.New(&config.DefaultPreemptionArgs{MinCandidateNodesPercentage: 100, MinCandidateNodesAbsolute: 100}, f)
	if err != nil {
		return nil, err
	}
	return plugin.(*defaultpreemption.DefaultPreemption).FindCandidates(ctx, state, pod, statuses)
}
