//go:build !from19

package main

// wanted are the rows that a normal run must not lack; a reason need only begin so.
var wanted = map[string][]string{
	"outcome": {"Schedulable", "Preempt", "Unschedulable", "never gets a cycle"},
	"Filter": {
		"CheckNodeUnschedulable: node(s) were unschedulable",
		"GeneralPredicates: Insufficient cpu",
		"GeneralPredicates: Insufficient ephemeral-storage",
		"GeneralPredicates: Insufficient example.com/gpu",
		"GeneralPredicates: Insufficient hugepages-",
		"GeneralPredicates: Insufficient memory",
		"GeneralPredicates: Insufficient pods",
		"GeneralPredicates: node(s) didn't have free ports for the requested pod ports",
		"GeneralPredicates: node(s) didn't match node selector",
		"MatchInterPodAffinity: node(s) didn't match pod affinity rules",
		"MatchInterPodAffinity: node(s) didn't match pod anti-affinity rules",
		"MatchInterPodAffinity: node(s) didn't satisfy existing pods anti-affinity rules",
		"PodToleratesNodeTaints: node(s) had taints that the pod didn't tolerate",
	},
	"score differs": {
		"BalancedResourceAllocation", "ImageLocalityPriority", "InterPodAffinityPriority", "LeastRequestedPriority",
		"NodeAffinityPriority", "SelectorSpreadPriority", "TaintTolerationPriority",
	},
	"not eligible": {unsaid},
	"victims":      {"1", "2", "3 to 4", "5 to 9", "10 or more"},
	"violations":   {"0", "1", "2", "3 to 4"},
	"tie-break": {
		"one candidate", "nothing: a tie", "fewest PDB violations", "lowest priority of the most important victim",
		"lowest sum of priorities", "fewest victims",
	},
}
