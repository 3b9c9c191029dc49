// Package decide asks kube-scheduler from 1.33 on what it decides about the pod of a case.
package decide

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"oracle/cases"
	"oracle/extender"
	"oracle/upstream"
	"oracle/world"
)

// cycle is one scheduling cycle of one pod.
type cycle struct {
	*cases.Question
	*cases.Answer
	ctx     context.Context
	world   *World
	profile framework.Framework
}

// Once starts a scheduler and runs the cycle of the question's pod.
func Once(q *cases.Question) (*cases.Answer, error) {
	ctx, cancel := context.WithCancel(upstream.Silent(context.Background()))
	defer cancel()
	end, err := extender.Serve(q.Extenders, q.Objects.Nodes)
	if err != nil {
		return nil, err
	}
	defer end()
	world, err := NewWorld(ctx, world.Client, q.Objects, q.Config, 1)
	if err != nil {
		return nil, err
	}
	run := &cycle{Question: q, Answer: cases.NewAnswer(), ctx: ctx, world: world, profile: world.Profile(q.Pod)}
	return run.Answer, run.run()
}

const unresolvable = "UnschedulableAndUnresolvable"

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
	for _, plugin := range c.profile.PreEnqueuePlugins() {
		if status := plugin.PreEnqueue(c.ctx, c.Pod); !status.IsSuccess() {
			c.Expect.PreEnqueue = rejection(status)
			c.Expect.PreEnqueue.Plugin = plugin.Name()
			return nil
		}
	}
	state := framework.NewCycleState()
	host, err := upstream.SchedulePod(c.ctx, c.world.Scheduler, c.profile, state, c.Pod)
	var fit *framework.FitError
	switch {
	case err == nil:
		return c.feasible(host)
	case errors.As(err, &fit):
		return c.unschedulable(state, fit)
	case errors.Is(err, scheduler.ErrNoNodesAvailable):
		c.Say(err.Error())
		return nil
	default:
		c.Say(err.Error())
		c.Expect.Error = true
		if c.errors() > 1 {
			c.Unspecified = "the error of one of several nodes"
		}
		return nil
	}
}

// errors is the number of different errors that the filters of nodes end with.
func (c *cycle) errors() int {
	state := framework.NewCycleState()
	if _, status, _ := c.profile.RunPreFilterPlugins(c.ctx, state, c.Pod); !status.IsSuccess() {
		return 0
	}
	nodes, err := c.world.Snapshot.NodeInfos().List()
	if err != nil {
		return 0
	}
	different := map[string]bool{}
	for _, info := range nodes {
		if status := c.profile.RunFilterPluginsWithNominatedPods(c.ctx, state, c.Pod, info); status.Code() == upstream.Error {
			different[status.Message()] = true
		}
	}
	return len(different)
}

// unschedulable is a cycle in which no node passed every filter.
func (c *cycle) unschedulable(state upstream.CycleState, fit *framework.FitError) error {
	if fit.Diagnosis.PreFilterMsg != "" {
		c.Expect.PreFilter = rejection(fit.Diagnosis.NodeToStatus.AbsentNodesStatus())
	} else {
		infos, err := c.world.Snapshot.NodeInfos().List()
		if err != nil {
			return err
		}
		for _, info := range infos {
			node := info.Node().Name
			c.Expect.Filtered[node] = *rejection(fit.Diagnosis.NodeToStatus.Get(node))
		}
	}
	return c.postFilter(state, fit)
}

