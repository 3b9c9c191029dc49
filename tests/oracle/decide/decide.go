package decide

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"oracle/upstream"
)

// Decide fills in what the scheduler decides. A new scheduler decides each of the `runs`, and a difference between them
// is an order that nobody promises.
func Decide(c *Case, runs int) {
	c.Expect, c.Unspecified, c.Failed = nil, "", ""
	q, err := read(c)
	if err != nil {
		c.Failed = err.Error()
		return
	}
	first, err := once(q)
	if err != nil {
		c.Failed = err.Error()
		return
	}
	c.Expect = first.expect
	c.Unspecified = first.unspecified
	for range runs - 1 {
		again, err := once(q)
		if err != nil {
			c.Failed = "not every time: " + err.Error()
			return
		}
		if field := differs(first.expect, again.expect); field != "" && c.Unspecified == "" {
			c.Unspecified = field + " differs from run to run"
		}
	}
}

func differs(a, b *Expect) string {
	x, y := reflect.ValueOf(*a), reflect.ValueOf(*b)
	for i := range x.NumField() {
		if !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			return x.Type().Field(i).Name
		}
	}
	return ""
}

// cycle is one scheduling cycle of one pod.
type cycle struct {
	*question
	ctx         context.Context
	world       *World
	profile     framework.Framework
	expect      *Expect
	unspecified string
}

// question is a case that has been read.
type question struct {
	now     time.Time
	shift   time.Duration // from the case's clock to this machine's
	objects Objects
	pod     *v1.Pod
	config  json.RawMessage
}

func read(c *Case) (*question, error) {
	now, err := time.Parse(time.RFC3339, c.Now)
	if err != nil {
		return nil, err
	}
	shift := time.Since(now).Truncate(time.Second)
	objects, err := parse(c.Cluster, shift)
	if err != nil {
		return nil, err
	}
	pod := find(objects, c.Pod)
	if pod == nil {
		return nil, fmt.Errorf("no pod %s", c.Pod)
	}
	return &question{now: now, shift: shift, objects: objects, pod: pod, config: c.Scheduler.Config}, nil
}

// Panics of the scheduler's own goroutines cannot be recovered where the case is decided: they are counted, and a case
// during which one happened is decided again with no other beside it.
var (
	alone   sync.RWMutex
	panics  atomic.Int64
	panicky atomic.Value
)

func init() {
	utilruntime.ReallyCrash = false
	utilruntime.PanicHandlers = append(utilruntime.PanicHandlers, func(_ context.Context, p any) {
		panics.Add(1)
		panicky.Store(fmt.Sprintf("the scheduler panics: %v\n%s", p, debug.Stack()))
	})
}

// once starts a scheduler and runs the cycle; a scheduler that panics is no reason to stop.
func once(q *question) (*cycle, error) {
	alone.RLock()
	before := panics.Load()
	run, err := guarded(q)
	quiet := panics.Load() == before
	alone.RUnlock()
	if quiet {
		return run, err
	}
	alone.Lock()
	defer alone.Unlock()
	before = panics.Load()
	if run, err = guarded(q); panics.Load() != before {
		return nil, errors.New(panicky.Load().(string))
	}
	return run, err
}

func guarded(q *question) (run *cycle, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the scheduler panics: %v\n%s", p, debug.Stack())
		}
	}()
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
	defer cancel()
	world, err := NewWorld(ctx, q.objects, q.config, 1)
	if err != nil {
		return nil, err
	}
	run = &cycle{question: q, ctx: ctx, world: world, profile: world.Profile(q.pod), expect: &Expect{
		Outcome:  "Unschedulable",
		Feasible: []string{},
		Filtered: map[string]Rejection{},
		Selected: []string{},
	}}
	return run, run.run()
}

func find(objects Objects, fullName string) *v1.Pod {
	for _, object := range objects["v1/Pod"] {
		if pod := object.(*v1.Pod); pod.Namespace+"/"+pod.Name == fullName {
			return pod
		}
	}
	return nil
}

func (c *cycle) run() error {
	if c.profile == nil {
		c.expect.PreEnqueue = &Rejection{Code: "UnschedulableAndUnresolvable", Reasons: []string{"no profile for this schedulerName"}}
		return nil
	}
	if c.pod.DeletionTimestamp != nil {
		// The scheduler takes such a pod from its queue and passes it over before the cycle begins.
		reason := fmt.Sprintf("skip schedule deleting pod: %s/%s", c.pod.Namespace, c.pod.Name)
		c.expect.PreEnqueue = &Rejection{Code: "UnschedulableAndUnresolvable", Reasons: []string{reason}}
		return nil
	}
	for _, plugin := range c.profile.PreEnqueuePlugins() {
		if status := plugin.PreEnqueue(c.ctx, c.pod); !status.IsSuccess() {
			c.expect.PreEnqueue = rejection(status)
			c.expect.PreEnqueue.Plugin = plugin.Name()
			return nil
		}
	}
	state := framework.NewCycleState()
	host, err := upstream.SchedulePod(c.ctx, c.world.Scheduler, c.profile, state, c.pod)
	var fit *framework.FitError
	switch {
	case err == nil:
		return c.feasible(host)
	case errors.As(err, &fit):
		return c.unschedulable(state, fit)
	case errors.Is(err, scheduler.ErrNoNodesAvailable):
		c.say(err.Error())
		return nil
	default:
		c.say(err.Error())
		c.expect.Error = true
		if c.failingNodes() > 1 {
			c.unspecified = "the error of one of several nodes"
		}
		return nil
	}
}

