//go:build from36

package decide

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"oracle/cases"
	"oracle/upstream"
	"oracle/world"
)

// groupCycle is one scheduling cycle of one pod group.
type groupCycle struct {
	*cases.Question
	*cases.GroupExpect
	*diary
	ctx   context.Context
	world *World
	// key is that of the group's topology constraint, empty if it has none that counts.
	key string
	// inTree says whether the group belongs to a composite group; limited whether it or one above it has a topology constraint.
	inTree, limited bool
}

// Group starts a scheduler and runs one cycle of the question's group, whatever else is in the queue.
func Group(q *cases.Question) (*cases.GroupExpect, error) {
	notes := &diary{objects: q.Objects, group: q.Group, failures: map[string]failure{}}
	ctx, cancel := context.WithCancel(notes.listen(context.Background()))
	defer cancel()
	world, err := NewWorld(ctx, world.Watched(notes.wrote), q.Objects, q.Config, 1)
	if err != nil {
		return nil, err
	}
	c := &groupCycle{
		Question: q, GroupExpect: &cases.GroupExpect{Members: []cases.Member{}, Victims: []string{}},
		diary: notes, ctx: ctx, world: world,
	}
	return c.GroupExpect, c.run()
}

func (c *groupCycle) run() error {
	namespace, name, _ := strings.Cut(c.Question.Group, "/")
	c.follow(c.world)
	c.world.Scheduler.SchedulingQueue.Close()
	if !upstream.PopGroup(c.ctx, c.world.Scheduler, namespace, name) {
		c.Outcome, c.Waiting = "Waiting", c.held()
		return nil
	}
	c.world.Scheduler.ScheduleOne(c.ctx)
	c.stop()
	if len(c.failures) == 0 && len(c.runs) == 0 {
		c.Outcome, c.Condition = "Waiting", c.condition // every member is being deleted
		return nil
	}
	return c.describe(c.Objects.Find(upstream.GroupKind, namespace, name).(*upstream.PodGroup))
}

// held is why the first member that may not enter the queue may not.
func (c *groupCycle) held() *string {
	for _, object := range c.Objects["v1/Pod"] {
		pod := object.(*v1.Pod)
		if !c.mine(pod) || pod.Spec.NodeName != "" {
			continue
		}
		profile := c.world.Profile(pod)
		if profile == nil {
			continue // another scheduler's
		}
		for _, plugin := range profile.PreEnqueuePlugins() {
			if status := plugin.PreEnqueue(c.ctx, pod); !status.IsSuccess() {
				message := status.Message()
				return &message
			}
		}
	}
	return nil
}

// describe puts down what came of the cycle.
func (c *groupCycle) describe(group *upstream.PodGroup) error {
	// Every pod that fails gets a condition. In the run that succeeds every member is tried.
	members := c.order
	c.Outcome = "Scheduled"
	if all := c.longest(); len(members) < len(all) {
		members = all
	} else {
		c.Outcome = c.ending()
	}
	c.Condition = c.condition
	c.NumPDBViolations = c.violations
	c.Victims = units(c.Objects, c.victims)
	c.inTree, c.limited = upstream.InTree(group, c.Objects.Find)
	if constraints := group.Spec.SchedulingConstraints; constraints != nil && len(constraints.Topology) > 0 && c.Gates["TopologyAwareWorkloadScheduling"] {
		c.key = constraints.Topology[0].Key
	}
	var nodes []string
	for _, pod := range members {
		member, err := c.member(pod, c.key != "" || c.limited)
		if err != nil {
			return err
		}
		if c.Outcome == "Scheduled" && member.Node != nil {
			nodes = append(nodes, *member.Node)
		} else if c.Outcome == "Preempt" && member.NominatedNode != nil {
			nodes = append(nodes, *member.NominatedNode)
		}
		c.Members = append(c.Members, member)
	}
	if c.key != "" {
		c.Placement = c.domain(c.key, nodes)
	}
	return nil
}

// longest is the order of the members in the run that tries most of them.
func (c *groupCycle) longest() (order []string) {
	for _, run := range c.runs {
		if len(run.order) > len(order) {
			order = run.order
		}
	}
	return order
}

