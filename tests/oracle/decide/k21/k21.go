// Package k21 asks kube-scheduler 1.21 or 1.22 what it decides about the pod of a case: the framework, with the steps of preemption
// in the DefaultPreemption plugin.
package k21

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/client-go/tools/events"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/util"

	"oracle/cases"
	"oracle/upstream"
	"oracle/world"
)

// cycle is one scheduling cycle of one pod.
type cycle struct {
	*cases.Question
	*cases.Answer
	ctx       context.Context
	scheduler *scheduler.Scheduler
	profile   framework.Framework
	nodes     []*framework.NodeInfo
}

const unresolvable = "UnschedulableAndUnresolvable"

// Once starts a scheduler and runs the cycle of the question's pod.
func Once(q *cases.Question) (*cases.Answer, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	factory, err := world.Informers(q.Objects)
	if err != nil {
		return nil, err
	}
	noEvents := func(string) events.EventRecorder { return &events.FakeRecorder{} }
	sched, err := scheduler.New(world.Client, factory, noEvents, ctx.Done(),
		scheduler.WithParallelism(1), scheduler.WithPercentageOfNodesToScore(100))
	if err != nil {
		return nil, err
	}
	defer func() {
		for _, profile := range sched.Profiles {
			upstream.EndRecorder(profile)
		}
	}()
	run := &cycle{Question: q, Answer: cases.NewAnswer(), ctx: ctx, scheduler: sched, profile: sched.Profiles[q.Pod.Spec.SchedulerName]}
	return run.Answer, run.run()
}

func (c *cycle) run() error {
	if c.profile == nil {
		c.NoCycle("", unresolvable, "no profile for this schedulerName")
		return nil
	}
	if c.Pod.DeletionTimestamp != nil {
		// The scheduler takes such a pod from its queue and passes it over before the cycle begins.
		c.NoCycle("", unresolvable, "skip schedule deleting pod: "+cases.FullName(c.Pod))
		return nil
	}
	state := framework.NewCycleState()
	result, err := upstream.Schedule(c.ctx, c.scheduler, c.profile, state, c.Pod)
	var fit *framework.FitError
	if err == nil || errors.As(err, &fit) {
		// The scheduler has taken its snapshot.
		var unlisted error
		if c.nodes, unlisted = c.profile.SnapshotSharedLister().NodeInfos().List(); unlisted != nil {
			return unlisted
		}
	}
	switch {
	case err == nil:
		return c.feasible(result.SuggestedHost)
	case fit != nil:
		c.Say(fit.Error())
		for node, status := range fit.Diagnosis.NodeToStatusMap {
			c.Expect.Filtered[node] = rejection(status)
		}
		return c.preempt(state, fit.Diagnosis.NodeToStatusMap)
	}
	c.Say(err.Error())
	c.Expect.Error = !errors.Is(err, upstream.ErrNoNodes)
	if c.Expect.Error && upstream.NodeErrors(c.ctx, c.profile, c.Pod) > 1 {
		c.Unspecified = "the error of one of several nodes"
	}
	return nil
}

// feasible runs the filters on every node and scores those that pass; `host` is what the scheduler chose in its own cycle.
func (c *cycle) feasible(host string) error {
	c.Expect.Outcome = "Schedulable"
	state := framework.NewCycleState()
	if _, status := upstream.PreFilter(c.ctx, c.profile, state, c.Pod); !status.IsSuccess() {
		return fmt.Errorf("PreFilter agrees once only: %v", status)
	}
	var passed []*framework.NodeInfo
	for _, info := range c.nodes {
		node := info.Node().Name
		if status := c.profile.RunFilterPluginsWithNominatedPods(c.ctx, state, c.Pod, info); status.IsSuccess() {
			c.Expect.Feasible = append(c.Expect.Feasible, node)
			passed = append(passed, info)
		} else {
			c.Expect.Filtered[node] = rejection(status)
			if status.Code() == framework.Error {
				c.Unspecified = "an error on a node that the scheduler does not get to"
			}
		}
	}
	slices.Sort(c.Expect.Feasible)
	nominated := c.Pod.Status.NominatedNodeName
	switch {
	case len(passed) == 0:
		c.Unspecified = "whether the pod is schedulable"
		return nil
	case upstream.NominatedFirst && nominated != "" && slices.Contains(c.Expect.Feasible, nominated):
		c.Expect.Selected = []string{nominated}
	case len(passed) == 1:
		c.Expect.Selected = []string{passed[0].Node().Name}
	default:
		if err := c.score(state, passed); err != nil {
			return err
		}
	}
	if !slices.Contains(c.Expect.Selected, host) {
		return fmt.Errorf("the scheduler chose %s, this program says %v", host, c.Expect.Selected)
	}
	return nil
}

func (c *cycle) score(state *framework.CycleState, nodes []*framework.NodeInfo) error {
	scored, status := upstream.Score(c.ctx, c.profile, state, c.Pod, nodes)
	if !status.IsSuccess() {
		return status.AsError()
	}
	c.Score(scored)
	return nil
}

// untried is what the scheduler says of a node that it does not try.
const untried = "Preemption is not helpful for scheduling"

// preempt is what follows when no node passes: the steps of the DefaultPreemption plugin, with every node tried.
func (c *cycle) preempt(state *framework.CycleState, statuses framework.NodeToStatusMap) error {
	made, err := plugins.NewInTreeRegistry()[defaultpreemption.Name](
		&config.DefaultPreemptionArgs{MinCandidateNodesPercentage: 100, MinCandidateNodesAbsolute: 100}, c.profile)
	if err != nil {
		return err
	}
	found := &cases.Preemption{Candidates: map[string]cases.Candidate{}, Rejected: map[string]cases.Refusal{}, Winners: []string{}}
	c.Expect.Preemption = found
	infos := c.profile.SnapshotSharedLister().NodeInfos()
	found.Eligible = defaultpreemption.PodEligibleToPreemptOthers(c.Pod, infos, statuses[c.Pod.Status.NominatedNodeName])
	if !found.Eligible {
		return nil
	}
	candidates, refused, status := made.(*defaultpreemption.DefaultPreemption).FindCandidates(c.ctx, state, c.Pod, statuses)
	if !status.IsSuccess() {
		return status.AsError()
	}
	for node, status := range refused {
		if status.Message() == untried {
			continue
		}
		found.Rejected[node] = cases.Refusal{Code: status.Code().String(), Reasons: reasons(status)}
	}
	var contenders []cases.Contender
	for _, candidate := range candidates {
		victims := candidate.Victims()
		found.Candidates[candidate.Name()] = cases.NewCandidate(victims.Pods, victims.NumPDBViolations)
		contenders = append(contenders, cases.Contender{
			Name: candidate.Name(), Victims: victims.Pods, Violations: victims.NumPDBViolations, Start: util.GetEarliestPodStartTime(victims).Time,
		})
	}
	found.Winners = cases.Winners(candidates, defaultpreemption.Candidate.Name, func(some []defaultpreemption.Candidate) string {
		return defaultpreemption.SelectCandidate(some).Name()
	})
	found.Ladder = c.Ladder(contenders)
	if len(candidates) > 0 {
		c.Expect.Outcome = "Preempt"
	}
	return nil
}

func rejection(status *framework.Status) cases.Rejection {
	return cases.Rejection{Code: status.Code().String(), Plugin: status.FailedPlugin(), Reasons: reasons(status)}
}

func reasons(status *framework.Status) []string {
	return cases.Reasons(status.Reasons(), status.FailedPlugin() == "NodeResourcesFit")
}
