// Command instrument edits a copy of kube-scheduler's sources so that its unit tests write down what they ask:
// `instrument KUBERNETES`, the folder of the copy, in which package hook stands at pkg/scheduler/hook.
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// asked are the functions that are asked about a pod, at the extension points and around them.
var asked = []string{
	"PreEnqueue", "PreFilter", "Filter", "PreScore", "Score", "PostFilter",
	"PodEligibleToPreemptOthers", "SelectVictimsOnDomain", "Preempt", "evaluate", "findCandidates", "DryRunPreemption",
	"SchedulePod", "schedulePod", "findNodesThatFitPod", "findNodesThatPassFilters", "findNodesThatPassExtenders",
	"RunPreFilterPlugins", "RunFilterPlugins", "RunFilterPluginsWithNominatedPods", "RunPostFilterPlugins", "RunPreScorePlugins", "RunScorePlugins",
	"GetPodVolumeClaims", "FindPodVolumes", "Fits", "fitsRequest", "podFitsOnNode",
}

// told are the functions that are given objects of the cluster: file, function, and the parameters that hold them.
var told = []struct {
	file, function string
	call           func(parameters []string) string
}{
	{"backend/cache/snapshot.go", "NewSnapshot", func(p []string) string { return "hook.Snapshot(" + p[0] + ", " + p[1] + ")" }},
	{"backend/cache/cache.go", "AddPod", func(p []string) string { return "hook.Object(" + p[1] + ")" }},
	{"backend/cache/cache.go", "AssumePod", func(p []string) string { return "hook.Object(" + p[1] + ")" }},
	{"backend/cache/cache.go", "AddNode", func(p []string) string { return "hook.Object(" + p[1] + ")" }},
	{"framework/runtime/framework.go", "WithClientSet", func(p []string) string { return "hook.Client(" + p[0] + ")" }},
	{"framework/runtime/framework.go", "WithInformerFactory", func(p []string) string { return "hook.Informers(" + p[0] + ")" }},
}

func main() {
	root := filepath.Join(os.Args[1], "pkg/scheduler")
	for _, folder := range []string{".", "framework/plugins", "framework/preemption", "framework/runtime", "backend/cache", "testing/framework"} {
		start := filepath.Join(root, folder)
		err := filepath.WalkDir(start, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() && folder == "." && path != start {
				return filepath.SkipDir
			}
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			return instrument(root, path)
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, "instrument:", err)
			os.Exit(1)
		}
	}
}

// insertion is text that goes in at an offset.
type insertion struct {
	at   int
	text string
}

func instrument(root, path string) error {
	source, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, source, parser.ParseComments)
	if err != nil {
		return err
	}
	name, err := filepath.Rel(root, path)
	if err != nil {
		return err
	}
	var insertions []insertion
	into := func(body *ast.BlockStmt, text string) {
		insertions = append(insertions, insertion{files.Position(body.Lbrace).Offset + 1, " " + text + ";"})
	}
	if strings.HasSuffix(path, "_test.go") {
		tests(file, into)
	} else {
		for _, declaration := range file.Decls {
			if function, is := declaration.(*ast.FuncDecl); is && function.Body != nil {
				for _, call := range calls(name, function) {
					into(function.Body, call)
				}
			}
		}
	}
	if len(insertions) == 0 {
		return nil
	}
	insertions = append(insertions, insertion{files.Position(file.Name.End()).Offset, "\nimport hook \"k8s.io/kubernetes/pkg/scheduler/hook\"\n"})
	slices.SortStableFunc(insertions, func(a, b insertion) int { return b.at - a.at })
	for _, add := range insertions {
		source = slices.Concat(source[:add.at], []byte(add.text), source[add.at:])
	}
	if strings.HasSuffix(path, "_test.go") {
		// Table entries must not be mixed.
		source = bytes.ReplaceAll(source, []byte("t.Parallel()"), []byte("t.Helper()"))
	}
	return os.WriteFile(path, source, 0o644)
}

// tests marks where a test and each of its table entries begin and end.
func tests(file *ast.File, into func(*ast.BlockStmt, string)) {
	entry := func(parameters *ast.FieldList, body *ast.BlockStmt) {
		if len(parameters.List) != 1 || len(parameters.List[0].Names) != 1 || parameters.List[0].Names[0].Name == "_" {
			return
		}
		if kind := typeName(parameters.List[0].Type); kind == "*testing.T" || kind == "ktesting.TContext" {
			into(body, "defer hook.Entry("+parameters.List[0].Names[0].Name+".Name())()")
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncDecl:
			if node.Recv == nil && strings.HasPrefix(node.Name.Name, "Test") && node.Name.Name != "TestMain" {
				entry(node.Type.Params, node.Body)
			}
		case *ast.CallExpr:
			if selector, is := node.Fun.(*ast.SelectorExpr); is && (selector.Sel.Name == "Run" || selector.Sel.Name == "SyncTest") && len(node.Args) == 2 {
				if function, is := node.Args[1].(*ast.FuncLit); is {
					entry(function.Type.Params, function.Body)
				}
			}
		}
		return true
	})
}

// calls are what is put at the beginning of a function.
func calls(file string, function *ast.FuncDecl) []string {
	var names, kinds, calls []string
	for _, field := range function.Type.Params.List {
		for _, name := range field.Names {
			names = append(names, name.Name)
			kinds = append(kinds, typeName(field.Type))
		}
	}
	for _, about := range told {
		if about.file == file && about.function == function.Name.Name {
			calls = append(calls, about.call(names))
		}
	}
	if file == "testing/framework/fake_listers.go" && function.Recv != nil && len(function.Recv.List[0].Names) == 1 {
		calls = append(calls, "hook.Lister("+function.Recv.List[0].Names[0].Name+")")
	}
	if i := slices.Index(kinds, "runtime.Object"); i >= 0 && strings.HasPrefix(function.Name.Name, "New") && names[i] != "_" && strings.HasPrefix(file, "framework/plugins/") {
		plugin := "Name"
		if function.Name.Name == "NewBalancedAllocation" {
			plugin = "BalancedAllocationName"
		}
		calls = append(calls, "hook.Args("+plugin+", "+names[i]+")")
	}
	pod := slices.Index(kinds, "*v1.Pod")
	if pod < 0 || names[pod] == "_" || !slices.Contains(asked, function.Name.Name) {
		return calls
	}
	node := "nil"
	if i := slices.Index(kinds, "fwk.NodeInfo"); i >= 0 && names[i] != "_" {
		node = names[i]
	}
	return append(calls, "hook.Asked("+names[pod]+", "+node+")")
}

// typeName is a type as it is written, of the few shapes that matter here.
func typeName(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return "*" + typeName(e.X)
	case *ast.SelectorExpr:
		return typeName(e.X) + "." + e.Sel.Name
	}
	return ""
}
