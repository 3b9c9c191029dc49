package decide

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"oracle/upstream"
)

// Measured is what the scheduler takes for one pod that no node takes as it is; the least of several runs, in
// milliseconds.
type Measured struct {
	Nodes      int     `json:"nodes"`
	DryRuns    int     `json:"dryRuns"`
	Candidates int     `json:"candidates"`
	Cycle      float64 `json:"cycle"`
	DryRun     float64 `json:"dryRun"`
}

// Measure times the scheduler's cycle and its dry run of every potential node, with this many threads.
func Measure(cluster json.RawMessage, fullName string, threads, runs int) (*Measured, error) {
	objects, err := parse(cluster, 0)
	if err != nil {
		return nil, err
	}
	pod := find(objects, fullName)
	if pod == nil {
		return nil, fmt.Errorf("no pod %s", fullName)
	}
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
	defer cancel()
	world, err := NewWorld(ctx, objects, nil, int32(threads))
	if err != nil {
		return nil, err
	}
	c := &cycle{question: &question{objects: objects, pod: pod}, ctx: ctx, world: world, profile: world.Profile(pod)}
	var budgets []*policyv1.PodDisruptionBudget
	for _, object := range objects["policy/v1/PodDisruptionBudget"] {
		budgets = append(budgets, object.(*policyv1.PodDisruptionBudget))
	}
	measured := &Measured{Nodes: len(objects["v1/Node"])}
	for run := range runs {
		state := framework.NewCycleState()
		started := time.Now()
		_, err := upstream.SchedulePod(ctx, world.Scheduler, c.profile, state, pod)
		cycle := millis(started)
		var fit *framework.FitError
		if !errors.As(err, &fit) {
			return nil, fmt.Errorf("a node takes the pod as it is: %w", err)
		}
		potential, err := fit.Diagnosis.NodeToStatus.NodesForStatusCode(world.Snapshot.NodeInfos(), upstream.Unschedulable)
		if err != nil {
			return nil, err
		}
		started = time.Now()
		candidates, _, err := c.defaultPreemption().Evaluator.DryRunPreemption(ctx, state, pod, potential, budgets, 0, int32(len(potential)+1))
		dryRun := millis(started)
		if len(candidates) == 0 {
			return nil, fmt.Errorf("no candidates: %w", err)
		}
		measured.DryRuns, measured.Candidates = len(potential), len(candidates)
		if run == 0 || cycle+dryRun < measured.Cycle+measured.DryRun {
			measured.Cycle, measured.DryRun = cycle, dryRun
		}
	}
	return measured, nil
}

func millis(since time.Time) float64 { return float64(time.Since(since).Microseconds()) / 1000 }
