// Package generic asks kube-scheduler 1.12 and 1.16 what they decide about the pod of a case: predicates, priority
// functions and Preempt of the generic scheduler. What the two name or call differently is in k12.go and k16.go.
package generic

import (
	"fmt"
	"slices"
	_ "unsafe" // for steps of Preempt that the scheduler keeps to itself

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/api"
	"k8s.io/kubernetes/pkg/scheduler/core"

	"oracle/cases"
)

// cycle is one scheduling cycle of one pod.
type cycle struct {
	*cases.Question
	*cases.Answer
	*scheduler
	seen  *watch
	nodes []*corev1.Node
}

const (
	unschedulable = "Unschedulable"
	unresolvable  = "UnschedulableAndUnresolvable"
)

// Once starts a scheduler and runs the cycle of the question's pod.
func Once(q *cases.Question) (*cases.Answer, error) {
	stop := make(chan struct{})
	defer close(stop)
	seen := newWatch()
	started, err := start(q, seen, stop)
	if err != nil {
		return nil, err
	}
	run := &cycle{Question: q, Answer: cases.NewAnswer(), scheduler: started, seen: seen}
	for _, object := range q.Objects["v1/Node"] {
		run.nodes = append(run.nodes, object.(*corev1.Node))
	}
	return run.Answer, run.run()
}

func (c *cycle) run() error {
	if c.Pod.Spec.SchedulerName != corev1.DefaultSchedulerName {
		c.NoCycle("", unresolvable, "no profile for this schedulerName")
		return nil
	}
	if c.Pod.DeletionTimestamp != nil {
		// The scheduler takes such a pod from its queue and passes it over before the cycle begins.
		c.NoCycle("", unresolvable, "skip schedule deleting pod: "+cases.FullName(c.Pod))
		return nil
	}
	c.seen.predicates(c.config.Algorithm.Predicates())
	c.seen.priorities(c.config.Algorithm.Prioritizers())
	host, err := c.schedule(c.Pod)
	if c.seen.panicked != nil {
		panic(c.seen.panicked)
	}
	fit, isFit := err.(*core.FitError)
	switch {
	case err == nil:
		c.filtered(&core.FitError{FailedPredicates: c.seen.reasons})
		return c.feasible(host)
	case isFit:
		c.Say(fit.Error())
		c.filtered(fit)
		return c.postFilter(fit)
	}
	c.Say(err.Error())
	c.Expect.Error = err != core.ErrNoNodesAvailable
	return nil
}

// filtered are the nodes that a predicate refused. These releases have no codes: a node that preemption would not even try
// is told as one that nothing resolves.
func (c *cycle) filtered(fit *core.FitError) {
	potential := mightHelp(c.nodes, fit)
	for node, reasons := range fit.FailedPredicates {
		refusal := cases.Rejection{Plugin: c.seen.refused[node], Code: unresolvable}
		for _, reason := range reasons {
			refusal.Reasons = append(refusal.Reasons, reason.GetReason())
		}
		refusal.Reasons = cases.Reasons(refusal.Reasons, true)
		if slices.ContainsFunc(potential, func(n *corev1.Node) bool { return n.Name == node }) {
			refusal.Code = unschedulable
		}
		c.Expect.Filtered[node] = refusal
	}
}

// feasible tells what was seen while the scheduler chose this host.
func (c *cycle) feasible(host string) error {
	c.Expect.Outcome = "Schedulable"
	c.Expect.Feasible = cases.Sorted(c.seen.feasible)
	if len(c.Expect.Feasible) == 1 {
		c.Expect.Selected = slices.Clone(c.Expect.Feasible)
	} else {
		c.Score(c.seen.scores)
	}
	if !slices.Contains(c.Expect.Selected, host) {
		return fmt.Errorf("the scheduler chose %s, this program says %v", host, c.Expect.Selected)
	}
	return nil
}

// postFilter runs the scheduler's Preempt up to where it asks extenders about its candidates, and then its tie-break
// among them.
func (c *cycle) postFilter(fit *core.FitError) error {
	eligible, err := c.eligible(c.Pod)
	if err != nil {
		return err
	}
	found := &cases.Preemption{Eligible: eligible, Candidates: map[string]cases.Candidate{}, Winners: []string{}}
	c.Expect.Preemption = found
	if err := c.preempt(c.Pod, fit); err != nil && err != errFound {
		return err
	}
	var candidates []candidate
	var contenders []cases.Contender
	for node, victims := range c.seen.candidates {
		found.Candidates[node.Name] = cases.NewCandidate(victims.Pods, int64(victims.NumPDBViolations))
		candidates = append(candidates, candidate{node, victims})
		contenders = append(contenders, cases.Contender{
			Name: node.Name, Victims: victims.Pods, Violations: int64(victims.NumPDBViolations), Start: earliestStart(victims),
		})
	}
	found.Winners = cases.Winners(candidates, candidate.name, func(some []candidate) string {
		among := map[*corev1.Node]*api.Victims{}
		for _, one := range some {
			among[one.node] = one.victims
		}
		return pickOneNodeForPreemption(among).Name
	})
	found.Ladder = c.Ladder(contenders)
	if len(candidates) > 0 {
		c.Expect.Outcome = "Preempt"
	}
	return nil
}

type candidate struct {
	node    *corev1.Node
	victims *api.Victims
}

func (c candidate) name() string { return c.node.Name }

//go:linkname pickOneNodeForPreemption k8s.io/kubernetes/pkg/scheduler/core.pickOneNodeForPreemption
func pickOneNodeForPreemption(map[*corev1.Node]*api.Victims) *corev1.Node
