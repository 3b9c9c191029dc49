package main

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"sort"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	frameworkplugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins"
)

// stranger is the name of a plugin that is not the scheduler's own.
const stranger = "Mine"

// generator makes configurations from the documented types: every field of the release that is linked, whatever it is
// called, with values that the scheduler accepts in most cases, and then changes some of them.
type generator struct{ *rand.Rand }

// changed is one configuration.
func changed(seed, index uint64) string {
	g := generator{rand.New(rand.NewPCG(seed, index))}
	root := g.configuration()
	changes := g.pick(0, 1, 1, 1, 1, 1, 2, 3).(int)
	for range changes {
		g.change(root)
	}
	// Of several values of wrong types the decoder tells the first.
	sorted(root)
	return text(root)
}

func (g generator) chance(percent int) bool { return g.IntN(100) < percent }

func (g generator) pick(values ...any) any { return values[g.IntN(len(values))] }

func (g generator) configuration() *object {
	root := &object{}
	root.set("apiVersion", configv1.SchemeGroupVersion.String())
	root.set("kind", "KubeSchedulerConfiguration")
	g.fill(root, reflect.TypeFor[configv1.KubeSchedulerConfiguration](), 40)
	return root
}

// fill gives an object each field of a type with such a chance.
func (g generator) fill(made *object, of reflect.Type, percent int) {
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Type == reflect.TypeFor[metav1.TypeMeta]() {
			continue
		}
		if field.Anonymous && name == "" {
			g.fill(made, field.Type, percent)
			continue
		}
		if g.chance(percent) {
			made.set(name, g.value(field.Type, of.Name(), name))
		}
	}
}

func (g generator) value(of reflect.Type, owner, name string) any {
	switch of {
	case reflect.TypeFor[configv1.PluginSet]():
		return g.pluginSet(name)
	case reflect.TypeFor[configv1.PluginConfig]():
		return g.pluginConfig()
	}
	if made, known := g.known(owner, name); known {
		return made
	}
	switch of.Kind() {
	case reflect.Pointer:
		return g.value(of.Elem(), owner, name)
	case reflect.Struct:
		made := &object{}
		g.fill(made, of, 75)
		return made
	case reflect.Slice:
		if of.Elem().Kind() == reflect.Uint8 {
			return ""
		}
		made := &list{}
		for range g.pick(0, 1, 1, 1, 2).(int) {
			made.items = append(made.items, g.value(of.Elem(), owner, name))
		}
		return made
	case reflect.Map:
		return &object{}
	case reflect.Bool:
		return g.chance(50)
	case reflect.String:
		return g.pick("a", "", "example.com/a")
	case reflect.Float32, reflect.Float64:
		return g.pick(0.5, 50)
	default:
		return g.pick(0, 1, 2)
	}
}

