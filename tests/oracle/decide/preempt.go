package decide

import (
	"context"
	"errors"
	"fmt"
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
)

// watch is the scheduler's own preemption, looked over the shoulder: it notes whether it was asked at all and whether the
// pod may preempt, and has every node tried instead of a sample.
type watch struct {
	preemption.Interface
	asked    bool
	eligible bool
	why      string
}

func (w *watch) PodEligibleToPreemptOthers(ctx context.Context, pod *v1.Pod, nominated *upstream.Status) (bool, string) {
	w.asked = true
	w.eligible, w.why = w.Interface.PodEligibleToPreemptOthers(ctx, pod, nominated)
	return w.eligible, w.why
}

func (w *watch) GetOffsetAndNumCandidates(nodes int32) (int32, int32) { return 0, nodes + 1 }

// unhurt stops preemption where it has its candidates and would begin to evict: an extender that objects.
type unhurt struct {
	upstream.Handle
	stop *stopper
}

func (h unhurt) Extenders() []upstream.Extender { return []upstream.Extender{h.stop} }

var errFound = errors.New("candidates were found")

type stopper struct {
	upstream.Extender
	found map[string]*extenderv1.Victims
}

func (s *stopper) Name() string                { return "stopper" }
func (s *stopper) SupportsPreemption() bool    { return true }
func (s *stopper) IsIgnorable() bool           { return false }
func (s *stopper) IsInterested(_ *v1.Pod) bool { return true }
func (s *stopper) ProcessPreemption(_ *v1.Pod, found map[string]*extenderv1.Victims, _ upstream.NodeInfoLister) (map[string]*extenderv1.Victims, error) {
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
	seen, stop := &watch{}, &stopper{}
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
	if err := c.dryRuns(evaluator, state, fit); err != nil {
		return err
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

// dryRuns tries every potential node with the budgets in several orders, and names the nodes that may win.
func (c *cycle) dryRuns(evaluator *preemption.Evaluator, state upstream.CycleState, fit *framework.FitError) error {
	potential, err := fit.Diagnosis.NodeToStatus.NodesForStatusCode(c.world.Snapshot.NodeInfos(), upstream.Unschedulable)
	if err != nil || len(potential) == 0 {
		return err
	}
	slices.SortFunc(potential, func(a, b upstream.NodeInfo) int { return strings.Compare(a.Node().Name, b.Node().Name) })
	var budgets []*policyv1.PodDisruptionBudget
	for _, object := range c.world.Objects["policy/v1/PodDisruptionBudget"] {
		budgets = append(budgets, object.(*policyv1.PodDisruptionBudget))
	}
	var candidates []preemption.Candidate
	for i, order := range cases.Orders(budgets) {
		found, statuses, err := evaluator.DryRunPreemption(c.ctx, state, c.Pod, potential, order, 0, int32(len(potential)+1))
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
	c.Expect.Preemption.Winners = cases.Winners(candidates, preemption.Candidate.Name, func(some []preemption.Candidate) string {
		return evaluator.SelectCandidate(c.ctx, some).Name()
	})
	c.Expect.Preemption.Ladder = c.Ladder(contenders(candidates))
	return nil
}

func described(objects cases.Objects, found []preemption.Candidate) map[string]cases.Candidate {
	answer := map[string]cases.Candidate{}
	for _, candidate := range found {
		answer[candidate.Name()] = cases.Candidate{Victims: units(objects, candidate.Victims().Pods), NumPDBViolations: candidate.Victims().NumPDBViolations}
	}
	return answer
}

func contenders(candidates []preemption.Candidate) []cases.Contender {
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
