package generate

import (
	"fmt"
	"strings"
)

// emptyValues gives labels the empty value, or takes them away, on nodes, pods and in what selects them.
func emptyValues(c *cluster) {
	c.easy(0.5)
	keys := []string{zone, region, hostname, "disk", "arch"}
	if c.minor < recent {
		keys = append(keys, "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region")
	}
	for _, node := range c.nodes {
		for _, key := range keys {
			switch {
			case c.chance(0.2):
				labels(node)[key] = ""
			case c.chance(0.15):
				delete(labels(node), key)
			}
		}
	}
	for _, pod := range append(c.bound(), c.pod) {
		if c.chance(0.3) {
			labels(pod)[pick(c, "app", "tier", "pod-template-hash")] = ""
		}
	}
	for range c.between(1, 2) {
		switch c.IntN(6) {
		case 0:
			part(spec(c.pod), "nodeSelector")[pick(c, "disk", "arch", zone)] = ""
		case 1:
			c.require(obj{"matchExpressions": list{obj{"key": pick(c, "disk", zone), "operator": pick(c, "In", "NotIn"), "values": list{"", "ssd"}}}})
		case 2:
			spread(c)
		case 3:
			podAffinity(c)
		case 4:
			key := pick(c, zone, "disk", region)
			constraint := obj{
				"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule",
				"labelSelector": obj{"matchLabels": obj{pick(c, "app", "tier"): ""}},
			}
			if c.unlike(constraint) {
				push(spec(c.pod), "topologySpreadConstraints", constraint)
			}
		case 5:
			kind := pick(c, "podAffinity", "podAntiAffinity")
			push(part(spec(c.pod), "affinity", kind), "requiredDuringSchedulingIgnoredDuringExecution",
				obj{"labelSelector": obj{"matchExpressions": list{obj{"key": pick(c, "app", "tier"), "operator": pick(c, "In", "NotIn"), "values": list{""}}}}, "topologyKey": pick(c, zone, "disk", hostname)})
		}
	}
	if c.minor < recent && c.chance(0.5) {
		services(c)
	}
}

// spellings writes amounts in every way that the API takes, up to more than fits into 64 bits.
func spellings(c *cluster) {
	huge := c.chance(0.1)
	amounts := map[string][]string{
		"cpu":                    {"0.5", "5e-1", "500m", "1e0", "0.0001", "100u", "1500000n", "1.0005", "0.1", ".25", "2.", "+1", "1k"},
		"memory":                 {"0.5Gi", "1e3", "100m", "1.5Ki", "1e9", "1E", "0.1Mi", "1000000000000m", "12e6", "1.0000000001Gi", "3Mi"},
		"ephemeral-storage":      {"0.5Gi", "1e9", "100m", "1.5G", "1e3"},
		"example.com/gpu":        {"1e0", "1000m", "2", "0.2e1"},
		"pods":                   {"1e1", "6", "0.2e2", "110000m"},
		"hugepages-2Mi":          {"0.0625Gi", "64Mi", "67108864"},
		"node memory":            {"8.5Gi", "1e10", "8e9", "16000000000000m", "1Ti"},
		"node cpu":               {"4e0", "2.5", "4000000u", "3.9999", "1e1"},
		"huge":                   {"9223372036854775807", "9223372036854775808", "1e19", "8Ei", "16Ei", "20E", "9.3E", "1e30"},
		"huge cpu":               {"9223372036854775", "9223372036854776", "9223372036854775807", "1e16", "1E", "1e19"},
		"node ephemeral-storage": {"50.5Gi", "1e11", "100000000000000m"},
		"node example.com/gpu":   {"4", "2e0", "4000m"},
		"node hugepages-2Mi":     {"0.125Gi", "134217728"},
	}
	for _, node := range c.nodes {
		for _, name := range []string{"cpu", "memory", "ephemeral-storage", "pods", "example.com/gpu", "hugepages-2Mi"} {
			if !c.chance(0.4) {
				continue
			}
			from := amounts["node "+name]
			if from == nil {
				from = amounts[name]
			}
			if name == "memory" && huge && c.chance(0.3) {
				from = amounts["huge"]
			}
			if name == "cpu" && huge && c.chance(0.3) {
				from = amounts["huge cpu"]
			}
			amount := pick(c, from...)
			part(node, "status", "capacity")[name] = amount
			part(node, "status", "allocatable")[name] = amount
		}
	}
	want := func(pod obj, odds float64) {
		requests := part(first(pod), "resources", "requests")
		for _, name := range []string{"cpu", "memory", "ephemeral-storage", "example.com/gpu", "hugepages-2Mi"} {
			if !c.chance(odds) {
				continue
			}
			from := amounts[name]
			if name == "memory" && huge && c.chance(0.3) {
				from = amounts["huge"]
			}
			if name == "cpu" && huge && c.chance(0.3) {
				from = amounts["huge cpu"]
			}
			requests[name] = pick(c, from...)
			if strings.Contains(name, "/") || strings.HasPrefix(name, "hugepages") {
				part(first(pod), "resources", "limits")[name] = requests[name]
			}
		}
		if requests["hugepages-2Mi"] != nil && requests["cpu"] == nil && requests["memory"] == nil {
			requests["cpu"] = "0.5"
		}
	}
	for _, pod := range c.bound() {
		want(pod, 0.3)
		if c.chance(0.2) {
			side := c.container(pod, "containers", "img:1", obj{"requests": obj{"cpu": pick(c, amounts["cpu"]...), "memory": pick(c, amounts["memory"]...)}})
			side["name"] = "side"
		}
	}
	want(c.pod, 0.5)
	if c.chance(0.5) {
		c.container(c.pod, "containers", "img:1", obj{"requests": obj{"cpu": pick(c, "0.0001", "0.0004", "0.0015", "333333u"), "memory": pick(c, amounts["memory"]...)}})
	}
}