// known is a value for a field whose type does not say what it may hold.
func (g generator) known(owner, name string) (any, bool) {
	switch owner + "." + name {
	case "KubeSchedulerConfiguration.percentageOfNodesToScore", "KubeSchedulerProfile.percentageOfNodesToScore":
		return g.pick(0, 5, 70, 100), true
	case "KubeSchedulerConfiguration.parallelism":
		return g.pick(1, 16), true
	case "KubeSchedulerConfiguration.podInitialBackoffSeconds":
		return g.pick(1, 2), true
	case "KubeSchedulerConfiguration.podMaxBackoffSeconds":
		return g.pick(2, 10), true
	case "KubeSchedulerProfile.schedulerName":
		return g.pick("default-scheduler", "b", "c", "d"), true
	case "LeaderElectionConfiguration.leaseDuration":
		return g.pick("15s", "1m", "0s"), true
	case "LeaderElectionConfiguration.renewDeadline":
		return g.pick("10s", "14s", "0s"), true
	case "LeaderElectionConfiguration.retryPeriod":
		return g.pick("2s", "0s"), true
	case "LeaderElectionConfiguration.resourceLock":
		return g.pick("leases", ""), true
	case "ClientConnectionConfiguration.contentType", "ClientConnectionConfiguration.acceptContentTypes":
		return g.pick("application/vnd.kubernetes.protobuf", "application/json", ""), true
	case "Extender.urlPrefix":
		return g.pick("http://127.0.0.1:1/x", "https://example.com", ""), true
	case "Extender.httpTimeout":
		return g.pick("5s", "100ms", "0s", "-1s"), true
	case "Extender.weight":
		return g.pick(1, 5), true
	case "Extender.bindVerb":
		return g.pick("", "", "bind"), true
	case "ExtenderManagedResource.name":
		return g.pick("example.com/a", "example.com/b", "example.com/c"), true
	case "ExtenderTLSConfig.certFile", "ExtenderTLSConfig.keyFile", "ExtenderTLSConfig.caFile":
		// Files are those of the scheduler's machine.
		return "", true
	case "ExtenderTLSConfig.insecure":
		return g.chance(20), true
	case "DynamicResourcesArgs.filterTimeout", "DynamicResourcesArgs.bindingTimeout":
		return g.pick("10s", "1s", "600s"), true
	case "DefaultPreemptionArgs.minCandidateNodesPercentage", "DefaultPreemptionArgs.minCandidateNodesAbsolute":
		return g.pick(0, 10, 100), true
	case "NodeResourcesFitArgs.ignoredResourceGroups":
		return &list{[]any{g.pick("example.com", "a")}}, true
	case "NodeResourcesFitArgs.ignoredResources":
		return &list{[]any{g.pick("example.com/a", "cpu")}}, true
	case "ScoringStrategy.type":
		return g.pick("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"), true
	case "ScoringStrategy.requestedToCapacityRatio":
		return map[bool]any{true: nil, false: g.ratio()}[g.chance(50)], true
	case "RequestedToCapacityRatioParam.shape", "VolumeBindingArgs.shape":
		return g.shape(), true
	case "ResourceSpec.name":
		return g.pick("cpu", "memory", "example.com/a"), true
	case "ResourceSpec.weight":
		return g.pick(1, 1, 0, 3), true
	case "VolumeBindingArgs.bindTimeoutSeconds":
		return g.pick(0, 600), true
	case "PodTopologySpreadArgs.defaultingType":
		return g.pick("List", "List", "System", ""), true
	case "TopologySpreadConstraint.maxSkew":
		return g.pick(1, 5), true
	case "TopologySpreadConstraint.topologyKey":
		return g.pick("zone", "topology.kubernetes.io/zone", "kubernetes.io/hostname"), true
	case "TopologySpreadConstraint.whenUnsatisfiable":
		return g.pick("DoNotSchedule", "ScheduleAnyway"), true
	case "TopologySpreadConstraint.nodeAffinityPolicy", "TopologySpreadConstraint.nodeTaintsPolicy":
		return g.pick("Honor", "Ignore"), true
	case "TopologySpreadConstraint.labelSelector":
		return map[bool]any{true: nil, false: &object{}}[g.chance(90)], true
	case "NodeSelectorTerm.matchExpressions":
		return g.requirements(), true
	case "NodeSelectorTerm.matchFields":
		name := g.pick("metadata.name", "metadata.name", "a")
		return &list{[]any{g.requirement(name, g.pick("In", "NotIn").(string), "node-1")}}, true
	case "PreferredSchedulingTerm.weight":
		return g.pick(1, 100, 0), true
	}
	return nil, false
}

func (g generator) ratio() any {
	made := &object{}
	made.set("shape", g.shape())
	return made
}

func (g generator) shape() any {
	made := &list{}
	for _, utilization := range g.pick([]int{0, 100}, []int{0, 50, 100}, []int{10}).([]int) {
		point := &object{}
		point.set("utilization", utilization)
		point.set("score", g.pick(0, 5, 10))
		made.items = append(made.items, point)
	}
	return made
}

func (g generator) requirement(key any, operator string, values ...any) any {
	made := &object{}
	made.set("key", key)
	made.set("operator", operator)
	if len(values) > 0 || g.chance(30) {
		made.set("values", &list{values})
	}
	return made
}

