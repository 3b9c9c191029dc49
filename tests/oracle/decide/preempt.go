package decide

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"

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

// defaultPreemption is the plugin of the profile, nil if it has none.
func (c *cycle) defaultPreemption() *defaultpreemption.DefaultPreemption {
	enabled := false
	for _, plugin := range c.profile.ListPlugins().PostFilter.Enabled {
		enabled = enabled || plugin.Name == defaultpreemption.Name
	}
	if !enabled {
		return nil
	}
	for _, plugin := range c.profile.EnqueueExtensions() {
		if found, is := plugin.(*defaultpreemption.DefaultPreemption); is {
			return found
		}
	}
	for _, plugin := range c.profile.PreEnqueuePlugins() {
		if found, is := plugin.(*defaultpreemption.DefaultPreemption); is {
			return found
		}
	}
	return nil
}

// postFilter is what follows when no node passes: the scheduler's own PostFilter, then every dry run by itself.
func (c *cycle) postFilter(state upstream.CycleState, fit *framework.FitError) error {
	plugin := c.defaultPreemption()
	seen, stop := &watch{}, &stopper{}
	var evaluator *preemption.Evaluator
	if plugin != nil {
		evaluator = plugin.Evaluator
		seen.Interface = evaluator.Interface
		evaluator.Interface = seen
		evaluator.Handler = unhurt{Handle: evaluator.Handler, stop: stop}
	} else {
		c.expect.Preemption = &Preemption{Eligible: true, Candidates: map[string]Candidate{}, Rejected: map[string]Refusal{}, Winners: []string{}}
	}
	if c.profile.HasPostFilterPlugins() {
		_, status := c.profile.RunPostFilterPlugins(c.ctx, state, c.pod, fit.Diagnosis.NodeToStatus)
		if stop.found == nil {
			fit.Diagnosis.PostFilterMsg = status.Message()
		} else if !strings.Contains(status.Message(), errFound.Error()) {
			return fmt.Errorf("the scheduler went on after its candidates: %s", status.Message())
		}
	}
	c.say(fit.Error())
	if !seen.asked {
		return nil
	}
	c.expect.Preemption = &Preemption{Eligible: seen.eligible, Candidates: map[string]Candidate{}, Rejected: map[string]Refusal{}, Winners: []string{}}
	if !seen.eligible {
		c.expect.Preemption.IneligibleReason = &seen.why
		return nil
	}
	if err := c.dryRuns(evaluator, state, fit); err != nil {
		return err
	}
	if (len(c.expect.Preemption.Candidates) > 0) != (stop.found != nil) {
		if c.unspecified == "" {
			return fmt.Errorf("the scheduler found %d candidates, this program %d", len(stop.found), len(c.expect.Preemption.Candidates))
		}
	}
	if len(c.expect.Preemption.Candidates) > 0 {
		c.expect.Outcome = "Preempt"
	} else if c.expect.PreFilter != nil && len(c.expect.Preemption.Rejected) == 0 {
		c.expect.Preemption = nil // no node was worth a dry run
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
	for i, order := range orders(budgets) {
		found, statuses, err := evaluator.DryRunPreemption(c.ctx, state, c.pod, potential, order, 0, int32(len(potential)+1))
		if err != nil && len(found) == 0 && statuses == nil {
			return err
		}
		answer := described(found)
		if i > 0 {
			if !reflect.DeepEqual(answer, c.expect.Preemption.Candidates) {
				c.unspecified = "order of the budgets"
			}
			continue
		}
		candidates = found
		c.expect.Preemption.Candidates = answer
		statuses.ForEachExplicitNode(func(node string, status *upstream.Status) {
			c.expect.Preemption.Rejected[node] = Refusal{Code: status.Code().String(), Reasons: reasons(status)}
		})
	}
	c.expect.Preemption.Winners = c.winners(evaluator, candidates)
	c.expect.Preemption.Ladder = ladder(candidates, c.now, c.shift)
	return nil
}

func described(found []preemption.Candidate) map[string]Candidate {
	answer := map[string]Candidate{}
	for _, candidate := range found {
		victims := []string{}
		for _, pod := range candidate.Victims().Pods {
			victims = append(victims, pod.Namespace+"/"+pod.Name)
		}
		answer[candidate.Name()] = Candidate{Victims: victims, NumPDBViolations: candidate.Victims().NumPDBViolations}
	}
	return answer
}

// orders are all orders of up to three budgets; of more, those by name, backwards, and some in between.
func orders(budgets []*policyv1.PodDisruptionBudget) [][]*policyv1.PodDisruptionBudget {
	switch len(budgets) {
	case 0, 1:
		return [][]*policyv1.PodDisruptionBudget{budgets}
	case 2:
		return [][]*policyv1.PodDisruptionBudget{budgets, {budgets[1], budgets[0]}}
	case 3:
		a, b, c := budgets[0], budgets[1], budgets[2]
		return [][]*policyv1.PodDisruptionBudget{{a, b, c}, {a, c, b}, {b, a, c}, {b, c, a}, {c, a, b}, {c, b, a}}
	}
	backwards := slices.Clone(budgets)
	slices.Reverse(backwards)
	all := [][]*policyv1.PodDisruptionBudget{budgets, backwards}
	random := rand.New(rand.NewSource(int64(len(budgets))))
	for range 6 {
		shuffled := slices.Clone(budgets)
		random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		all = append(all, shuffled)
	}
	return all
}

// Runs of the tie-break of two candidates, each named first in half of them. The one that is named first comes first in
// seven of eight walks of the map that the scheduler puts them into, so a tie that is not seen in so many runs is none.
const pairRuns = 20

// winners are the candidates that the scheduler may choose: one that it did choose, and each that it chooses at least
// once when it is asked for the better of the two.
func (c *cycle) winners(evaluator *preemption.Evaluator, candidates []preemption.Candidate) []string {
	if len(candidates) == 0 {
		return []string{}
	}
	chosen := evaluator.SelectCandidate(c.ctx, candidates)
	winners := []string{chosen.Name()}
	for _, other := range candidates {
		if other.Name() == chosen.Name() {
			continue
		}
		pair := []preemption.Candidate{other, chosen}
		for range pairRuns {
			slices.Reverse(pair)
			if evaluator.SelectCandidate(c.ctx, pair).Name() == other.Name() {
				winners = append(winners, other.Name())
				break
			}
		}
	}
	return sorted(winners)
}
