package decide

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"syscall"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"oracle/cases"
	"oracle/upstream"
	"oracle/world"
)

// Cost is wall clock and processor time, in milliseconds; a busy machine distorts the latter less.
type Cost struct {
	Wall      float64 `json:"wall"`
	Processor float64 `json:"processor"`
}

// Measured is what the scheduler takes for one pod that no node takes as it is; the least of several runs.
type Measured struct {
	Nodes      int  `json:"nodes"`
	DryRuns    int  `json:"dryRuns"`
	Candidates int  `json:"candidates"`
	Cycle      Cost `json:"cycle"`
	DryRun     Cost `json:"dryRun"`
}

// Measure times the scheduler's cycle and its dry run of every potential node, with this many threads.
func Measure(cluster json.RawMessage, fullName string, threads, runs int) (*Measured, error) {
	objects, err := cases.Parse(cluster, 0)
	if err != nil {
		return nil, err
	}
	pod := objects.Pod(fullName)
	if pod == nil {
		return nil, fmt.Errorf("no pod %s", fullName)
	}
	ctx, cancel := context.WithCancel(upstream.Silent(context.Background()))
	defer cancel()
	world, err := NewWorld(ctx, world.Client, objects, nil, int32(threads))
	if err != nil {
		return nil, err
	}
	c := &cycle{Question: &cases.Question{Objects: objects, Pod: pod}, ctx: ctx, world: world, profile: world.Profile(pod)}
	var budgets []*policyv1.PodDisruptionBudget
	for _, object := range objects["policy/v1/PodDisruptionBudget"] {
		budgets = append(budgets, object.(*policyv1.PodDisruptionBudget))
	}
	measured := &Measured{Nodes: len(objects["v1/Node"])}
	for run := range runs {
		state := framework.NewCycleState()
		elapsed := stopwatch()
		_, err := upstream.SchedulePod(ctx, world.Scheduler, c.profile, state, pod)
		cycle := elapsed()
		var fit *framework.FitError
		if !errors.As(err, &fit) {
			return nil, fmt.Errorf("a node takes the pod as it is: %w", err)
		}
		potential, err := fit.Diagnosis.NodeToStatus.NodesForStatusCode(world.Snapshot.NodeInfos(), upstream.Unschedulable)
		if err != nil {
			return nil, err
		}
		elapsed = stopwatch()
		candidates, _, err := defaultPreemption(c.profile).Evaluator.DryRunPreemption(ctx, state, pod, potential, budgets, 0, int32(len(potential)+1))
		dryRun := elapsed()
		if len(candidates) == 0 {
			return nil, fmt.Errorf("no candidates: %w", err)
		}
		measured.DryRuns, measured.Candidates = len(potential), len(candidates)
		if run == 0 {
			measured.Cycle, measured.DryRun = cycle, dryRun
		}
		measured.Cycle, measured.DryRun = least(cycle, measured.Cycle), least(dryRun, measured.DryRun)
	}
	return measured, nil
}

func least(a, b Cost) Cost { return Cost{min(a.Wall, b.Wall), min(a.Processor, b.Processor)} }

// stopwatch starts now; what it gives back tells what has passed since.
func stopwatch() func() Cost {
	start, used := time.Now(), processor()
	return func() Cost { return Cost{float64(time.Since(start).Microseconds()) / 1000, processor() - used} }
}

// processor is this process's time on processors so far, in milliseconds.
func processor() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e6
}
