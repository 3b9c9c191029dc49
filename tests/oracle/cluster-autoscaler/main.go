// Asks cluster-autoscaler about random clusters: does it add a node for the pod `web`, does it expect
// the pod on a node that is there or in flight, or does it leave the pod alone? Each line is a case:
// the objects as the API has them, with the status and the Events that cluster-autoscaler wrote before
// and after it looked at the pod, and what it decided.
//
//	tests/oracle/cluster-autoscaler/build; target/cluster-autoscaler CASES SEED > cases.jsonl
//
// The cloud is a value of this program. The loops that look at it are cluster-autoscaler's own code,
// with an API that is held in memory.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand"
	"os"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
)

// What cluster-autoscaler decided about the pod.
type decision struct {
	// One of added, placed, refused, failed, ignored, waits.
	Web string `json:"web"`
	// The node on which it expects the pod; one that is in flight has no Node object.
	On string `json:"on,omitempty"`
	// The groups that grow for the pod, and by how many nodes.
	Grows map[string]int `json:"grows,omitempty"`
	// Why groups do not, by group.
	Reasons map[string][]string `json:"reasons,omitempty"`
	// The result of the loop.
	Result string `json:"result,omitempty"`
	// In which loop after the first one.
	Loop int `json:"loop"`
}

// What cluster-autoscaler has written by some time.
type writing struct {
	Now     time.Time        `json:"now"`
	Objects []runtime.Object `json:"objects"`
}

type testCase struct {
	Objects []runtime.Object `json:"objects"`
	Before  writing          `json:"before"`
	After   writing          `json:"after"`
	Says    decision         `json:"says"`
}

func main() {
	var flags flag.FlagSet
	klog.InitFlags(&flags)
	_ = flags.Set("logtostderr", "false")
	_ = flags.Set("alsologtostderr", "false")
	_ = flags.Set("stderrthreshold", "FATAL")
	klog.SetOutput(io.Discard)
	cases, seed := number(1, 2000), number(2, 7)
	random := rand.New(rand.NewSource(int64(seed)))
	out := json.NewEncoder(os.Stdout)
	for range cases {
		situation := randomSituation(random)
		answered, err := ask(situation)
		if err == nil {
			err = out.Encode(answered)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func number(at, otherwise int) int {
	if len(os.Args) <= at {
		return otherwise
	}
	value, err := strconv.Atoi(os.Args[at])
	if err != nil {
		fmt.Fprintf(os.Stderr, "not a number: %s\n", os.Args[at])
		os.Exit(2)
	}
	return value
}
