package cases

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	v1 "k8s.io/api/core/v1"

	"oracle/upstream"
)

// Answer is what one scheduler decides.
type Answer struct {
	Expect *Expect
	// Unspecified says which order, open by contract, the decision depends on.
	Unspecified string
}

// NewAnswer is a pod that nothing has been decided about.
func NewAnswer() *Answer {
	return &Answer{Expect: &Expect{
		Outcome:  "Unschedulable",
		Feasible: []string{},
		Filtered: map[string]Rejection{},
		Selected: []string{},
	}}
}

// Say notes the scheduler's message.
func (a *Answer) Say(message string) { a.Expect.Message = &message }

// NoCycle says that the pod never gets a cycle, and why.
func (a *Answer) NoCycle(plugin, code, reason string) {
	a.Expect.PreEnqueue = &Rejection{Plugin: plugin, Code: code, Reasons: []string{reason}}
}

// Decider starts the linked scheduler on the objects of a question and has it decide.
type Decider func(*Question) (*Answer, error)

// Decide fills in what the scheduler decides. A new scheduler decides each of the `runs`, and a difference between them
// is an order that nobody promises.
func (decide Decider) Decide(c *Case, runs int) {
	q := c.begin()
	if q == nil {
		return
	}
	first, err := once(q, decide)
	if err != nil {
		c.Failed = err.Error()
		return
	}
	c.Expect = first.Expect
	c.Unspecified = first.Unspecified
	for range runs - 1 {
		again, err := once(q, decide)
		if err != nil {
			c.Failed = "not every time: " + err.Error()
			return
		}
		// Among those that tie it chooses at random.
		first.Expect.Sampled = union(first.Expect.Sampled, again.Expect.Sampled)
		again.Expect.Sampled = first.Expect.Sampled
		first.Expect.Nominated = union(first.Expect.Nominated, again.Expect.Nominated)
		again.Expect.Nominated = first.Expect.Nominated
		c.compare(*first.Expect, *again.Expect)
	}
}

// union are the names that are in either list.
func union(one, other []string) []string { return slices.Compact(Sorted(append(one, other...))) }

// begin forgets what was decided before, and reads the question; nil if it cannot be read.
func (c *Case) begin() *Question {
	c.Expect, c.Also, c.Unspecified, c.Failed = nil, nil, "", ""
	q, err := read(c)
	if err != nil {
		c.Failed = err.Error()
		return nil
	}
	return q
}

// compare notes the first field in which two decisions differ.
func (c *Case) compare(a, b any) {
	if c.Unspecified != "" {
		return
	}
	if field := differs(a, b); field != "" {
		c.Unspecified = field + " differs from run to run"
	}
}

func differs(a, b any) string {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		if !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			return x.Type().Field(i).Name
		}
	}
	return ""
}

// Panics of the scheduler's own goroutines cannot be recovered where the case is decided: they are counted, and a case
// during which one happened is decided again with no other beside it.
var (
	alone   sync.RWMutex
	panics  atomic.Int64
	panicky atomic.Value
)

func init() {
	upstream.OnPanic(func(p any) {
		panics.Add(1)
		panicky.Store(panicked(p))
	})
}

func panicked(p any) string { return fmt.Sprintf("the scheduler panics: %v\n%s", p, debug.Stack()) }

// once starts a scheduler and runs the cycle; a scheduler that panics is no reason to stop.
func once[A any](q *Question, decide func(*Question) (A, error)) (answer A, err error) {
	var quiet bool
	var none A
	run := func() {
		before := panics.Load()
		answer, err = guarded(q, decide)
		quiet = panics.Load() == before
	}
	if unset := Under(q.Gates, run); unset != nil {
		return none, unset
	}
	if quiet {
		return answer, err
	}
	if unset := byItself(q.Gates, run); unset != nil {
		return none, unset
	}
	if !quiet {
		return none, errors.New(panicky.Load().(string))
	}
	return answer, err
}

// Under runs something with these feature gates. They are the whole program's, so nothing else runs meanwhile.
func Under(gates map[string]bool, run func()) error {
	if len(gates) > 0 {
		return byItself(gates, run)
	}
	alone.RLock()
	defer alone.RUnlock()
	run()
	return nil
}

func byItself(gates map[string]bool, run func()) error {
	alone.Lock()
	defer alone.Unlock()
	if len(gates) > 0 {
		restore, err := upstream.SetGates(gates)
		if err != nil {
			return err
		}
		defer restore()
	}
	run()
	return nil
}

func guarded[A any](q *Question, decide func(*Question) (A, error)) (answer A, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New(panicked(p))
		}
	}()
	return decide(q)
}

// Score notes the weighted scores of the feasible nodes by plugin, their totals, and who may be chosen by them.
func (a *Answer) Score(parts map[string]map[string]int64) {
	a.Expect.Scores = parts
	best := int64(math.MinInt64)
	for _, scores := range parts {
		total := int64(0)
		for _, score := range scores {
			total += score
		}
		scores["total"] = total
		best = max(best, total)
	}
	for node, scores := range parts {
		if scores["total"] == best {
			a.Expect.Selected = append(a.Expect.Selected, node)
		}
	}
	slices.Sort(a.Expect.Selected)
}

// NewCandidate names the victims.
func NewCandidate(victims []*v1.Pod, violations int64) Candidate {
	names := []string{}
	for _, pod := range victims {
		names = append(names, FullName(pod))
	}
	return Candidate{Victims: names, NumPDBViolations: violations}
}