func (g generator) requirements() any {
	made := &list{}
	for range g.pick(1, 1, 2).(int) {
		key := g.pick("zone", "example.com/a")
		made.items = append(made.items, g.pick(
			g.requirement(key, "In", "a", "b"),
			g.requirement(key, "NotIn", "a"),
			g.requirement(key, "Exists"),
			g.requirement(key, "DoesNotExist"),
			g.requirement(key, "Gt", "5"),
			g.requirement(key, "Lt", "-1"),
		))
	}
	return made
}

// inTree are the plugins of the release, in the order of their names.
var inTree = func() []string {
	var names []string
	for name := range frameworkplugins.NewInTreeRegistry() {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}()

// gone are plugins that other releases or versions of the configuration have or had.
var gone = []string{
	"EBSLimits", "GCEPDLimits", "AzureDiskLimits", "CinderLimits", "SelectorSpread", "NodeLabel", "NodeDeclaredFeatures",
	"GangScheduling", "TopologyPlacementGenerator", "PodGroupPodsCount", "DeferredPodScheduling", "NodePreferAvoidPods",
}

// likely are plugins that have a point in every release.
var likely = map[string][]string{
	"preEnqueue": {"SchedulingGates"},
	"queueSort":  {"PrioritySort"},
	"preFilter":  {"NodeAffinity", "NodePorts", "NodeResourcesFit", "VolumeRestrictions", "InterPodAffinity", "PodTopologySpread"},
	"filter":     {"NodeName", "NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodeResourcesFit", "VolumeZone"},
	"postFilter": {"DefaultPreemption"},
	"preScore":   {"TaintToleration", "NodeAffinity", "InterPodAffinity", "NodeResourcesBalancedAllocation"},
	"score":      {"TaintToleration", "NodeAffinity", "ImageLocality", "NodeResourcesFit", "VolumeBinding"},
	"reserve":    {"VolumeBinding"},
	"preBind":    {"VolumeBinding"},
	"bind":       {"DefaultBinder"},
}

// Of a stranger it is not known whether it has these.
var ownAlone = map[string]bool{"queueSort": true, "bind": true}

func (g generator) plugin(point string) string {
	if names := likely[point]; len(names) > 0 && g.chance(70) {
		return names[g.IntN(len(names))]
	}
	if g.chance(10) && !ownAlone[point] && (likely[point] != nil || point == "multiPoint" || point == "permit") {
		return stranger
	}
	if point == "multiPoint" || g.chance(50) {
		return inTree[g.IntN(len(inTree))]
	}
	return gone[g.IntN(len(gone))]
}

func (g generator) pluginSet(point string) any {
	made := &object{}
	if g.chance(60) && (likely[point] != nil || point == "multiPoint" || g.chance(10)) {
		enabled := &list{}
		for range g.pick(1, 1, 1, 2).(int) {
			plugin := &object{}
			plugin.set("name", g.plugin(point))
			if g.chance(40) {
				plugin.set("weight", g.pick(0, 1, 5, 100))
			}
			enabled.items = append(enabled.items, plugin)
		}
		made.set("enabled", enabled)
	}
	if g.chance(40) {
		disabled := &list{}
		for range g.pick(1, 1, 2).(int) {
			plugin := &object{}
			name := any(g.plugin(point))
			if g.chance(20) {
				name = "*"
			}
			plugin.set("name", name)
			disabled.items = append(disabled.items, plugin)
		}
		made.set("disabled", disabled)
	}
	return made
}

// argsTypes are the types of the arguments of plugins, by the plugins' names.
var argsTypes = func() map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for kind, of := range scheme.Scheme.KnownTypes(configv1.SchemeGroupVersion) {
		if plugin, isArgs := strings.CutSuffix(kind, "Args"); isArgs {
			types[plugin] = of
		}
	}
	return types
}()

