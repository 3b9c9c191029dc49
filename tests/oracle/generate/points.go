package generate

// A plugin with its extension points, and the trouble that it is there for.
type pluginPoints struct {
	name   string
	points []string
	add    ingredient
}

var pluginsByPoint = []pluginPoints{
	{"SchedulingGates", []string{"preEnqueue"}, gates},
	{"DefaultPreemption", []string{"postFilter", "preEnqueue"}, nominations},
	{"NodeUnschedulable", []string{"filter"}, unschedulable},
	{"NodeName", []string{"filter"}, nodeName},
	{"TaintToleration", []string{"filter", "preScore", "score"}, taints},
	{"NodeAffinity", []string{"preFilter", "filter", "preScore", "score"}, nodeAffinity},
	{"NodePorts", []string{"preFilter", "filter"}, ports},
	{"NodeResourcesFit", []string{"preFilter", "filter", "preScore", "score"}, requests},
	{"NodeResourcesBalancedAllocation", []string{"preScore", "score"}, requests},
	{"VolumeRestrictions", []string{"preFilter", "filter"}, volumes},
	{"NodeVolumeLimits", []string{"preFilter", "filter"}, volumes},
	{"VolumeBinding", []string{"preFilter", "filter", "preScore", "score"}, volumes},
	{"VolumeZone", []string{"preFilter", "filter"}, volumes},
	{"PodTopologySpread", []string{"preFilter", "filter", "preScore", "score"}, spread},
	{"InterPodAffinity", []string{"preFilter", "filter", "preScore", "score"}, podAffinity},
	{"ImageLocality", []string{"score"}, images},
	{"NodeDeclaredFeatures", []string{"preFilter", "filter"}, declaredFeatures},
	{"DynamicResources", []string{"preEnqueue", "preFilter", "filter", "postFilter", "score"}, since(recent, claims)},
}

// points disables plugins at some of their extension points, which leaves the others without what those prepare.
func points(c *cluster) {
	profile := obj{"schedulerName": "default-scheduler"}
	disable := func(point, name string) {
		have, _ := part(profile, "plugins", point)["disabled"].(list)
		for _, other := range have {
			if other.(obj)["name"] == name {
				return
			}
		}
		push(part(profile, "plugins", point), "disabled", obj{"name": name})
	}
	for range c.between(1, 2) {
		plugin := pick(c, pluginsByPoint...)
		plugin.add(c)
		disable(pick(c, plugin.points...), plugin.name)
		for _, point := range plugin.points {
			if c.chance(0.25) {
				disable(point, plugin.name)
			}
		}
	}
	if c.chance(0.08) {
		disable(pick(c, "score", "preScore", "preFilter", "postFilter"), "*")
	}
	c.config = obj{"apiVersion": configAPI, "kind": "KubeSchedulerConfiguration", "profiles": list{profile}}
}
