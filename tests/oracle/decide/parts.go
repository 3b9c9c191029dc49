//go:build k35

package decide

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/testing"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"oracle/cases"
	"oracle/upstream"
	"oracle/world"
)

// mostCycles ends what would go on for ever.
const mostCycles = 200

// parts are the cycles of the pods of a group that is a part of a Workload.
type parts struct {
	*cases.Question
	*cases.GroupExpect
	world *World
	order []string
	ends  map[string]cases.Member
	// evicting are the pods that have evicted others: what a further cycle of theirs does is not looked at, since the victims do
	// not end here.
	evicting map[string]bool
	// ignored says that the cycle is such a one, and unlikely what it does that matters to other pods: evictions that are sent beside
	// the cycles keep it from being tried so soon.
	ignored  bool
	unlikely error
}

// Parts starts a scheduler and has the pods of the question's group go through their cycles, as the queue gives them, until it gives
// none any more. No other pod of the question may wait.
func Parts(q *cases.Question) (*cases.GroupExpect, error) {
	p := &parts{
		Question: q, GroupExpect: &cases.GroupExpect{Members: []cases.Member{}, Victims: []string{}},
		ends: map[string]cases.Member{}, evicting: map[string]bool{},
	}
	ctx, cancel := context.WithCancel(upstream.Silent(context.Background()))
	defer cancel()
	world, err := NewWorld(ctx, world.Watched(p.wrote), q.Objects, q.Config, 1)
	if err != nil {
		return nil, err
	}
	p.world = world
	return p.GroupExpect, p.run(ctx)
}

func (p *parts) run(ctx context.Context) error {
	sched := p.world.Scheduler
	p.follow()
	sched.SchedulingQueue.Close()
	for cycles := 0; ; cycles++ {
		pod, err := sched.SchedulingQueue.Pop(klog.FromContext(ctx))
		if err != nil {
			return err
		}
		if pod == nil {
			break
		}
		if !p.mine(pod.Pod) {
			return fmt.Errorf("%s waits, too", cases.FullName(pod.Pod))
		}
		if cycles == mostCycles {
			return fmt.Errorf("%d cycles", cycles)
		}
		sched.NextPod = func(klog.Logger) (*framework.QueuedPodInfo, error) { return pod, nil }
		p.ignored = p.evicting[cases.FullName(pod.Pod)]
		sched.ScheduleOne(ctx)
		if p.unlikely != nil {
			return p.unlikely
		}
	}
	p.Outcome = "Waiting"
	for _, name := range p.order {
		end := p.ends[name]
		if end.Result == "Placed" && p.waits(name) {
			end.Result = "Waits"
		}
		switch {
		case end.Result == "Placed":
			p.Outcome = "Scheduled"
		case p.Outcome == "Waiting":
			p.Outcome = "Unschedulable"
		}
		p.Members = append(p.Members, end)
	}
	return nil
}

// waits says whether a pod is still held at Permit. One that is allowed leaves the list later.
func (p *parts) waits(name string) bool {
	pod := p.Objects.Pod(name)
	waiting := p.world.Profile(pod).GetWaitingPod(pod.UID)
	return waiting != nil && len(waiting.GetPendingPlugins()) > 0
}

func (p *parts) follow() {
	sched := p.world.Scheduler
	choose := sched.SchedulePod
	sched.SchedulePod = func(ctx context.Context, f framework.Framework, state fwk.CycleState, pod *v1.Pod) (scheduler.ScheduleResult, error) {
		result, err := choose(ctx, f, state, pod)
		if err == nil && p.ignored {
			p.unlikely = fmt.Errorf("%s evicts pods, and is placed before they are gone", cases.FullName(pod))
		}
		if err == nil {
			p.end(pod, cases.Member{Pod: cases.FullName(pod), Result: "Placed", Node: &result.SuggestedHost})
		}
		return result, err
	}
	fail := sched.FailureHandler
	sched.FailureHandler = func(ctx context.Context, f framework.Framework, pod *framework.QueuedPodInfo, status *upstream.Status, nominating *fwk.NominatingInfo, start time.Time) {
		p.failed(pod.Pod, status, nominating)
		fail(ctx, f, pod, status, nominating, start)
	}
}

func (p *parts) end(pod *v1.Pod, end cases.Member) {
	if p.ignored {
		return
	}
	name := cases.FullName(pod)
	if !slices.Contains(p.order, name) {
		p.order = append(p.order, name)
	}
	p.ends[name] = end
}

func (p *parts) failed(pod *v1.Pod, status *upstream.Status, nominating *fwk.NominatingInfo) {
	reason, message, nominated := v1.PodReasonSchedulerError, status.Message(), pod.Status.NominatedNodeName
	result := "Error"
	if status.IsRejected() {
		reason, result = v1.PodReasonUnschedulable, "Rejected"
	}
	if nominating.Mode() == fwk.ModeOverride {
		nominated = nominating.NominatedNodeName
		p.evicting[cases.FullName(pod)] = p.ignored || nominated != ""
		if before := p.ends[cases.FullName(pod)].NominatedNode; p.ignored && before != nil && *before != nominated {
			p.unlikely = fmt.Errorf("%s evicts pods, and others before they are gone", cases.FullName(pod))
		}
	}
	made := cases.Member{Pod: cases.FullName(pod), Result: result, Reason: &reason, Message: &message}
	if nominated != "" {
		made.NominatedNode = &nominated
	}
	p.end(pod, made)
}

// wrote notes the pods that are evicted.
func (p *parts) wrote(action testing.Action) {
	gone, is := action.(testing.DeleteAction)
	if !is || action.GetResource().Resource != "pods" || p.ignored {
		return
	}
	p.Victims = append(p.Victims, gone.GetNamespace()+"/"+gone.GetName())
}

// mine says whether the pod belongs to the group that is asked about.
func (p *parts) mine(pod *v1.Pod) bool {
	of := pod.Spec.WorkloadRef
	if of == nil {
		return false
	}
	name := strings.TrimSuffix(strings.Join([]string{pod.Namespace, of.Name, of.PodGroup, of.PodGroupReplicaKey}, "/"), "/")
	return name == p.Question.Group
}