// feasible runs the filters on every node and scores those that pass; `host` is what the scheduler chose in its own cycle.
func (c *cycle) feasible(host string) error {
	c.Expect.Outcome = "Schedulable"
	state := framework.NewCycleState()
	narrowed, status, plugins := c.profile.RunPreFilterPlugins(c.ctx, state, c.Pod)
	if !status.IsSuccess() {
		return fmt.Errorf("PreFilter agrees once only: %v", status)
	}
	all, err := c.world.Snapshot.NodeInfos().List()
	if err != nil {
		return err
	}
	absent := "node(s) didn't satisfy plugin(s) " + fmt.Sprint(cases.Sorted(plugins.UnsortedList()))
	var passed []upstream.NodeInfo
	statuses := framework.NewDefaultNodeToStatus()
	if !narrowed.AllNodes() {
		statuses.SetAbsentNodesStatus(upstream.NewStatus(upstream.Unresolvable, absent))
	}
	for _, info := range all {
		node := info.Node().Name
		if !narrowed.AllNodes() && !narrowed.NodeNames.Has(node) {
			continue
		}
		if status := c.profile.RunFilterPluginsWithNominatedPods(c.ctx, state, c.Pod, info); status.IsSuccess() {
			passed = append(passed, info)
		} else {
			statuses.Set(node, status)
			if status.Code() == upstream.Error {
				c.Unspecified = "an error on a node that the scheduler does not get to"
			}
		}
	}
	nominated := c.nominated(state, all)
	if nominated == nil {
		passed, err = passExtenders(c.ctx, c.profile, c.Pod, passed, statuses)
		if err != nil {
			return fmt.Errorf("extenders agree once only: %w", err)
		}
	}
	for _, info := range append(passed, nominated...) {
		c.Expect.Feasible = append(c.Expect.Feasible, info.Node().Name)
	}
	// An extender may name a node several times, and the nominated one may be none of those that PreFilter named.
	c.Expect.Feasible = slices.Compact(cases.Sorted(c.Expect.Feasible))
	for _, info := range all {
		if node := info.Node().Name; !slices.Contains(c.Expect.Feasible, node) {
			c.Expect.Filtered[node] = *rejection(statuses.Get(node))
		}
	}
	switch {
	case len(nominated) == 1:
		c.Expect.Selected = []string{nominated[0].Node().Name}
	case nominated != nil:
		if err := c.score(state, nominated); err != nil {
			return err
		}
	case len(passed) == 0:
		c.Unspecified = "whether the pod is schedulable"
		return nil
	case len(passed) == 1:
		c.Expect.Selected = []string{passed[0].Node().Name}
	default:
		if err := c.score(state, passed); err != nil {
			return err
		}
	}
	if cases.Samples(len(all), len(passed)) {
		return c.Sample(upstream.Sampler(c.world.Scheduler), len(all), func() (string, error) {
			return upstream.SchedulePod(c.ctx, c.world.Scheduler, c.profile, framework.NewCycleState(), c.Pod)
		})
	}
	if !slices.Contains(c.Expect.Selected, host) {
		return fmt.Errorf("the scheduler chose %s, this program says %v", host, c.Expect.Selected)
	}
	return nil
}

// nominated is the node to which the pod is nominated, if it passes the filters and extenders keep it: the scheduler then looks at
// no other, whichever nodes PreFilter named. Extenders that are asked about it alone may name it several times, and others.
func (c *cycle) nominated(state upstream.CycleState, all []upstream.NodeInfo) []upstream.NodeInfo {
	at := slices.IndexFunc(all, func(info upstream.NodeInfo) bool { return info.Node().Name == c.Pod.Status.NominatedNodeName })
	if at < 0 || !c.profile.RunFilterPluginsWithNominatedPods(c.ctx, state, c.Pod, all[at]).IsSuccess() {
		return nil
	}
	kept, err := passExtenders(c.ctx, c.profile, c.Pod, all[at:at+1], framework.NewDefaultNodeToStatus())
	if err != nil || len(kept) == 0 {
		return nil
	}
	return kept
}

func (c *cycle) score(state upstream.CycleState, nodes []upstream.NodeInfo) error {
	if !c.profile.HasScorePlugins() && len(c.profile.Extenders()) == 0 {
		c.Expect.Selected = slices.Clone(c.Expect.Feasible)
		c.Expect.Scores = map[string]map[string]int64{}
		for _, node := range c.Expect.Feasible {
			c.Expect.Scores[node] = map[string]int64{"total": 1}
		}
		return nil
	}
	scores, err := prioritize(c.ctx, c.profile, state, c.Pod, nodes)
	if err != nil {
		return err
	}
	parts := map[string]map[string]int64{}
	for _, node := range scores {
		parts[node.Name] = map[string]int64{}
		for _, part := range node.Scores {
			// An extender may score a node several times.
			parts[node.Name][part.Name] += part.Score
		}
	}
	c.Score(parts)
	return nil
}

func rejection(status *upstream.Status) *cases.Rejection {
	return &cases.Rejection{Code: status.Code().String(), Plugin: status.Plugin(), Reasons: reasons(status)}
}

func reasons(status *upstream.Status) []string {
	return cases.Reasons(status.Reasons(), status.Plugin() == "NodeResourcesFit")
}

func logger(ctx context.Context) klog.Logger { return klog.FromContext(ctx) }