// configurable are the plugins with arguments, in the order of their names.
var configurable = func() []string {
	var names []string
	for name := range argsTypes {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}()

func (g generator) pluginConfig() any {
	made := &object{}
	name := configurable[g.IntN(len(configurable))]
	if g.chance(10) {
		name = g.pick(stranger, "ImageLocality", "PrioritySort", gone[g.IntN(len(gone))]).(string)
	}
	made.set("name", name)
	if g.chance(5) {
		return made
	}
	of, isKnown := argsTypes[name]
	if !isKnown {
		// A field that stands twice in what nothing decodes is an error in YAML, and none in JSON.
		made.set("args", g.wrong())
		return made
	}
	args := &object{}
	if g.chance(30) {
		args.set("apiVersion", configv1.SchemeGroupVersion.String())
		args.set("kind", name+"Args")
	}
	g.fill(args, of, 75)
	made.set("args", args)
	return made
}

// change changes one value.
func (g generator) change(root *object) {
	all := places(root)
	at := all[g.IntN(len(all))]
	// Most of what there is to change stands at the top, or is a name.
	if g.chance(5) {
		root.set(g.pick("unknown", "Profiles", "plugins", "algorithmSource", "healthzBindAddress").(string), g.wrong())
		return
	}
	value := at.value()
	switch g.IntN(9) {
	case 0:
		at.remove()
	case 1:
		at.set(nil)
	case 2, 3:
		at.set(g.wrong())
	case 4:
		at.set(empty(value))
	case 5:
		at.set(g.number(value))
	case 6:
		at.double()
	case 7:
		if within, isObject := value.(*object); isObject {
			within.set(g.pick("unknown", "Name", "weight", "kind", "apiVersion").(string), g.wrong())
		} else {
			at.set(g.other(value))
		}
	default:
		at.set(g.other(value))
	}
}

// wrong is a value of any type.
func (g generator) wrong() any {
	one := &object{}
	one.set("a", 1)
	name := &object{}
	name.set("name", "a")
	return g.pick("a", "", "5", 0, 1, 1.5, true, false, nil, &list{}, &object{}, one, &list{[]any{"a"}}, &list{[]any{1}},
		&list{[]any{nil}}, &list{[]any{name}})
}

// empty is an empty value of the same type.
func empty(value any) any {
	switch value.(type) {
	case *object:
		return &object{}
	case *list:
		return &list{}
	case string:
		return ""
	case bool:
		return false
	}
	return 0
}

// number is a number that is too small or too large for something; other values stay what they are.
func (g generator) number(value any) any {
	switch value.(type) {
	case int, float64:
		return g.pick(-1, -100, 101, 1<<31-1, 1<<31, -1<<31, -1<<31-1, json.Number("9223372036854775807"),
			json.Number("9223372036854775808"), json.Number("-9223372036854775808"), json.Number("1e3"),
			json.Number("1.0"), json.Number("1e40"), json.Number("-0"), 11, 1000)
	}
	return g.other(value)
}

// other is another value of the same type.
func (g generator) other(value any) any {
	switch value.(type) {
	case string:
		return g.pick("0s", "-1s", "1h", "5", "1m30s", "1.5h", " 5s", "5 s", "1ns", "999ms", "a b", "a/b/c", "/a", "a/",
			"-a", "a_", "é", strings.Repeat("a", 64), strings.Repeat("a", 254)+"/a", "kubernetes.io/a", "requests.a/b",
			"In", "Exists", "Gt", "leases", "endpoints", "endpointsleases", "application/xml", "application/json,a",
			"List", "System", "DoNotSchedule", "*", "Mine", "PrioritySort", "DefaultBinder", "EBSLimits", "CinderLimits",
			"v1", "kubescheduler.config.k8s.io/v1beta3", "kubescheduler.config.k8s.io/v1", "Policy", "NodeAffinityArgs",
			"DefaultPreemption", "NodeResourcesFit", "VolumeBinding", "DynamicResources", "PodTopologySpread", "b", "MTIz",
			"not base64!", "http://user:pass@example.com/x")
	case bool:
		return !value.(bool)
	case *list:
		grown := copied(value).(*list)
		grown.items = append(grown.items, g.wrong())
		return grown
	case *object:
		return g.wrong()
	}
	return g.pick(0, 1, 2, 10, 100)
}