// failingNodes is the number of nodes whose filters end with an error.
func (c *cycle) failingNodes() int {
	state := framework.NewCycleState()
	if _, status, _ := c.profile.RunPreFilterPlugins(c.ctx, state, c.pod); !status.IsSuccess() {
		return 0
	}
	nodes, err := c.world.Snapshot.NodeInfos().List()
	if err != nil {
		return 0
	}
	count := 0
	for _, info := range nodes {
		if c.profile.RunFilterPluginsWithNominatedPods(c.ctx, state, c.pod, info).Code() == upstream.Error {
			count++
		}
	}
	return count
}

func (c *cycle) say(message string) { c.expect.Message = &message }

// unschedulable is a cycle in which no node passed every filter.
func (c *cycle) unschedulable(state upstream.CycleState, fit *framework.FitError) error {
	if fit.Diagnosis.PreFilterMsg != "" {
		c.expect.PreFilter = rejection(fit.Diagnosis.NodeToStatus.AbsentNodesStatus())
	} else {
		infos, err := c.world.Snapshot.NodeInfos().List()
		if err != nil {
			return err
		}
		for _, info := range infos {
			node := info.Node().Name
			c.expect.Filtered[node] = *rejection(fit.Diagnosis.NodeToStatus.Get(node))
		}
	}
	return c.postFilter(state, fit)
}

// feasible runs the filters on every node and scores those that pass; `host` is what the scheduler chose in its own cycle.
func (c *cycle) feasible(host string) error {
	c.expect.Outcome = "Schedulable"
	state := framework.NewCycleState()
	narrowed, status, plugins := c.profile.RunPreFilterPlugins(c.ctx, state, c.pod)
	if !status.IsSuccess() {
		return fmt.Errorf("PreFilter agrees once only: %v", status)
	}
	all, err := c.world.Snapshot.NodeInfos().List()
	if err != nil {
		return err
	}
	absent := "node(s) didn't satisfy plugin(s) " + fmt.Sprint(sorted(plugins.UnsortedList()))
	var passed []upstream.NodeInfo
	for _, info := range all {
		node := info.Node().Name
		if !narrowed.AllNodes() && !narrowed.NodeNames.Has(node) {
			c.expect.Filtered[node] = Rejection{Code: "UnschedulableAndUnresolvable", Reasons: []string{absent}}
			continue
		}
		if status := c.profile.RunFilterPluginsWithNominatedPods(c.ctx, state, c.pod, info); status.IsSuccess() {
			c.expect.Feasible = append(c.expect.Feasible, node)
			passed = append(passed, info)
		} else {
			c.expect.Filtered[node] = *rejection(status)
			if status.Code() == upstream.Error {
				c.unspecified = "an error on a node that the scheduler does not get to"
			}
		}
	}
	slices.Sort(c.expect.Feasible)
	nominated := c.pod.Status.NominatedNodeName
	switch {
	case len(passed) == 0:
		c.unspecified = "whether the pod is schedulable"
		return nil
	case nominated != "" && slices.Contains(c.expect.Feasible, nominated):
		c.expect.Selected = []string{nominated}
	case len(passed) == 1:
		c.expect.Selected = []string{passed[0].Node().Name}
	default:
		if err := c.score(state, passed); err != nil {
			return err
		}
	}
	// Above a hundred nodes the scheduler looks at a sample only.
	if len(all) < 100 && !slices.Contains(c.expect.Selected, host) {
		return fmt.Errorf("the scheduler chose %s, this program says %v", host, c.expect.Selected)
	}
	return nil
}

func (c *cycle) score(state upstream.CycleState, nodes []upstream.NodeInfo) error {
	if !c.profile.HasScorePlugins() {
		c.expect.Selected = slices.Clone(c.expect.Feasible)
		c.expect.Scores = map[string]map[string]int64{}
		for _, node := range c.expect.Feasible {
			c.expect.Scores[node] = map[string]int64{"total": 1}
		}
		return nil
	}
	if status := c.profile.RunPreScorePlugins(c.ctx, state, c.pod, nodes); !status.IsSuccess() {
		return status.AsError()
	}
	scores, status := c.profile.RunScorePlugins(c.ctx, state, c.pod, nodes)
	if !status.IsSuccess() {
		return status.AsError()
	}
	c.expect.Scores = map[string]map[string]int64{}
	best := slices.MaxFunc(scores, func(a, b upstream.NodePluginScores) int { return int(a.TotalScore - b.TotalScore) }).TotalScore
	for _, node := range scores {
		parts := map[string]int64{"total": node.TotalScore}
		for _, part := range node.Scores {
			parts[part.Name] = part.Score
		}
		c.expect.Scores[node.Name] = parts
		if node.TotalScore == best {
			c.expect.Selected = append(c.expect.Selected, node.Name)
		}
	}
	slices.Sort(c.expect.Selected)
	return nil
}

func rejection(status *upstream.Status) *Rejection {
	return &Rejection{Code: status.Code().String(), Plugin: status.Plugin(), Reasons: reasons(status)}
}

// reasons are a status's reasons; the part that NodeResourcesFit lists in the order of a map is sorted.
func reasons(status *upstream.Status) []string {
	list := append([]string{}, status.Reasons()...)
	fixedOrder := []string{"Too many pods", "Insufficient cpu", "Insufficient memory", "Insufficient ephemeral-storage"}
	tail := slices.IndexFunc(list, func(reason string) bool {
		return strings.HasPrefix(reason, "Insufficient ") && !slices.Contains(fixedOrder, reason)
	})
	if tail >= 0 && status.Plugin() == "NodeResourcesFit" {
		slices.Sort(list[tail:])
	}
	return list
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}

func logger(ctx context.Context) klog.Logger { return klog.FromContext(ctx) }
