package decide

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	"k8s.io/kubernetes/pkg/scheduler/util"

	"oracle/cases"
	"oracle/upstream"
	"oracle/world"
)

// watch is the scheduler's own preemption, looked over the shoulder: it notes whether it was asked at all and whether the
// pod may preempt, and has every node tried instead of a sample.
type watch struct {
	preemption.Interface
	asked    bool
	eligible bool
	why      string
	// enough is how many candidates would be looked for.
	enough int
	// stop is told when all candidates have been found, nil once the scheduler's own preemption is over.
	stop *stopper
}

func (w *watch) CandidatesToVictimsMap(found []upstream.Candidate) map[string]*extenderv1.Victims {
	if w.stop != nil {
		w.stop.ready = true
	}
	return w.Interface.CandidatesToVictimsMap(found)
}

func (w *watch) PodEligibleToPreemptOthers(ctx context.Context, pod *v1.Pod, nominated *upstream.Status) (bool, string) {
	w.asked = true
	w.eligible, w.why = w.Interface.PodEligibleToPreemptOthers(ctx, pod, nominated)
	return w.eligible, w.why
}

func (w *watch) GetOffsetAndNumCandidates(nodes int32) (int32, int32) {
	_, enough := w.Interface.GetOffsetAndNumCandidates(nodes)
	w.enough = int(enough)
	return 0, w.wanted(nodes)
}

// wanted are more candidates than there are nodes, but none where the scheduler wants none.
func (w *watch) wanted(nodes int32) int32 {
	if w.enough == 0 {
		return 0
	}
	return nodes + 1
}

// unhurt stops preemption where it has its candidates and would begin to evict: an extender that objects when the others have
// been asked.
type unhurt struct {
	upstream.Handle
	stop *stopper
}

func (h unhurt) Extenders() []upstream.Extender {
	return append(slices.Clone(h.Handle.Extenders()), h.stop)
}

var errFound = errors.New("candidates were found")

type stopper struct {
	upstream.Extender
	// ready says that the candidates have been found. Before, nobody may notice this extender: since 1.38 nodes without
	// victims are candidates where an extender takes part in preemption.
	ready bool
	found map[string]*extenderv1.Victims
}

func (s *stopper) Name() string                { return "stopper" }
func (s *stopper) SupportsPreemption() bool    { return s.ready }
func (s *stopper) IsIgnorable() bool           { return false }
func (s *stopper) IsInterested(_ *v1.Pod) bool { return true }
func (s *stopper) ProcessPreemption(_ *v1.Pod, found map[string]*extenderv1.Victims, _ upstream.NodeInfoLister) (map[string]*extenderv1.Victims, error) {
	// Since 1.38 nodes for which no extender named victims come this far, and are dropped after it.
	maps.DeleteFunc(found, func(_ string, victims *extenderv1.Victims) bool { return victims == nil || len(victims.Pods) == 0 })
	if len(found) == 0 {
		return found, nil
	}
	s.found = found
	return nil, errFound
}

// defaultPreemption is the plugin of a profile, nil if it has none.
func defaultPreemption(profile framework.Framework) *defaultpreemption.DefaultPreemption {
	enabled := false
	for _, plugin := range profile.ListPlugins().PostFilter.Enabled {
		enabled = enabled || plugin.Name == defaultpreemption.Name
	}
	if !enabled {
		return nil
	}
	for _, plugin := range profile.EnqueueExtensions() {
		if found, is := plugin.(*defaultpreemption.DefaultPreemption); is {
			return found
		}
	}
	for _, plugin := range profile.PreEnqueuePlugins() {
		if found, is := plugin.(*defaultpreemption.DefaultPreemption); is {
			return found
		}
	}
	return nil
}

// postFilter is what follows when no node passes: the scheduler's own PostFilter, then every dry run by itself.
func (c *cycle) postFilter(state upstream.CycleState, fit *framework.FitError) error {
	plugin := defaultPreemption(c.profile)
	stop := &stopper{}
	seen := &watch{stop: stop}
	var evaluator *preemption.Evaluator
	if plugin != nil {
		evaluator = plugin.Evaluator
		seen.Interface = evaluator.Interface
		evaluator.Interface = seen
		evaluator.Handler = unhurt{Handle: evaluator.Handler, stop: stop}
	} else if c.Expect.PreFilter == nil {
		c.Expect.Preemption = &cases.Preemption{Eligible: true, Candidates: map[string]cases.Candidate{}, Rejected: map[string]cases.Refusal{}, Winners: []string{}}
	}
	if c.profile.HasPostFilterPlugins() {
		_, status := c.profile.RunPostFilterPlugins(c.ctx, state, c.Pod, fit.Diagnosis.NodeToStatus)
		seen.stop, stop.ready = nil, false
		if stop.found == nil {
			fit.Diagnosis.PostFilterMsg = status.Message()
		} else if !strings.Contains(status.Message(), errFound.Error()) {
			return fmt.Errorf("the scheduler went on after its candidates: %s", status.Message())
		}
	}
	c.Say(fit.Error())
	if !seen.asked {
		return nil
	}
	c.Expect.Preemption = &cases.Preemption{Eligible: seen.eligible, Candidates: map[string]cases.Candidate{}, Rejected: map[string]cases.Refusal{}, Winners: []string{}}
	if !seen.eligible {
		c.Expect.Preemption.IneligibleReason = &seen.why
		return nil
	}
	if err := c.dryRuns(seen, state, fit, stop.found); err != nil {
		return err
	}
	if !c.extendersPreempt() && len(c.Expect.Preemption.Candidates) > seen.enough {
		if err := c.sample(); err != nil {
			return err
		}
	}
	if (len(c.Expect.Preemption.Candidates) > 0) != (stop.found != nil) {
		if c.Unspecified == "" {
			return fmt.Errorf("the scheduler found %d candidates, this program %d", len(stop.found), len(c.Expect.Preemption.Candidates))
		}
	}
	if len(c.Expect.Preemption.Candidates) > 0 {
		c.Expect.Outcome = "Preempt"
	} else if c.Expect.PreFilter != nil && len(c.Expect.Preemption.Rejected) == 0 {
		c.Expect.Preemption = nil // no node was worth a dry run
	}
	return nil
}

