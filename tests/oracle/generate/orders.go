package generate

import "oracle/upstream"

// orders enables the plugins of some extension points in another order, and not all of them, and has the pod meet several of them.
func orders(c *cluster) {
	profile := obj{"schedulerName": "default-scheduler"}
	var known []pluginPoints
	for _, plugin := range pluginsByPoint {
		if plugin.isDefault(c.minor) {
			known = append(known, plugin)
		}
	}
	for range c.between(1, 3) {
		pick(c, known...).add(c)
	}
	c.easy(0.7)
	if c.chance(0.25) {
		c.reorder(part(profile, "plugins", "multiPoint"), append(known, pluginPoints{name: "PrioritySort"}, pluginPoints{name: "DefaultBinder"}), "")
	}
	for _, point := range []string{"preFilter", "filter", "postFilter", "preScore", "score", "preEnqueue", "reserve", "preBind"} {
		odds := 0.4
		if point == "preEnqueue" {
			odds = 0.05
		}
		if c.chance(odds) {
			c.reorder(part(profile, "plugins", point), known, point)
		}
	}
	if profile["plugins"] != nil && len(part(profile, "plugins")) == 0 {
		delete(profile, "plugins")
	}
	c.config = obj{"apiVersion": configAPI, "kind": "KubeSchedulerConfiguration", "profiles": list{profile}}
}

// isDefault says whether the release runs the plugin unless it is told otherwise.
func (p pluginPoints) isDefault(minor int) bool {
	switch p.name {
	case "DynamicResources":
		return minor >= 34
	case "NodeDeclaredFeatures":
		_, on := upstream.Gate("NodeDeclaredFeatures")
		return on
	}
	return true
}

// extends says whether the plugin has something to do at the point; every plugin has at none, which stands for all of them.
func (p pluginPoints) extends(point string, minor int) bool {
	if p.name == "DynamicResources" && point == "score" && minor < 35 {
		return false
	}
	for _, has := range p.points {
		if has == point {
			return true
		}
	}
	return point == ""
}

// reorder enables plugins of a point in any order, in the place of all others or before them.
func (c *cluster) reorder(at obj, known []pluginPoints, point string) {
	var enabled list
	left := pick(c, 0.0, 0.1, 0.4)
	for _, i := range c.Perm(len(known)) {
		plugin := known[i]
		needed := plugin.name == "PrioritySort" || plugin.name == "DefaultBinder"
		if !plugin.extends(point, c.minor) || !needed && c.chance(left) {
			continue
		}
		one := obj{"name": plugin.name}
		if c.chance(0.3) && plugin.extends("score", c.minor) {
			one["weight"] = c.between(1, 20)
		}
		enabled = append(enabled, one)
	}
	if c.chance(0.85) || point == "" {
		at["disabled"] = list{obj{"name": "*"}}
	} else {
		// Those that are named are enabled with what is said here, in this place.
		for _, one := range enabled {
			if c.chance(0.5) {
				push(at, "disabled", obj{"name": one.(obj)["name"]})
			}
		}
	}
	if len(enabled) > 0 {
		at["enabled"] = enabled
	}
}