// domain is the value that these nodes have in common for the key of the group's topology constraint.
func (c *groupCycle) domain(key string, nodes []string) *string {
	for _, object := range c.Objects["v1/Node"] {
		node := object.(*v1.Node)
		if value, has := node.Labels[key]; has && slices.Contains(nodes, node.Name) {
			return &value
		}
	}
	return nil
}

// ending is how a cycle ends in which no pod is bound.
func (c *groupCycle) ending() string {
	switch {
	case c.postFiltered && c.lastResort.IsSuccess() && strings.Contains(c.lastResort.Message(), "ongoing preemption"):
		return "Ongoing"
	case c.postFiltered && c.lastResort.IsSuccess():
		return "Preempt"
	case c.postFiltered && !c.lastResort.IsRejected():
		return "Error"
	case c.postFiltered:
		return "Unschedulable"
	}
	for _, failure := range c.failures {
		if failure.reason == v1.PodReasonSchedulerError {
			return "Error"
		}
		if failure.promised {
			return "Preempt" // by PostFilter of a member
		}
	}
	return "Unschedulable"
}

// member is what became of one pod.
func (c *groupCycle) member(name string, placements bool) (cases.Member, error) {
	member := cases.Member{Pod: name, Result: "NotTried"}
	failure, failed := c.failures[name]
	if !failed {
		assumed, err := c.world.Scheduler.Cache.GetPod(c.Objects.Pod(name))
		if err != nil {
			return member, fmt.Errorf("%s is neither refused nor bound: %w", name, err)
		}
		member.Result, member.Node = "Placed", &assumed.Spec.NodeName
		return member, nil
	}
	member.Reason, member.Message = &failure.reason, &failure.message
	if failure.nominated != "" {
		member.NominatedNode = &failure.nominated
	}
	if c.isHidden() {
		member.Result = "Hidden"
		return member, nil
	}
	switch tried := c.tried(name); {
	case tried == nil:
	case unfit(failure.err) || unfit(tried.err):
		member.Result = "Rejected"
	case tried.err != nil:
		member.Result = "Error"
	default:
		member.Result = "Placed"
		if !placements {
			member.Node = &tried.host
		}
	}
	return member, nil
}

// tried is the choice for this pod in the run that the group's texts are of: the first, the one that ends with an error, or one that
// succeeds, in which every member is tried.
func (c *groupCycle) tried(pod string) *attempt {
	switch {
	case len(c.runs) == 0:
		return nil
	case c.Outcome == "Error" && !c.postFiltered:
		return c.runs[len(c.runs)-1].attempts[pod]
	case c.Outcome == "Scheduled":
		return slices.MaxFunc(c.runs, func(a, b run) int { return cmp.Compare(len(a.order), len(b.order)) }).attempts[pod]
	case c.inTree:
		told := c.told()
		if told == nil {
			return nil
		}
		return told.attempts[pod]
	default:
		return c.runs[0].attempts[pod]
	}
}

// told is the run before the last resort that the texts are of: one in which a pod fits nowhere in these words. If the group got what
// it needs and its tree did not, it is the first; nil if there is none.
func (c *groupCycle) told() *run {
	runs := c.runs
	if c.firstRuns != nil {
		runs = runs[:*c.firstRuns]
	}
	for i, run := range runs {
		for pod, made := range run.attempts {
			if made.err != nil && errors.Is(c.failures[pod].err, made.err) {
				return &runs[i]
			}
		}
	}
	if len(runs) == 0 {
		return nil // another group of its tree was refused before
	}
	return &runs[0]
}

// isHidden says whether what was found for the pods of the group does not show, since it was tried in several placements and no
// text is of one, or since its tree ends with an error.
func (c *groupCycle) isHidden() bool {
	if !c.inTree || c.Outcome == "Scheduled" {
		return false
	}
	if c.Outcome == "Error" || !c.limited {
		return c.Outcome == "Error"
	}
	for _, failure := range c.failures {
		if unfit(failure.err) {
			return false
		}
	}
	return true
}

// unfit says whether this is the error of a pod that fits nowhere.
func unfit(err error) bool {
	var fit *framework.FitError
	return errors.As(err, &fit) || errors.Is(err, scheduler.ErrNoNodesAvailable)
}
