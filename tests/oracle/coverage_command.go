package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"sort"
	"strings"

	"oracle/cases"
)

// coverageCommand tells what decided cases exercise, and ends with an error when something that they should exercise
// never occurs.
func coverageCommand(args []string) error {
	flags := flag.NewFlagSet("coverage", flag.ExitOnError)
	if err := flags.Parse(args); err != nil {
		return err
	}
	seen := coverage{}
	reader := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			break
		}
		var c decided
		if err := json.Unmarshal(line, &c); err != nil {
			return err
		}
		if c.Group != "" {
			seen.addGroup(line)
		} else {
			seen.add(&c)
		}
	}
	return seen.print()
}

// decided is a case with what was decided about its pod.
type decided struct {
	cases.Case
	Expect *cases.Expect `json:"expect"`
}

// coverage counts, by table and row.
type coverage map[string]map[string]int

func (s coverage) count(table, row string) {
	if s[table] == nil {
		s[table] = map[string]int{}
	}
	s[table][row]++
}

var named = regexp.MustCompile(`"[^"]*"|\bn\d\d\b|\b\d+\b|\[[^\]]*\]|(default|blue|green)/[^ ,:]*`)

// text is a reason without the names and numbers of its cluster.
func text(reason string) string {
	reason = named.ReplaceAllString(reason, "*")
	if cut := strings.Index(reason, "CEL runtime error"); cut >= 0 {
		reason = "... CEL runtime error"
	}
	return reason
}

func (s coverage) add(c *decided) {
	if c.Failed != "" || c.Unspecified != "" {
		why := c.Unspecified
		if c.Failed != "" {
			why = "failed"
		}
		s.count("proves nothing", why)
		return
	}
	e := c.Expect
	switch {
	case e.PreEnqueue != nil:
		s.count("outcome", "never gets a cycle")
		s.count("PreEnqueue", e.PreEnqueue.Plugin)
	case e.Error:
		s.count("outcome", "ends with an error")
	default:
		s.count("outcome", e.Outcome)
	}
	for _, no := range e.Filtered {
		for _, reason := range no.Reasons {
			s.count("Filter", no.Plugin+": "+text(reason))
		}
	}
	if e.PreFilter != nil {
		s.count("PreFilter", e.PreFilter.Plugin+": "+text(strings.Join(e.PreFilter.Reasons, ", ")))
	}
	for _, script := range c.Extenders {
		for _, answer := range script.Answers() {
			s.count("an extender", answer)
		}
	}
	if len(e.Nominated) > 0 {
		s.count("nodes nominated from a sample, by start", bucket(len(e.Nominated)))
	}
	s.scores(e)
	if e.Preemption != nil {
		s.preemption(e.Preemption)
	}
}

// scores counts the plugins that do not give every node the same.
func (s coverage) scores(e *cases.Expect) {
	low, high := map[string]int64{}, map[string]int64{}
	for _, parts := range e.Scores {
		for plugin, score := range parts {
			if _, known := low[plugin]; !known {
				low[plugin], high[plugin] = score, score
			}
			low[plugin], high[plugin] = min(low[plugin], score), max(high[plugin], score)
		}
	}
	for plugin := range low {
		if low[plugin] < high[plugin] {
			s.count("score differs", plugin)
		}
	}
	if len(e.Scores) > 0 {
		s.count("nodes that tie for the pod", bucket(len(e.Selected)))
	}
	if len(e.Sampled) > 0 {
		s.count("nodes chosen from a sample, by start", bucket(len(e.Sampled)))
	}
}

func bucket(n int) string {
	switch {
	case n <= 2:
		return fmt.Sprint(n)
	case n <= 4:
		return "3 to 4"
	case n <= 9:
		return "5 to 9"
	}
	return "10 or more"
}

// unsaid stands for the reason of releases that give none.
const unsaid = "the release does not say why"

func (s coverage) preemption(p *cases.Preemption) {
	if !p.Eligible {
		why := unsaid
		if p.IneligibleReason != nil {
			why = *p.IneligibleReason
		}
		s.count("not eligible", why)
		return
	}
	for _, candidate := range p.Candidates {
		s.count("victims", bucket(len(candidate.Victims)))
		s.count("violations", bucket(int(candidate.NumPDBViolations)))
	}
	for _, no := range p.Rejected {
		s.count("dry run fails", text(strings.Join(no.Reasons, ", ")))
	}
	switch {
	case len(p.Candidates) == 1:
		s.count("tie-break", "one candidate")
	case len(p.Winners) > 1:
		s.count("tie-break", "nothing: a tie")
	case len(p.Winners) == 1:
		s.count("tie-break", p.Ladder[len(p.Ladder)-1].Criterion)
	}
}

func (s coverage) print() error {
	missing := 0
	tables := []string{}
	for table := range s {
		tables = append(tables, table)
	}
	sort.Strings(tables)
	for _, table := range tables {
		fmt.Println(table)
		rows := []string{}
		for row := range s[table] {
			rows = append(rows, row)
		}
		sort.Strings(rows)
		for _, row := range rows {
			fmt.Printf("  %7d  %s\n", s[table][row], row)
		}
	}
	for _, table := range slices.Sorted(maps.Keys(wanted)) {
		for _, row := range wanted[table] {
			found := false
			for have := range s[table] {
				found = found || strings.HasPrefix(have, row)
			}
			if !found {
				missing++
				fmt.Printf("  MISSING  %s: %s\n", table, row)
			}
		}
	}
	if missing > 0 {
		return errors.New("something is never exercised")
	}
	return nil
}
