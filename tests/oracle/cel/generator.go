package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// generator makes expressions of a wanted type from the functions that the environment of the release declares.
type generator struct {
	rand      *rand.Rand
	functions []overload
	scope     []variable
	names     int
}

type overload struct {
	function string
	*decls.OverloadDecl
}

type variable struct {
	name string
	kind *types.Type
}

var (
	quantity = cel.ObjectType("kubernetes.Quantity")
	semver   = cel.ObjectType("kubernetes.Semver")
	url      = cel.ObjectType("kubernetes.URL")
	format   = cel.ObjectType("kubernetes.NamedFormat")
	ip       = cel.OpaqueType("net.IP")
	cidr     = cel.OpaqueType("net.CIDR")
	plain    = []*types.Type{
		cel.BoolType, cel.IntType, cel.IntType, cel.StringType, cel.StringType, cel.DoubleType, cel.UintType,
		cel.BytesType, cel.DurationType, cel.TimestampType, cel.NullType, quantity, semver, url, ip, cidr, cel.TypeType,
	}
)

func newGenerator(env *cel.Env) *generator {
	g := &generator{}
	for name, function := range env.Functions() {
		if function.IsDeclarationDisabled() || strings.HasPrefix(name, "@") && name != operators.In || strings.Contains(name, ".@") {
			continue
		}
		for _, o := range function.OverloadDecls() {
			g.functions = append(g.functions, overload{name, o})
		}
	}
	slices.SortFunc(g.functions, func(a, b overload) int { return strings.Compare(a.function+a.ID(), b.function+b.ID()) })
	return g
}

func (g *generator) chance(percent int) bool { return g.rand.IntN(100) < percent }

func pick[T any](g *generator, of ...T) T { return of[g.rand.IntN(len(of))] }

// selector makes a selector: of boolean type, as a rule, and valid, as a rule.
func (g *generator) selector() string {
	g.scope, g.names = nil, 0
	depth := pick(g, 1, 2, 2, 3, 3, 3, 4, 4, 5)
	switch {
	case g.chance(4):
		return g.attribute()
	case g.chance(3):
		return g.make(g.any(), depth)
	case g.chance(12):
		// Two expressions of one type, and whether they are the same.
		t := g.any()
		return g.make(t, depth) + pick(g, " == ", " != ") + g.make(t, depth-1)
	case g.chance(12):
		// A text, which the error shows unless it is a URL.
		return "url(" + g.make(cel.StringType, depth) + ").getHost() == \"\""
	}
	return g.make(cel.BoolType, depth)
}

// any is a random type.
func (g *generator) any() *types.Type {
	switch g.rand.IntN(12) {
	case 0, 1:
		return cel.ListType(pick(g, plain...))
	case 2:
		return cel.MapType(pick(g, cel.StringType, cel.StringType, cel.IntType, cel.BoolType, cel.UintType), pick(g, plain...))
	case 3:
		return cel.OptionalType(pick(g, plain...))
	case 4:
		return cel.ListType(cel.ListType(pick(g, plain...)))
	}
	return pick(g, plain...)
}

// make makes an expression of a type.
func (g *generator) make(t *types.Type, depth int) string {
	if g.chance(1) {
		t = g.any() // of another type than is wanted
	}
	for _, v := range g.scope {
		if v.kind.IsExactType(t) && g.chance(45) {
			return v.name
		}
	}
	if depth <= 0 || g.chance(8) {
		return g.leaf(t)
	}
	switch n := g.rand.IntN(100); {
	case n < 4:
		return "dyn(" + g.make(t, depth-1) + ")"
	case n < 6:
		return "dyn(" + g.make(g.any(), depth-1) + ")"
	case n < 12:
		return g.attribute()
	case n < 15:
		return g.paren(g.make(cel.BoolType, depth-1) + " ? " + g.make(t, depth-1) + " : " + g.make(t, depth-1))
	case n < 20:
		if made, ok := g.bound(t, depth); ok {
			return made
		}
	case n < 38:
		if made, ok := g.macro(t, depth); ok {
			return made
		}
	}
	return g.call(t, depth)
}

