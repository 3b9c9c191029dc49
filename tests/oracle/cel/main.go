// Command cel says what kube-scheduler's own evaluator makes of device selectors. It is one program per release; `build` in
// this folder builds it.
//
//	cel [-seed S] [-count N] [-start I] [-lists]   random selectors and their outcomes, a line each, on stdout
//	cel -ask [-lists]                              the same for selectors on stdin, a JSON string each
//
// The first line holds the release and the devices. Each other line is a selector `e` with either `compile`, the error, or
// `d`, its outcome for each device: `v`, the value, or `x`, the error, and `c`, the cost. Outcomes that depend on the order
// in which Go iterates over a map are left out (`null`).
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/utils/ptr"
)

// version is the release that is linked, set by the build.
var version = "0.0.0"

// repeats is how often a selector is evaluated for a device, to notice what depends on the order of maps: seven of eight walks of
// a small map begin with the same entry.
const repeats = 64

type line struct {
	Expression string    `json:"e"`
	Compile    string    `json:"compile,omitempty"`
	Outcomes   []*result `json:"d,omitempty"`
}

type result struct {
	Value *bool   `json:"v,omitempty"`
	Error *string `json:"x,omitempty"`
	Cost  *uint64 `json:"c,omitempty"`
}

type header struct {
	Version string   `json:"version"`
	Lists   bool     `json:"lists"`
	Devices []device `json:"devices"`
}

func main() {
	seed := flag.Uint64("seed", 1, "another seed makes other selectors")
	count := flag.Int("count", 100, "how many")
	start := flag.Int("start", 0, "index of the first one")
	lists := flag.Bool("lists", false, "with the gate DRAListTypeAttributes")
	ask := flag.Bool("ask", false, "take the selectors from stdin")
	flag.Parse()
	if err := run(*seed, *count, *start, *lists, *ask); err != nil {
		fmt.Fprintln(os.Stderr, "cel:", err)
		os.Exit(1)
	}
}

func run(seed uint64, count, start int, lists, ask bool) error {
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	given := devices(lists)
	if err := encoder.Encode(header{version, lists, given}); err != nil {
		return err
	}
	var devices []cel.Device
	for _, device := range given {
		devices = append(devices, seen(device))
	}
	compiler := cel.GetCompiler(features(lists))
	evaluate := func(expression string) error {
		return encoder.Encode(outcome(compiler, expression, devices))
	}
	if ask {
		in := bufio.NewScanner(os.Stdin)
		in.Buffer(nil, 1<<20)
		for in.Scan() {
			var expression string
			if err := json.Unmarshal(in.Bytes(), &expression); err != nil {
				return err
			}
			if err := evaluate(expression); err != nil {
				return err
			}
		}
		return in.Err()
	}
	generator := newGenerator(compiler.CompileCELExpression("true", cel.Options{}).Environment)
	for index := start; index < start+count; index++ {
		generator.rand = rand.New(rand.NewPCG(seed, uint64(index)))
		if err := evaluate(generator.selector()); err != nil {
			return err
		}
	}
	return nil
}

type compiler interface {
	CompileCELExpression(string, cel.Options) cel.CompilationResult
}

func outcome(compiler compiler, expression string, devices []cel.Device) (made line) {
	made = line{Expression: expression}
	compiled, panicked := compile(compiler, expression)
	if panicked != "" {
		made.Compile = "PANIC " + panicked
		return made
	}
	if compiled.Error != nil {
		made.Compile = compiled.Error.Error()
		return made
	}
	for _, device := range devices {
		made.Outcomes = append(made.Outcomes, matches(compiled, device))
	}
	return made
}

// compile is the compilation of the scheduler, which some expressions make panic.
func compile(compiler compiler, expression string) (compiled cel.CompilationResult, panicked string) {
	defer func() {
		if r := recover(); r != nil {
			panicked = fmt.Sprint(r)
		}
	}()
	return compiler.CompileCELExpression(expression, cel.Options{DisableCostEstimation: true}), ""
}

func matches(compiled cel.CompilationResult, device cel.Device) *result {
	var first *result
	for range repeats {
		next := once(compiled, device)
		if first == nil {
			first = next
		} else if !same(first, next) {
			return nil
		}
	}
	return first
}

func same(a, b *result) bool {
	return ptr.Equal(a.Value, b.Value) && ptr.Equal(a.Error, b.Error) && ptr.Equal(a.Cost, b.Cost)
}

func once(compiled cel.CompilationResult, device cel.Device) (made *result) {
	made = &result{}
	defer func() {
		if r := recover(); r != nil {
			made.Error = ptr.To(fmt.Sprint("PANIC ", r))
		}
	}()
	value, details, err := compiled.DeviceMatches(context.Background(), device)
	if err != nil {
		made.Error = ptr.To(err.Error())
	} else {
		made.Value = &value
	}
	if details != nil {
		made.Cost = details.ActualCost()
	}
	return made
}

// qualified makes the attributes of a device from pairs of a name and a value.
func qualified[V any](pairs ...any) map[resourceapi.QualifiedName]V {
	made := map[resourceapi.QualifiedName]V{}
	for i := 0; i+1 < len(pairs); i += 2 {
		made[resourceapi.QualifiedName(pairs[i].(string))] = pairs[i+1].(V)
	}
	return made
}
