package decide

import (
	"context"
	"maps"
	"slices"
	_ "unsafe" // for go:linkname

	v1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"oracle/upstream"
)

//go:linkname findNodesThatPassExtenders k8s.io/kubernetes/pkg/scheduler.findNodesThatPassExtenders
func findNodesThatPassExtenders(ctx context.Context, extenders []upstream.Extender, pod *v1.Pod, nodes []upstream.NodeInfo, statuses *framework.NodeToStatus) ([]upstream.NodeInfo, error)

//go:linkname prioritizeNodes k8s.io/kubernetes/pkg/scheduler.prioritizeNodes
func prioritizeNodes(ctx context.Context, extenders []upstream.Extender, profile framework.Framework, state upstream.CycleState, pod *v1.Pod, nodes []upstream.NodeInfo) ([]upstream.NodePluginScores, error)

// named is a candidate as extenders leave it.
type named struct {
	name    string
	victims *extenderv1.Victims
}

func (n named) Name() string                 { return n.name }
func (n named) Victims() *extenderv1.Victims { return n.victims }
func (n named) NumPodGroupDisruptions() int  { return 0 }

// extendersPreempt says whether any extender of the pod is asked about preemption.
func (c *cycle) extendersPreempt() bool {
	return slices.ContainsFunc(c.world.Scheduler.Extenders, func(extender upstream.Extender) bool {
		return extender.SupportsPreemption() && extender.IsInterested(c.Pod)
	})
}

// candidatesOf are the candidates that extenders left.
func candidatesOf(left map[string]*extenderv1.Victims) (candidates []preemption.Candidate) {
	for _, node := range slices.Sorted(maps.Keys(left)) {
		candidates = append(candidates, named{node, left[node]})
	}
	return candidates
}