// invalidTerms are terms of node affinity that the API server takes and the scheduler cannot parse, several at a time.
func invalidTerms(c *cluster) {
	c.easy(0.7)
	expression := func(preferred bool) obj {
		kind := c.IntN(5)
		if !preferred {
			kind *= 2 // the API server looks at the values of what is required
		}
		switch kind {
		case 0:
			return obj{"key": pick(c, "gen", "disk"), "operator": pick(c, "Gt", "Lt"), "values": list{pick(c, "x", "1.5", "", "9223372036854775808", "z")}}
		case 1, 3:
			values := list{}
			for range c.between(1, 3) {
				values = append(values, pick(c, "a b", "-x", strings.Repeat("y", 64), "ssd", "", "x_", "ä"))
			}
			return obj{"key": pick(c, "disk", zone), "operator": pick(c, "In", "NotIn"), "values": values}
		}
		return c.nodeExpression()
	}
	term := func(preferred bool) obj {
		made := obj{}
		for range c.between(1, 3) {
			push(made, "matchExpressions", expression(preferred))
		}
		return made
	}
	if c.chance(0.7) {
		for range c.between(1, 3) {
			c.require(term(false))
		}
	}
	if c.chance(0.6) {
		for range c.between(1, 3) {
			push(part(spec(c.pod), "affinity", "nodeAffinity"), "preferredDuringSchedulingIgnoredDuringExecution", obj{"weight": c.between(1, 100), "preference": term(true)})
		}
	}
}

// many is a cluster of so many nodes that the scheduler may look at some of them only.
func many(c *cluster) {
	c.nodes, c.pods = nil, nil
	zones, full := c.between(1, 6), c.chance(0.4)
	count := pick(c, c.between(50, 99), c.between(100, 150), c.between(151, 400))
	if c.minor < storage {
		count = min(count, 99) // older ones are not asked what they choose from a sample
	}
	for i := range count {
		c.addNode(fmt.Sprintf("n%03d", i))
		node := c.nodes[i]
		labels(node)[zone] = fmt.Sprintf("z%d", c.IntN(zones))
		if full {
			c.running(node, milli(node)-pick(c, 0, 100, 400))
		} else if c.chance(0.6) {
			c.running(node, pick(c, 500, 1000, 2000, 4000))
		}
	}
	c.pods = append(c.pods, c.pod)
	part(first(c.pod), "resources", "requests")["cpu"] = pick(c, "50m", "500m", "1", "2", "4")
	spec(c.pod)["priority"] = pick(c, 0, 100, 1000)
}
