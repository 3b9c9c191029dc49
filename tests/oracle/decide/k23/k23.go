// Package k23 asks kube-scheduler from 1.23 to 1.31 what it decides about the pod of a case: the framework with preemption.Evaluator.
package k23

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

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
	ctx, cancel := context.WithCancel(upstream.Silent(context.Background()))
	defer cancel()
	factory, err := world.Informers(q.Objects)
	if err != nil {
		return nil, err
	}
	options := []scheduler.Option{scheduler.WithParallelism(1)}
	configured, err := world.Configuration(q.Config)
	if err != nil {
		return nil, err
	}
	if len(configured.Extenders) > 0 {
		return nil, errors.New("extenders are not asked before 1.32")
	}
	if profiles := configured.Profiles; profiles != nil {
		options = append(options, scheduler.WithProfiles(profiles...), scheduler.WithComponentConfigVersion("kubescheduler.config.k8s.io/v1"))
	}
	sched, err := upstream.NewScheduler(ctx, world.Client, factory, options...)
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
	if plugin, status := upstream.PreEnqueue(c.ctx, c.profile, c.Pod); !status.IsSuccess() {
		c.Expect.PreEnqueue = rejection(status)
		c.Expect.PreEnqueue.Plugin = plugin
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
		return c.unschedulable(state, fit)
	}
	c.Say(err.Error())
	c.Expect.Error = !errors.Is(err, upstream.ErrNoNodes)
	if c.Expect.Error && upstream.NodeErrors(c.ctx, c.profile, c.Pod) > 1 {
		c.Unspecified = "the error of one of several nodes"
	}
	return nil
}

// unschedulable is a cycle in which no node passed every filter.
func (c *cycle) unschedulable(state *framework.CycleState, fit *framework.FitError) error {
	if _, status := upstream.PreFilter(c.ctx, c.profile, framework.NewCycleState(), c.Pod); !status.IsSuccess() {
		c.Expect.PreFilter = rejection(status)
	} else {
		for _, info := range c.nodes {
			if status, told := fit.Diagnosis.NodeToStatusMap[info.Node().Name]; told {
				c.Expect.Filtered[info.Node().Name] = *rejection(status)
			}
		}
	}
	return c.postFilter(state, fit)
}

// feasible runs the filters on every node and scores those that pass; `host` is what the scheduler chose in its own cycle.
func (c *cycle) feasible(host string) error {
	c.Expect.Outcome = "Schedulable"
	state := framework.NewCycleState()
	keeps, status := upstream.PreFilter(c.ctx, c.profile, state, c.Pod)
	if !status.IsSuccess() {
		return fmt.Errorf("PreFilter agrees once only: %v", status)
	}
	leftOut := keeps != nil && c.tellsLeftOut()
	var passed []*framework.NodeInfo
	for _, info := range c.nodes {
		node := info.Node().Name
		if keeps != nil && !keeps(node) {
			if leftOut {
				c.Expect.Filtered[node] = cases.Rejection{Code: unresolvable, Reasons: []string{"node is filtered out by the prefilter result"}}
			}
			continue
		}
		if status := c.profile.RunFilterPluginsWithNominatedPods(c.ctx, state, c.Pod, info); status.IsSuccess() {
			c.Expect.Feasible = append(c.Expect.Feasible, node)
			passed = append(passed, info)
		} else {
			c.Expect.Filtered[node] = *rejection(status)
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
	case nominated != "" && slices.Contains(c.Expect.Feasible, nominated):
		c.Expect.Selected = []string{nominated}
	case len(passed) == 1:
		c.Expect.Selected = []string{passed[0].Node().Name}
	default:
		if err := c.score(state, passed); err != nil {
			return err
		}
	}
	if cases.Samples(len(c.nodes), len(passed)) {
		return c.Sample(upstream.Sampler(c.scheduler), len(c.nodes), func() (string, error) {
			result, err := upstream.Schedule(c.ctx, c.scheduler, c.profile, framework.NewCycleState(), c.Pod)
			return result.SuggestedHost, err
		})
	}
	if !slices.Contains(c.Expect.Selected, host) {
		return fmt.Errorf("the scheduler chose %s, this program says %v", host, c.Expect.Selected)
	}
	return nil
}

// tellsLeftOut says whether this patch gives the nodes a status that PreFilter leaves out, which it then counts: only a few
// do.
func (c *cycle) tellsLeftOut() bool {
	pod := c.Pod.DeepCopy()
	pod.Status.NominatedNodeName = "" // a nominated node may end the cycle before that
	result, err := upstream.Schedule(c.ctx, c.scheduler, c.profile, framework.NewCycleState(), pod)
	return err == nil && result.EvaluatedNodes == len(c.nodes)
}

func (c *cycle) score(state *framework.CycleState, nodes []*framework.NodeInfo) error {
	if !c.profile.HasScorePlugins() {
		c.Expect.Selected = slices.Clone(c.Expect.Feasible)
		c.Expect.Scores = map[string]map[string]int64{}
		for _, node := range c.Expect.Feasible {
			c.Expect.Scores[node] = map[string]int64{"total": 1}
		}
		return nil
	}
	scored, status := upstream.Score(c.ctx, c.profile, state, c.Pod, nodes)
	if !status.IsSuccess() {
		return status.AsError()
	}
	c.Score(scored)
	return nil
}

func rejection(status *framework.Status) *cases.Rejection {
	return &cases.Rejection{Code: status.Code().String(), Plugin: upstream.PluginOf(status), Reasons: reasons(status)}
}

func reasons(status *framework.Status) []string {
	return cases.Reasons(status.Reasons(), upstream.PluginOf(status) == "NodeResourcesFit")
}
