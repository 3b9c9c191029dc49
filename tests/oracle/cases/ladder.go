package cases

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
)

// Contender is a candidate of the tie-break.
type Contender struct {
	Name       string
	Victims    []*v1.Pod
	Violations int64
	// Start is the earliest start of its most important victims; zero in releases whose tie-break does not ask.
	Start time.Time
}

type criterion struct {
	name  string
	value func(Contender) int64
}

// criteria are the steps of the scheduler's tie-break in this program's own words; the greatest value survives. They are
// recorded to tell which step a case exercises, and never decide.
var criteria = []criterion{
	{"fewest PDB violations", func(c Contender) int64 { return -c.Violations }},
	{"lowest priority of the most important victim", func(c Contender) int64 {
		if len(c.Victims) == 0 {
			return 1 << 32 // nobody has to go
		}
		return -priority(c.Victims[0])
	}},
	{"lowest sum of priorities", func(c Contender) (sum int64) {
		for _, pod := range c.Victims {
			sum -= priority(pod) + 1<<31
		}
		return sum
	}},
	{"fewest victims", func(c Contender) int64 { return -int64(len(c.Victims)) }},
}

func priority(pod *v1.Pod) int64 {
	if pod.Spec.Priority == nil {
		return 0
	}
	return int64(*pod.Spec.Priority)
}

const lastCriterion = "latest start of the most important victims"

// Ladder is the tie-break among these candidates, up to the step that decides. Starts are seconds since 1970 by the
// case's clock; a pod that has not started starts now.
func (q *Question) Ladder(contenders []Contender) []Step {
	criteria := slices.Clone(criteria)
	if len(contenders) > 0 && !contenders[0].Start.IsZero() {
		criteria = append(criteria, criterion{lastCriterion, func(c Contender) int64 {
			return min(c.Start.Add(-q.Shift).Unix(), q.Now.Unix())
		}})
	}
	steps := []Step{}
	for _, criterion := range criteria {
		if len(contenders) < 2 {
			break
		}
		step := Step{Criterion: criterion.name, Values: map[string]int64{}}
		best := int64(0)
		for i, contender := range contenders {
			value := criterion.value(contender)
			step.Values[contender.Name] = value
			if i == 0 || value > best {
				best = value
			}
		}
		contenders = slices.DeleteFunc(slices.Clone(contenders), func(c Contender) bool { return step.Values[c.Name] != best })
		for _, contender := range contenders {
			step.Survivors = append(step.Survivors, contender.Name)
		}
		slices.Sort(step.Survivors)
		steps = append(steps, step)
	}
	return steps
}
