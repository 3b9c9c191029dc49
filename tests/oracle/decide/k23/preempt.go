package k23

import (
	"context"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	"k8s.io/kubernetes/pkg/scheduler/util"

	"oracle/cases"
	"oracle/upstream"
)

// watch is the scheduler's own preemption, looked over the shoulder: it notes whether the pod may preempt and which nodes
// are tried, and has every node tried instead of a sample.
type watch struct {
	preemption.Interface
	eligible bool
	why      *string // nil where the release gives no reason
	tried    []*framework.NodeInfo
}

func (w *watch) GetOffsetAndNumCandidates(nodes int32) (int32, int32) { return 0, nodes + 1 }

func (w *watch) SelectVictimsOnNode(ctx context.Context, state *framework.CycleState, pod *corev1.Pod, info *framework.NodeInfo, budgets []*policyv1.PodDisruptionBudget) ([]*corev1.Pod, int, *framework.Status) {
	w.tried = append(w.tried, upstream.Copy(info))
	return w.Interface.SelectVictimsOnNode(ctx, state, pod, info, budgets)
}

// postFilter is what follows when no node passes: the scheduler's own PostFilter, then every dry run by itself.
func (c *cycle) postFilter(state *framework.CycleState, fit *framework.FitError) error {
	result, status := c.profile.RunPostFilterPlugins(c.ctx, state, c.Pod, fit.Diagnosis.NodeToStatusMap)
	nominated := status.IsSuccess() && result != nil && result.NominatedNodeName != ""
	if !nominated {
		upstream.TellPostFilter(fit, status)
	}
	c.Say(fit.Error())

	if !c.preempts() {
		if c.Expect.PreFilter == nil {
			c.Expect.Preemption = &cases.Preemption{Eligible: true, Candidates: map[string]cases.Candidate{}, Rejected: map[string]cases.Refusal{}, Winners: []string{}}
		}
		return nil
	}
	plugin, err := upstream.NewDefaultPreemption(c.ctx, c.profile)
	if err != nil {
		return err
	}
	seen := &watch{Interface: plugin.(preemption.Interface)}
	informers := c.profile.SharedInformerFactory()
	evaluator := &preemption.Evaluator{
		PluginName: names.DefaultPreemption,
		Handler:    c.profile,
		PodLister:  informers.Core().V1().Pods().Lister(),
		PdbLister:  informers.Policy().V1().PodDisruptionBudgets().Lister(),
		State:      state,
		Interface:  seen,
	}
	evaluator.Preempt(c.ctx, c.Pod, fit.Diagnosis.NodeToStatusMap)
	found := &cases.Preemption{Eligible: seen.eligible, Candidates: map[string]cases.Candidate{}, Rejected: map[string]cases.Refusal{}, Winners: []string{}}
	c.Expect.Preemption = found
	if !seen.eligible {
		found.IneligibleReason = seen.why
		return nil
	}
	if err := c.dryRuns(evaluator, seen.tried); err != nil {
		return err
	}
	if nominated != (len(found.Candidates) > 0) && c.Unspecified == "" {
		c.Unspecified = "whether preemption helps"
	}
	if len(found.Candidates) > 0 {
		c.Expect.Outcome = "Preempt"
	} else if c.Expect.PreFilter != nil && len(found.Rejected) == 0 {
		c.Expect.Preemption = nil // no node was worth a dry run
	}
	return nil
}

// preempts says whether the profile has the DefaultPreemption plugin.
func (c *cycle) preempts() bool {
	return slices.ContainsFunc(c.profile.ListPlugins().PostFilter.Enabled, func(p config.Plugin) bool { return p.Name == names.DefaultPreemption })
}

// dryRuns tries every potential node with the budgets in several orders, and names the nodes that may win.
func (c *cycle) dryRuns(evaluator *preemption.Evaluator, potential []*framework.NodeInfo) error {
	if len(potential) == 0 {
		return nil
	}
	slices.SortFunc(potential, func(a, b *framework.NodeInfo) int { return strings.Compare(a.Node().Name, b.Node().Name) })
	var budgets []*policyv1.PodDisruptionBudget
	for _, object := range c.Objects["policy/v1/PodDisruptionBudget"] {
		budgets = append(budgets, object.(*policyv1.PodDisruptionBudget))
	}
	var candidates []preemption.Candidate
	for i, order := range cases.Orders(budgets) {
		found, statuses, err := evaluator.DryRunPreemption(c.ctx, c.Pod, potential, order, 0, int32(len(potential)+1))
		if err != nil && len(found) == 0 && statuses == nil {
			return err
		}
		answer := described(found)
		if i > 0 {
			if !reflect.DeepEqual(answer, c.Expect.Preemption.Candidates) {
				c.Unspecified = "order of the budgets"
			}
			continue
		}
		candidates = found
		c.Expect.Preemption.Candidates = answer
		for node, status := range statuses {
			c.Expect.Preemption.Rejected[node] = cases.Refusal{Code: status.Code().String(), Reasons: reasons(status)}
		}
	}
	c.Expect.Preemption.Winners = cases.Winners(candidates, preemption.Candidate.Name, func(some []preemption.Candidate) string {
		return upstream.Select(c.ctx, evaluator, some).Name()
	})
	c.Expect.Preemption.Ladder = c.Ladder(contenders(candidates))
	return nil
}

func described(found []preemption.Candidate) map[string]cases.Candidate {
	answer := map[string]cases.Candidate{}
	for _, candidate := range found {
		answer[candidate.Name()] = cases.NewCandidate(candidate.Victims().Pods, candidate.Victims().NumPDBViolations)
	}
	return answer
}

func contenders(candidates []preemption.Candidate) []cases.Contender {
	var all []cases.Contender
	for _, candidate := range candidates {
		victims := candidate.Victims()
		all = append(all, cases.Contender{
			Name: candidate.Name(), Victims: victims.Pods, Violations: victims.NumPDBViolations, Start: util.GetEarliestPodStartTime(victims).Time,
		})
	}
	return all
}
