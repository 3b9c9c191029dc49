// Package cases is what every release's program shares: the lines that it reads and writes, and how often it decides each.
package cases

import (
	"encoding/json"

	"oracle/extender"
)

// Case is one line of a corpus: a cluster, a pod or a pod group, a version, and what that version decided.
type Case struct {
	ID        string    `json:"id"`
	Scheduler Scheduler `json:"scheduler"`
	Now       string    `json:"now"`
	// Pod is `namespace/name` of the pod whose cycle it is.
	Pod string `json:"pod,omitempty"`
	// Group is that of the pod group whose cycle it is, where no pod is asked about.
	Group   string          `json:"group,omitempty"`
	Cluster json.RawMessage `json:"cluster"`
	// Extenders are what the configuration's extenders answer, by their `urlPrefix`.
	Extenders map[string]extender.Script `json:"extenders,omitempty"`
	// Expect is an *Expect, or a *GroupExpect where a group is asked about.
	Expect any `json:"expect,omitempty"`
	// Also are the other answers that were given, where an order that is open by contract leaves a group several.
	Also []any `json:"also,omitempty"`
	// Unspecified says which order, open by contract, the decision depends on; such a case proves nothing.
	Unspecified string `json:"unspecified,omitempty"`
	// Failed says why there is no decision: the case cannot be read, or the scheduler panicked on it.
	Failed string `json:"failed,omitempty"`
}

// Scheduler says who decides.
type Scheduler struct {
	Version string          `json:"version"`
	Config  json.RawMessage `json:"config"`
	// Gates are feature gates that are set to something else than the release's default.
	Gates map[string]bool `json:"featureGates,omitempty"`
}

// Expect is what the scheduler decided about a pod.
type Expect struct {
	Outcome    string                      `json:"outcome"`
	Feasible   []string                    `json:"feasible"`
	Filtered   map[string]Rejection        `json:"filtered"`
	PreFilter  *Rejection                  `json:"preFilter"`
	PreEnqueue *Rejection                  `json:"preEnqueue,omitempty"`
	Scores     map[string]map[string]int64 `json:"scores"`
	Selected   []string                    `json:"selected"`
	// Sampled are nodes that the scheduler chose, of which `selected` are the best: it does not look at every node, and was
	// asked with several starts.
	Sampled []string `json:"sampled,omitempty"`
	// Nominated are the nodes that preemption nominated where it does not look for every candidate, with several starts and
	// numbers of workers.
	Nominated  []string    `json:"nominated,omitempty"`
	Preemption *Preemption `json:"preemption"`
	Message    *string     `json:"message"`
	// Error says that the cycle ended with an error, which is then the message; there is no more to compare.
	Error bool `json:"error,omitempty"`
}

// Rejection is a status: who said no, how firmly, and why.
type Rejection struct {
	Code    string   `json:"code"`
	Plugin  string   `json:"plugin"`
	Reasons []string `json:"reasons"`
}

// Preemption is the whole of DefaultPreemption's answer, with every node tried.
type Preemption struct {
	Eligible         bool                 `json:"eligible"`
	IneligibleReason *string              `json:"ineligibleReason"`
	Candidates       map[string]Candidate `json:"candidates"`
	Rejected         map[string]Refusal   `json:"rejected"`
	Winners          []string             `json:"winners"`
	Ladder           []Step               `json:"ladder,omitempty"`
}

// Candidate is a node where evicting these victims makes room.
type Candidate struct {
	Victims          []string `json:"victims"`
	NumPDBViolations int64    `json:"numPDBViolations"`
}

// Refusal is a node where the dry run found nothing.
type Refusal struct {
	Code    string   `json:"code"`
	Reasons []string `json:"reasons"`
}

// Step is one criterion of the tie-break, as far as it was needed.
type Step struct {
	Criterion string           `json:"criterion"`
	Values    map[string]int64 `json:"values"`
	Survivors []string         `json:"survivors"`
}
