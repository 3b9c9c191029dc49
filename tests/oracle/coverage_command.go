package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
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
		var c cases.Case
		if err := json.Unmarshal(line, &c); err != nil {
			return err
		}
		seen.add(&c)
	}
	return seen.print()
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

func (s coverage) add(c *cases.Case) {
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

func (s coverage) preemption(p *cases.Preemption) {
	if !p.Eligible {
		s.count("not eligible", *p.IneligibleReason)
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

// wanted are the rows that a normal run must not lack; a reason need only begin so.
var wanted = map[string][]string{
	"outcome":    {"Schedulable", "Preempt", "Unschedulable", "never gets a cycle", "ends with an error"},
	"PreEnqueue": {"SchedulingGates", "DynamicResources", ""},
	"Filter": {
		": node(s) didn't satisfy plugin(s) *",
		"DynamicResources: cannot allocate all claims",
		"DynamicResources: resourceclaim not available on the node",
		"InterPodAffinity: node(s) didn't match pod affinity rules",
		"InterPodAffinity: node(s) didn't match pod anti-affinity rules",
		"InterPodAffinity: node(s) didn't satisfy existing pods anti-affinity rules",
		"NodeAffinity: node(s) didn't match Pod's node affinity/selector",
		"NodeDeclaredFeatures: ",
		"NodePorts: node(s) didn't have free ports for the requested pod ports",
		"NodeResourcesFit: Insufficient cpu",
		"NodeResourcesFit: Insufficient ephemeral-storage",
		"NodeResourcesFit: Insufficient example.com/gpu",
		"NodeResourcesFit: Insufficient hugepages-",
		"NodeResourcesFit: Insufficient memory",
		"NodeResourcesFit: Too many pods",
		"NodeUnschedulable: node(s) were unschedulable",
		"NodeVolumeLimits: node(s) exceed max volume count",
		"PodTopologySpread: node(s) didn't match pod topology spread constraints",
		"PodTopologySpread: node(s) didn't match pod topology spread constraints (missing required label)",
		"TaintToleration: node(s) had untolerated taint(s)",
		"VolumeBinding: node(s) didn't find available persistent volumes to bind",
		"VolumeBinding: node(s) didn't match PersistentVolume's node affinity",
		"VolumeBinding: node(s) did not have enough free storage",
		"VolumeRestrictions: node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
		"VolumeRestrictions: node(s) had no available disk",
		"VolumeZone: node(s) had no available volume zone",
	},
	"PreFilter": {
		"NodeAffinity: ", "DynamicResources: ", "VolumeBinding: pod has unbound immediate PersistentVolumeClaims",
		"VolumeRestrictions: persistentvolumeclaim * not found", "VolumeBinding: persistentvolumeclaim * is being deleted",
		"VolumeBinding: persistentvolumeclaim * bound to non-existent persistentvolume",
	},
	"score differs": {
		"DynamicResources", "ImageLocality", "InterPodAffinity", "NodeAffinity", "NodeResourcesBalancedAllocation",
		"NodeResourcesFit", "PodTopologySpread", "TaintToleration", "VolumeBinding",
	},
	"not eligible": {"not eligible due to preemptionPolicy=Never.", "not eligible due to a terminating pod on the nominated node."},
	"victims":      {"1", "2", "3 to 4", "5 to 9", "10 or more"},
	"violations":   {"0", "1", "2", "3 to 4"},
	"tie-break": {
		"one candidate", "nothing: a tie", "fewest PDB violations", "lowest priority of the most important victim",
		"lowest sum of priorities", "fewest victims", "latest start of the most important victims",
	},
	"dry run fails": {"No preemption victims found for incoming pod", "Insufficient cpu", "node(s) didn't match pod anti-affinity rules"},
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
	for table, rows := range wanted {
		for _, row := range rows {
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