// call makes a call of a function with a result of the type.
func (g *generator) call(t *types.Type, depth int) string {
	var fit []overload
	for _, o := range g.functions {
		if unify(o.ResultType(), t, map[string]*types.Type{}) && (o.ResultType().Kind() != types.TypeParamKind || g.chance(25)) {
			fit = append(fit, o)
		}
	}
	if len(fit) == 0 {
		return g.leaf(t)
	}
	// Each function is as likely as another, however many overloads it has.
	function := pick(g, fit...).function
	if g.chance(60) {
		names := []string{}
		for _, o := range fit {
			if !slices.Contains(names, o.function) {
				names = append(names, o.function)
			}
		}
		function = pick(g, names...)
	}
	fit = slices.DeleteFunc(fit, func(o overload) bool { return o.function != function })
	o := pick(g, fit...)
	bound := map[string]*types.Type{}
	unify(o.ResultType(), t, bound)
	args := make([]string, len(o.ArgTypes()))
	for i, arg := range o.ArgTypes() {
		args[i] = g.argument(o, i, g.concrete(arg, bound), depth-1)
	}
	return g.render(o, args)
}

// argument makes an argument, of a text that the function can make something of, as a rule.
func (g *generator) argument(o overload, at int, t *types.Type, depth int) string {
	if t.IsExactType(cel.StringType) && g.chance(70) {
		if texts := textsFor(o.function, o.IsMemberFunction(), at); texts != nil {
			return quote(g, pick(g, texts...))
		}
	}
	if o.function == "format" && at == 1 {
		list := []string{}
		for range g.rand.IntN(4) {
			list = append(list, g.make(g.any(), depth-1))
		}
		return "[" + strings.Join(list, ", ") + "]"
	}
	if o.function == "lists.range" || (o.function == "flatten" && at == 1) {
		return pick(g, "0", "1", "2", "3", "15", "-1", "1000", "3000", "1000001")
	}
	return g.make(t, depth)
}

func (g *generator) render(o overload, args []string) string {
	switch o.function {
	case operators.Conditional:
		return g.paren(args[0] + " ? " + args[1] + " : " + args[2])
	case operators.Index:
		return args[0] + "[" + args[1] + "]"
	case operators.OptIndex:
		return args[0] + "[?" + args[1] + "]"
	case operators.OptSelect:
		return args[0] + ".?" + pick(g, "a", "b", "model", "memory")
	case operators.LogicalNot:
		return "!" + args[0]
	case operators.Negate:
		return "-" + args[0]
	case operators.In:
		return g.paren(args[0] + " in " + args[1])
	}
	if text, found := operators.FindReverseBinaryOperator(o.function); found {
		return g.paren(args[0] + " " + text + " " + args[1])
	}
	if o.IsMemberFunction() {
		return args[0] + "." + o.function + "(" + strings.Join(args[1:], ", ") + ")"
	}
	return o.function + "(" + strings.Join(args, ", ") + ")"
}

func (g *generator) paren(text string) string {
	if g.chance(10) {
		return text
	}
	return "(" + text + ")"
}

// within makes an expression in which a variable is known.
func (g *generator) within(make func() string, variables ...variable) string {
	g.scope = append(g.scope, variables...)
	text := make()
	g.scope = g.scope[:len(g.scope)-len(variables)]
	return text
}

func (g *generator) name() string {
	g.names++
	return pick(g, "x", "y", "i", "k", "v") + pick(g, "", "", fmt.Sprint(g.names))
}

func (g *generator) bound(t *types.Type, depth int) (string, bool) {
	v := variable{g.name(), g.any()}
	if g.chance(30) {
		v.kind = t
	}
	if g.chance(25) {
		call := pick(g, "optMap", "optFlatMap")
		if t.Kind() == types.OpaqueKind && t.TypeName() == "optional_type" {
			result := t
			if call == "optMap" {
				result = t.Parameters()[0]
			}
			target := g.make(cel.OptionalType(v.kind), depth-1)
			return target + "." + call + "(" + v.name + ", " + g.within(func() string { return g.make(result, depth-1) }, v) + ")", true
		}
	}
	first := g.make(v.kind, depth-1)
	return "cel.bind(" + v.name + ", " + first + ", " + g.within(func() string { return g.make(t, depth-1) }, v) + ")", true
}

