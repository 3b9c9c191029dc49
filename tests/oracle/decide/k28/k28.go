// Package k28 asks kube-scheduler 1.28 what it decides about the pod of a case: the framework with preemption.Evaluator.
package k28

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
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
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
	defer cancel()
	factory, err := world.Informers(q.Objects)
	if err != nil {
		return nil, err
	}
	everyNode := int32(100)
	sched, err := scheduler.New(ctx, world.Client, factory, nil, upstream.NoEvents,
		scheduler.WithParallelism(1), scheduler.WithPercentageOfNodesToScore(&everyNode))
	if err != nil {
		return nil, err
	}
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
	for _, plugin := range c.profile.PreEnqueuePlugins() {
		if status := plugin.PreEnqueue(c.ctx, c.Pod); !status.IsSuccess() {
			c.Expect.PreEnqueue = rejection(status)
			c.Expect.PreEnqueue.Plugin = plugin.Name()
			return nil
		}
	}
	state := framework.NewCycleState()
	result, err := c.scheduler.SchedulePod(c.ctx, c.profile, state, c.Pod)
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
	c.Expect.Error = !errors.Is(err, scheduler.ErrNoNodesAvailable)
	return nil
}

// unschedulable is a cycle in which no node passed every filter.
func (c *cycle) unschedulable(state *framework.CycleState, fit *framework.FitError) error {
	if fit.Diagnosis.PreFilterMsg != "" {
		_, status := c.profile.RunPreFilterPlugins(c.ctx, framework.NewCycleState(), c.Pod)
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
	narrowed, status := c.profile.RunPreFilterPlugins(c.ctx, state, c.Pod)
	if !status.IsSuccess() {
		return fmt.Errorf("PreFilter agrees once only: %v", status)
	}
	var passed []*framework.NodeInfo
	for _, info := range c.nodes {
		node := info.Node().Name
		if !narrowed.AllNodes() && !narrowed.NodeNames.Has(node) {
			continue // this release says nothing about such a node
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
	if !slices.Contains(c.Expect.Selected, host) {
		return fmt.Errorf("the scheduler chose %s, this program says %v", host, c.Expect.Selected)
	}
	return nil
}

func (c *cycle) score(state *framework.CycleState, infos []*framework.NodeInfo) error {
	nodes := make([]*corev1.Node, len(infos))
	for i, info := range infos {
		nodes[i] = info.Node()
	}
	if status := c.profile.RunPreScorePlugins(c.ctx, state, c.Pod, nodes); !status.IsSuccess() {
		return status.AsError()
	}
	scored, status := c.profile.RunScorePlugins(c.ctx, state, c.Pod, nodes)
	if !status.IsSuccess() {
		return status.AsError()
	}
	parts := map[string]map[string]int64{}
	for _, node := range scored {
		parts[node.Name] = map[string]int64{}
		for _, part := range node.Scores {
			parts[node.Name][part.Name] = part.Score
		}
	}
	c.Score(parts)
	return nil
}

func rejection(status *framework.Status) *cases.Rejection {
	return &cases.Rejection{Code: status.Code().String(), Plugin: status.FailedPlugin(), Reasons: reasons(status)}
}

func reasons(status *framework.Status) []string {
	return cases.Reasons(status.Reasons(), status.FailedPlugin() == "NodeResourcesFit")
}
