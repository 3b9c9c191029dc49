//go:build from21 && !from24

package main

// wanted are the rows that a normal run must not lack; a reason need only begin so.
var wanted = map[string][]string{
	"outcome": {"Schedulable", "Preempt", "Unschedulable", "never gets a cycle", "ends with an error"},
	"Filter": {
		"InterPodAffinity: node(s) didn't match pod affinity rules",
		"InterPodAffinity: node(s) didn't match pod anti-affinity rules",
		"InterPodAffinity: node(s) didn't satisfy existing pods anti-affinity rules",
		"NodeAffinity: node(s) didn't match Pod's node affinity/selector",
		"NodePorts: node(s) didn't have free ports for the requested pod ports",
		"NodeResourcesFit: Insufficient cpu",
		"NodeResourcesFit: Insufficient ephemeral-storage",
		"NodeResourcesFit: Insufficient example.com/gpu",
		"NodeResourcesFit: Insufficient hugepages-",
		"NodeResourcesFit: Insufficient memory",
		"NodeResourcesFit: Too many pods",
		"NodeUnschedulable: node(s) were unschedulable",
		"PodTopologySpread: node(s) didn't match pod topology spread constraints",
		"PodTopologySpread: node(s) didn't match pod topology spread constraints (missing required label)",
		"TaintToleration: node(s) had taint {",
	},
	"score differs": {"ImageLocality", "InterPodAffinity", "NodeAffinity", "NodeResourcesBalancedAllocation", "PodTopologySpread", "TaintToleration"},
	"not eligible":  {unsaid},
	"victims":       {"1", "2", "3 to 4", "5 to 9", "10 or more"},
	"violations":    {"0", "1", "2", "3 to 4"},
	"tie-break": {
		"one candidate", "nothing: a tie", "fewest PDB violations", "lowest priority of the most important victim",
		"lowest sum of priorities", "fewest victims", "latest start of the most important victims",
	},
	"dry run fails": {"No victims found on node * for preemptor pod p", "Insufficient cpu"},
}
