package decide

import (
	"slices"
	"time"

	corev1 "k8s.io/component-helpers/scheduling/corev1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	"k8s.io/kubernetes/pkg/scheduler/util"
)

type criterion struct {
	name  string
	value func(*extenderv1.Victims) int64
}

// criteria are the steps of the scheduler's tie-break in this program's own words; the greatest value survives. They are
// recorded to tell which step a case exercises, and never decide.
var criteria = []criterion{
	{"fewest PDB violations", func(v *extenderv1.Victims) int64 { return -v.NumPDBViolations }},
	{"lowest priority of the most important victim", func(v *extenderv1.Victims) int64 {
		return -int64(corev1.PodPriority(v.Pods[0]))
	}},
	{"lowest sum of priorities", func(v *extenderv1.Victims) (sum int64) {
		for _, pod := range v.Pods {
			sum -= int64(corev1.PodPriority(pod)) + 1<<31
		}
		return sum
	}},
	{"fewest victims", func(v *extenderv1.Victims) int64 { return -int64(len(v.Pods)) }},
}

const lastCriterion = "latest start of the most important victims"

// ladder is the tie-break among these candidates, up to the step that decides. Starts are seconds since 1970 by the
// case's clock, which is `shift` behind this machine's; a pod that has not started starts now.
func ladder(candidates []preemption.Candidate, now time.Time, shift time.Duration) []Step {
	start := func(v *extenderv1.Victims) int64 {
		return min(util.GetEarliestPodStartTime(v).Add(-shift).Unix(), now.Unix())
	}
	criteria := append(slices.Clone(criteria), criterion{lastCriterion, start})
	steps := []Step{}
	for _, criterion := range criteria {
		if len(candidates) < 2 {
			break
		}
		step := Step{Criterion: criterion.name, Values: map[string]int64{}}
		for _, candidate := range candidates {
			step.Values[candidate.Name()] = criterion.value(candidate.Victims())
		}
		best := int64(0)
		for i, candidate := range candidates {
			if value := step.Values[candidate.Name()]; i == 0 || value > best {
				best = value
			}
		}
		candidates = slices.DeleteFunc(slices.Clone(candidates), func(c preemption.Candidate) bool {
			return step.Values[c.Name()] != best
		})
		for _, candidate := range candidates {
			step.Survivors = append(step.Survivors, candidate.Name())
		}
		slices.Sort(step.Survivors)
		steps = append(steps, step)
	}
	return steps
}
