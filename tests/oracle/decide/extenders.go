package decide

import (
	"maps"
	"slices"

	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"oracle/upstream"
)

// named is a candidate as extenders leave it.
type named struct {
	name    string
	victims *extenderv1.Victims
}

func (n named) Name() string                 { return n.name }
func (n named) Victims() *extenderv1.Victims { return n.victims }

// extendersPreempt says whether any extender of the pod is asked about preemption.
func (c *cycle) extendersPreempt() bool {
	return slices.ContainsFunc(c.profile.Extenders(), func(extender upstream.Extender) bool {
		return extender.SupportsPreemption() && extender.IsInterested(c.Pod)
	})
}

// candidatesOf are the candidates that extenders left.
func candidatesOf(left map[string]*extenderv1.Victims) (candidates []upstream.Candidate) {
	for _, node := range slices.Sorted(maps.Keys(left)) {
		candidates = append(candidates, named{node, left[node]})
	}
	return candidates
}