// dryRuns tries every potential node with the budgets in several orders, and names the nodes that may win. Where extenders are
// asked, the candidates are those that they `left`.
func (c *cycle) dryRuns(seen *watch, state upstream.CycleState, fit *framework.FitError, left map[string]*extenderv1.Victims) error {
	potential, err := fit.Diagnosis.NodeToStatus.NodesForStatusCode(c.world.Snapshot.NodeInfos(), upstream.Unschedulable)
	if err != nil || len(potential) == 0 {
		return err
	}
	evaluator := defaultPreemption(c.profile).Evaluator
	slices.SortFunc(potential, func(a, b upstream.NodeInfo) int { return strings.Compare(a.Node().Name, b.Node().Name) })
	var candidates []upstream.Candidate
	for i, order := range cases.Orders(c.budgets()) {
		found, statuses, err := evaluator.DryRunPreemption(c.ctx, state, c.Pod, potential, order, 0, seen.wanted(int32(len(potential))))
		if err != nil && len(found) == 0 && statuses == nil {
			return err
		}
		answer := described(c.Objects, found)
		if i > 0 {
			if !reflect.DeepEqual(answer, c.Expect.Preemption.Candidates) {
				c.Unspecified = "order of the budgets"
			}
			continue
		}
		candidates = found
		c.Expect.Preemption.Candidates = answer
		statuses.ForEachExplicitNode(func(node string, status *upstream.Status) {
			c.Expect.Preemption.Rejected[node] = cases.Refusal{Code: status.Code().String(), Reasons: reasons(status)}
		})
	}
	if c.extendersPreempt() {
		candidates = candidatesOf(left)
		c.Expect.Preemption.Candidates = described(c.Objects, candidates)
		for _, candidate := range candidates {
			delete(c.Expect.Preemption.Rejected, candidate.Name())
		}
	}
	c.Expect.Preemption.Winners = cases.Winners(candidates, upstream.Candidate.Name, func(some []upstream.Candidate) string {
		return evaluator.SelectCandidate(c.ctx, some).Name()
	})
	c.Expect.Preemption.Ladder = c.Ladder(contenders(candidates))
	return nil
}

func (c *cycle) budgets() (budgets []*policyv1.PodDisruptionBudget) {
	for _, object := range c.world.Objects["policy/v1/PodDisruptionBudget"] {
		budgets = append(budgets, object.(*policyv1.PodDisruptionBudget))
	}
	return budgets
}

// workers are how many of them a scheduler has that is asked what it nominates: one looks at the nodes in their order, and many,
// as by default, find them in any.
var workers = []int32{1, 16}

// starts is from how many nodes a scheduler is made to look for candidates that does not look for all of them.
const starts = 24

// sample notes which nodes preemption nominates where it wants fewer candidates than there are, wherever it starts.
func (c *cycle) sample() error {
	for _, count := range workers {
		world, err := NewWorld(c.ctx, world.Client, c.Objects, c.Config, count)
		if err != nil {
			return err
		}
		profile, state := world.Profile(c.Pod), framework.NewCycleState()
		var fit *framework.FitError
		if _, err := upstream.SchedulePod(c.ctx, world.Scheduler, profile, state, c.Pod); !errors.As(err, &fit) {
			return fmt.Errorf("no node passes once only: %w", err)
		}
		potential, err := fit.Diagnosis.NodeToStatus.NodesForStatusCode(world.Snapshot.NodeInfos(), upstream.Unschedulable)
		if err != nil {
			return err
		}
		evaluator := defaultPreemption(profile).Evaluator
		_, enough := evaluator.GetOffsetAndNumCandidates(int32(len(potential)))
		for i := range starts {
			found, _, err := evaluator.DryRunPreemption(c.ctx, state, c.Pod, potential, c.budgets(), int32(i*len(potential)/starts), enough)
			if err != nil && len(found) == 0 {
				return err
			}
			c.Expect.Nominated = append(c.Expect.Nominated, evaluator.SelectCandidate(c.ctx, found).Name())
		}
	}
	c.Expect.Nominated = slices.Compact(cases.Sorted(c.Expect.Nominated))
	return nil
}

func described(objects cases.Objects, found []upstream.Candidate) map[string]cases.Candidate {
	answer := map[string]cases.Candidate{}
	for _, candidate := range found {
		answer[candidate.Name()] = cases.Candidate{Victims: units(objects, candidate.Victims().Pods), NumPDBViolations: candidate.Victims().NumPDBViolations}
	}
	return answer
}

func contenders(candidates []upstream.Candidate) []cases.Contender {
	var all []cases.Contender
	for _, candidate := range candidates {
		victims := candidate.Victims()
		start := util.GetEarliestPodStartTime(victims)
		all = append(all, cases.Contender{
			Name: candidate.Name(), Victims: victims.Pods, Violations: victims.NumPDBViolations, Start: start.Time,
		})
	}
	return all
}
