package cases

import (
	"reflect"
	"slices"
)

// GroupExpect is what the scheduler decided about a pod group, in one cycle of it.
type GroupExpect struct {
	// Outcome is Waiting (no cycle), Scheduled, Preempt, Ongoing (an earlier preemption has not ended), Unschedulable or Error.
	Outcome string `json:"outcome"`
	// Waiting is why a member may not enter the queue, where one may not.
	Waiting *string `json:"waiting"`
	// Members are those of the cycle, in the scheduler's order.
	Members []Member `json:"members"`
	// Condition is what is written to the group; null if nothing is.
	Condition *Condition `json:"condition"`
	// Victims are in the scheduler's order; the pods of a group that is disrupted as a whole are in no order there, and by name here.
	Victims []string `json:"victims"`
	// NumPDBViolations is null where every victim is being deleted already: the scheduler does not say it then.
	NumPDBViolations *int64 `json:"numPDBViolations"`
	// Placement is the domain that the group's topology constraint ends in.
	Placement *string `json:"placement"`
}

// Member is one pod of the group's cycle.
type Member struct {
	Pod string `json:"pod"`
	// Result is Placed, Rejected, NotTried or Error.
	Result string `json:"result"`
	// Node is where the cycle places the pod, though it be not bound; null for a group with a topology constraint that fails.
	Node *string `json:"node"`
	// Reason and Message are those of the PodScheduled condition; null if the pod is being bound.
	Reason  *string `json:"reason"`
	Message *string `json:"message"`
	// NominatedNode is what the pod's status says after the cycle; null for a pod that is being bound.
	NominatedNode *string `json:"nominatedNode"`
}

// Condition is the group's.
type Condition struct {
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// GroupDecider starts the linked scheduler on the objects of a question and has it decide about the group.
type GroupDecider func(*Question) (*GroupExpect, error)

// Decide fills in what the scheduler decides, as that of a pod does.
func (decide GroupDecider) Decide(c *Case, runs int) {
	if decide == nil {
		c.Failed = "this release knows no pod groups"
		return
	}
	q := c.begin()
	if q == nil {
		return
	}
	first, err := once(q, decide)
	if err != nil {
		c.Failed = err.Error()
		return
	}
	c.Expect = first
	answers := []any{first}
	for range runs - 1 {
		again, err := once(q, decide)
		if err != nil {
			c.Failed = "not every time: " + err.Error()
			return
		}
		c.compare(*first, *again)
		if known := slices.IndexFunc(answers, func(one any) bool { return reflect.DeepEqual(one, any(again)) }); known < 0 {
			answers = append(answers, again)
		}
	}
	c.Also = answers[1:]
}
