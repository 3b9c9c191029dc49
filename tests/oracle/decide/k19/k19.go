// Package k19 asks kube-scheduler 1.19 or 1.20 what it decides about the pod of a case: the framework without plugin names in its
// statuses, with the steps of preemption in the DefaultPreemption plugin.
package k19

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/core"
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
	profile   upstream.Framework
	infos     upstream.NodeInfoLister
	factory   informers.SharedInformerFactory
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
	sched, err := upstream.NewScheduler(ctx, world.Client, factory, scheduler.WithPercentageOfNodesToScore(100))
	if err != nil {
		return nil, err
	}
	run := &cycle{
		Question: q, Answer: cases.NewAnswer(), ctx: ctx, scheduler: sched,
		profile: sched.Profiles[q.Pod.Spec.SchedulerName],
		factory: factory,
	}
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
	state := upstream.NewCycleState()
	result, err := c.scheduler.Algorithm.Schedule(c.ctx, c.profile, state, c.Pod)
	c.infos = c.profile.SnapshotSharedLister().NodeInfos()
	var fit *core.FitError
	switch {
	case err == nil:
		return c.feasible(result.SuggestedHost)
	case errors.As(err, &fit):
		c.Say(fit.Error())
		for node, status := range fit.FilteredNodesStatuses {
			c.Expect.Filtered[node] = rejection("", status)
		}
		if err := c.filter(nil); err != nil {
			return err
		}
		return c.preempt(state, fit.FilteredNodesStatuses)
	}
	c.Say(err.Error())
	c.Expect.Error = !errors.Is(err, core.ErrNoNodesAvailable)
	return nil
}

// watch looks over the filters' shoulder: a status of this release does not say which plugin it is from.
type watch struct {
	upstream.PreemptHandle
	refused string
}

func (w *watch) RunFilterPlugins(ctx context.Context, state upstream.CycleState, pod *corev1.Pod, info upstream.NodeInfo) upstream.PluginToStatus {
	statuses := w.PreemptHandle.RunFilterPlugins(ctx, state, pod, info)
	for plugin, status := range statuses {
		if !status.IsSuccess() {
			w.refused = plugin
		}
	}
	return statuses
}

// filter runs the filters on every node, once more: `feasible` is told of those that pass.
func (c *cycle) filter(feasible func(upstream.CycleState, []*corev1.Node) error) error {
	state := upstream.NewCycleState()
	if status := c.profile.RunPreFilterPlugins(c.ctx, state, c.Pod); !status.IsSuccess() {
		if feasible != nil {
			return fmt.Errorf("PreFilter agrees once only: %v", status)
		}
		return nil
	}
	infos, err := c.infos.List()
	if err != nil {
		return err
	}
	var passed []*corev1.Node
	for _, info := range infos {
		node := info.Node().Name
		seen := &watch{PreemptHandle: c.profile.PreemptHandle()}
		fits, status, err := core.PodPassesFiltersOnNode(c.ctx, seen, state, c.Pod, info)
		if err != nil {
			c.Unspecified = "an error on a node that the scheduler does not get to"
		}
		if fits {
			c.Expect.Feasible = append(c.Expect.Feasible, node)
			passed = append(passed, info.Node())
		} else {
			c.Expect.Filtered[node] = rejection(seen.refused, status)
		}
	}
	slices.Sort(c.Expect.Feasible)
	if (len(passed) > 0) != (feasible != nil) {
		c.Unspecified = "whether the pod is schedulable"
		return nil
	}
	if feasible == nil {
		return nil
	}
	return feasible(state, passed)
}

// feasible runs the filters on every node and scores those that pass; `host` is what the scheduler chose in its own cycle.
func (c *cycle) feasible(host string) error {
	c.Expect.Outcome = "Schedulable"
	return c.filter(func(state upstream.CycleState, passed []*corev1.Node) error {
		if len(passed) == 1 {
			c.Expect.Selected = []string{passed[0].Name}
		} else if err := c.score(state, passed); err != nil {
			return err
		}
		if !slices.Contains(c.Expect.Selected, host) {
			return fmt.Errorf("the scheduler chose %s, this program says %v", host, c.Expect.Selected)
		}
		return nil
	})
}

func (c *cycle) score(state upstream.CycleState, nodes []*corev1.Node) error {
	if status := c.profile.RunPreScorePlugins(c.ctx, state, c.Pod, nodes); !status.IsSuccess() {
		return status.AsError()
	}
	scored, status := c.profile.RunScorePlugins(c.ctx, state, c.Pod, nodes)
	if !status.IsSuccess() {
		return status.AsError()
	}
	parts := map[string]map[string]int64{}
	for _, node := range nodes {
		parts[node.Name] = map[string]int64{}
	}
	for plugin, scores := range scored {
		for _, score := range scores {
			parts[score.Name][plugin] = score.Score
		}
	}
	c.Score(parts)
	return nil
}

// preempt is what follows when no node passes: the steps of the DefaultPreemption plugin, which tries every node.
func (c *cycle) preempt(state upstream.CycleState, statuses upstream.NodeToStatusMap) error {
	found := &cases.Preemption{Candidates: map[string]cases.Candidate{}, Winners: []string{}}
	c.Expect.Preemption = found
	found.Eligible = defaultpreemption.PodEligibleToPreemptOthers(c.Pod, c.infos, statuses[c.Pod.Status.NominatedNodeName])
	if !found.Eligible {
		return nil
	}
	candidates, err := upstream.FindCandidates(c.ctx, world.Client, c.factory, state, c.profile, c.Pod, statuses)
	if err != nil {
		return err
	}
	var contenders []cases.Contender
	for _, candidate := range candidates {
		victims := candidate.Victims()
		found.Candidates[candidate.Name()] = cases.NewCandidate(victims.Pods, victims.NumPDBViolations)
		contender := cases.Contender{Name: candidate.Name(), Victims: victims.Pods, Violations: victims.NumPDBViolations}
		if len(victims.Pods) > 0 {
			contender.Start = util.GetEarliestPodStartTime(victims).Time
		}
		contenders = append(contenders, contender)
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

func rejection(plugin string, status upstream.Status) cases.Rejection {
	return cases.Rejection{Code: status.Code().String(), Plugin: plugin, Reasons: cases.Reasons(status.Reasons(), plugin == "NodeResourcesFit")}
}
