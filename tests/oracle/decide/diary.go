//go:build from36

package decide

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/testing"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"oracle/cases"
	"oracle/upstream"
)

// diary is what is seen of a group's cycle from outside: which nodes were chosen in each run of the algorithm, which pods
// failed and with which text, how preemption ended, who is evicted, and what is written to the group.
type diary struct {
	objects cases.Objects
	group   string     // that is asked about: a cycle may be that of several
	lock    sync.Mutex // of what goroutines of bindings may reach
	stopped bool
	runs    []run
	// firstRuns is how many of them there were before the last resort, if it came to that.
	firstRuns *int
	failures  map[string]failure
	order     []string // of the failures
	// lastResort is how PodGroupPostFilter ended, if it ran.
	lastResort   *upstream.Status
	postFiltered bool
	victims      []*v1.Pod
	candidate    upstream.Candidate // that of the last victim
	violations   *int64
	condition    *cases.Condition
}

// run is one run of the algorithm, on the nodes of a placement or on all.
type run struct {
	placement *fwk.Placement
	attempts  map[string]*attempt
	order     []string
}

// attempt is the choice of a node for one pod.
type attempt struct {
	host string
	err  error
}

// retries notes that what follows is tried for the last resort.
func (d *diary) retries() {
	if d.firstRuns == nil {
		runs := len(d.runs)
		d.firstRuns = &runs
	}
}

// failure is what is written to a pod that is not bound.
type failure struct {
	reason, message, nominated string
	err                        error
	promised                   bool // a node
}

// follow looks over the scheduler's shoulder.
func (d *diary) follow(w *World) {
	for _, profile := range w.Scheduler.Profiles {
		if plugin := defaultPreemption(profile); plugin != nil {
			upstream.FollowPreemption(plugin, d.evicted)
		}
	}
	upstream.FollowPostFilter(w.Scheduler, d.retries, func(status *upstream.Status) { d.postFiltered, d.lastResort = true, status })
	choose := w.Scheduler.SchedulePod
	w.Scheduler.SchedulePod = func(ctx context.Context, f framework.Framework, state fwk.CycleState, pod *framework.QueuedPodInfo) (scheduler.ScheduleResult, error) {
		result, err := choose(ctx, f, state, pod)
		d.chose(upstream.PlacementOf(w.Snapshot), cases.FullName(pod.Pod), &attempt{result.SuggestedHost, err})
		return result, err
	}
	fail := w.Scheduler.FailureHandler
	w.Scheduler.FailureHandler = func(ctx context.Context, f framework.Framework, pod *framework.QueuedPodInfo, status *upstream.Status, nominating *fwk.NominatingInfo, start time.Time) {
		d.failed(pod.Pod, status, nominating)
		fail(ctx, f, pod, status, nominating, start)
	}
}

// mine says whether the pod belongs to the group that is asked about.
func (d *diary) mine(pod *v1.Pod) bool {
	group := pod.Spec.SchedulingGroup
	return group != nil && pod.Namespace+"/"+*group.PodGroupName == d.group
}

// evicted notes a victim; the violations of a candidate's budgets count once.
func (d *diary) evicted(of upstream.Candidate, victim *v1.Pod) {
	d.victims = append(d.victims, victim)
	if d.violations == nil {
		d.violations = new(int64)
	}
	if d.candidate != of {
		d.candidate = of
		*d.violations += of.Victims().NumPDBViolations
	}
}

// chose notes an attempt; a new run begins with a new placement, or with a pod that was tried already.
func (d *diary) chose(placement *fwk.Placement, pod string, made *attempt) {
	if !d.mine(d.objects.Pod(pod)) {
		return
	}
	last := len(d.runs) - 1
	if last < 0 || d.runs[last].placement != placement || d.runs[last].attempts[pod] != nil {
		d.runs = append(d.runs, run{placement: placement, attempts: map[string]*attempt{}})
		last++
	}
	d.runs[last].attempts[pod] = made
	d.runs[last].order = append(d.runs[last].order, pod)
}

func (d *diary) failed(pod *v1.Pod, status *upstream.Status, nominating *fwk.NominatingInfo) {
	d.lock.Lock()
	defer d.lock.Unlock()
	if d.stopped || !d.mine(pod) {
		return
	}
	made := failure{reason: v1.PodReasonSchedulerError, message: upstream.ToldToPod(pod, status), nominated: pod.Status.NominatedNodeName, err: status.AsError()}
	if status.IsRejected() {
		made.reason = v1.PodReasonUnschedulable
	}
	if nominating.Mode() == fwk.ModeOverride {
		made.nominated = nominating.NominatedNodeName
		made.promised = made.nominated != ""
	}
	d.failures[cases.FullName(pod)] = made
	d.order = append(d.order, cases.FullName(pod))
}

// stop says that the cycle is over; bindings may go on for a while.
func (d *diary) stop() {
	d.lock.Lock()
	defer d.lock.Unlock()
	d.stopped = true
}

// wrote looks at every call to the API server for what is written to the group.
func (d *diary) wrote(action testing.Action) {
	patch, is := action.(testing.PatchAction)
	if !is || action.GetResource().Resource != "podgroups" || patch.GetNamespace()+"/"+patch.GetName() != d.group {
		return
	}
	var written struct {
		Status struct {
			Conditions []json.RawMessage `json:"conditions"`
		} `json:"status"`
	}
	if err := json.Unmarshal(patch.GetPatch(), &written); err != nil || len(written.Status.Conditions) == 0 {
		return
	}
	d.condition = &cases.Condition{}
	// What a patch does not name stays as it is.
	group, is := d.objects.Find(upstream.GroupKind, patch.GetNamespace(), patch.GetName()).(*upstream.PodGroup)
	if is && len(group.Status.Conditions) > 0 {
		was := group.Status.Conditions[0]
		*d.condition = cases.Condition{Status: string(was.Status), Reason: was.Reason, Message: was.Message}
	}
	if err := json.Unmarshal(written.Status.Conditions[0], d.condition); err != nil {
		panic(err) // it is the scheduler's own
	}
}

// listen has the diary read what the scheduler logs: it does not evict victims that are being deleted already, and says so.
func (d *diary) listen(ctx context.Context) context.Context {
	return klog.NewContext(ctx, logr.New(ear{d}))
}

type ear struct{ *diary }

func (e ear) Init(logr.RuntimeInfo)          {}
func (e ear) Enabled(level int) bool         { return level <= 2 }
func (e ear) Error(error, string, ...any)    {}
func (e ear) WithValues(...any) logr.LogSink { return e }
func (e ear) WithName(string) logr.LogSink   { return e }
func (e ear) Info(_ int, message string, values ...any) {
	if !strings.HasPrefix(message, "Victim Pod is already being deleted") {
		return
	}
	for i := 0; i+1 < len(values); i += 2 {
		if victim, is := values[i+1].(klog.ObjectRef); is && values[i] == "victim" {
			e.victims = append(e.victims, e.objects.Pod(victim.String()))
		}
	}
}