// macro makes a comprehension with a result of the type, if there is one.
func (g *generator) macro(t *types.Type, depth int) (string, bool) {
	element := pick(g, plain...)
	ranged := cel.ListType(element)
	first, second := element, element
	if g.chance(20) {
		ranged = cel.MapType(cel.StringType, element)
		first = cel.StringType
	}
	two := g.chance(30)
	if two && ranged.Kind() == types.ListKind {
		first = cel.IntType
	}
	from := func() string {
		if g.chance(10) {
			first, second = cel.DynType, cel.DynType
			return pick(g, "device.attributes", "device.capacity", g.attribute(), `device.attributes["gpu.example.com"]`)
		}
		return g.make(ranged, depth-1)
	}
	ranges := from()
	one, other := variable{g.name(), first}, variable{g.name() + "2", second}
	variables, names := []variable{one}, one.name
	if two {
		variables, names = []variable{one, other}, one.name+", "+other.name
	}
	body := func(t *types.Type) string { return g.within(func() string { return g.make(t, depth-1) }, variables...) }
	switch {
	case t.Kind() == types.BoolKind:
		if g.chance(15) {
			return "has(" + g.make(cel.MapType(cel.StringType, cel.IntType), depth-1) + "." + pick(g, "a", "b") + ")", true
		}
		call := pick(g, "all", "exists", "exists_one")
		return ranges + "." + call + "(" + names + ", " + body(cel.BoolType) + ")", true
	case t.Kind() == types.ListKind && two:
		filter := ""
		if g.chance(30) {
			filter = body(cel.BoolType) + ", "
		}
		return ranges + ".transformList(" + names + ", " + filter + body(t.Parameters()[0]) + ")", true
	case t.Kind() == types.ListKind:
		switch g.rand.IntN(4) {
		case 0:
			v := variable{g.name(), t.Parameters()[0]}
			return g.make(t, depth-1) + ".filter(" + v.name + ", " + g.within(func() string { return g.make(cel.BoolType, depth-1) }, v) + ")", true
		case 1:
			v := variable{g.name(), t.Parameters()[0]}
			key := pick(g, cel.IntType, cel.StringType, cel.DoubleType, cel.BoolType)
			return g.make(t, depth-1) + ".sortBy(" + v.name + ", " + g.within(func() string { return g.make(key, depth-1) }, v) + ")", true
		case 2:
			return ranges + ".map(" + names + ", " + body(cel.BoolType) + ", " + body(t.Parameters()[0]) + ")", true
		}
		return ranges + ".map(" + names + ", " + body(t.Parameters()[0]) + ")", true
	case t.Kind() == types.MapKind && two:
		if g.chance(40) {
			entry := "{" + body(t.Parameters()[0]) + ": " + body(t.Parameters()[1]) + "}"
			return ranges + ".transformMapEntry(" + names + ", " + entry + ")", true
		}
		return ranges + ".transformMap(" + names + ", " + body(t.Parameters()[1]) + ")", true
	}
	return "", false
}

// concrete replaces type parameters, unknown ones by random types.
func (g *generator) concrete(t *types.Type, bound map[string]*types.Type) *types.Type {
	switch t.Kind() {
	case types.TypeParamKind:
		if bound[t.TypeName()] == nil {
			bound[t.TypeName()] = pick(g, plain...)
		}
		return bound[t.TypeName()]
	case types.ListKind:
		return cel.ListType(g.concrete(t.Parameters()[0], bound))
	case types.MapKind:
		return cel.MapType(g.concrete(t.Parameters()[0], bound), g.concrete(t.Parameters()[1], bound))
	case types.OpaqueKind:
		if t.TypeName() == "optional_type" {
			return cel.OptionalType(g.concrete(t.Parameters()[0], bound))
		}
	}
	return t
}

// unify tells whether a declared type can be the wanted one, and what its parameters are then.
func unify(declared, wanted *types.Type, bound map[string]*types.Type) bool {
	if declared.Kind() == types.TypeParamKind {
		if known := bound[declared.TypeName()]; known != nil {
			return known.IsExactType(wanted)
		}
		bound[declared.TypeName()] = wanted
		return true
	}
	if declared.Kind() != wanted.Kind() || declared.TypeName() != wanted.TypeName() {
		return false
	}
	if declared.Kind() == types.TypeKind {
		return true
	}
	for i, p := range declared.Parameters() {
		if i >= len(wanted.Parameters()) || !unify(p, wanted.Parameters()[i], bound) {
			return false
		}
	}
	return true
}
