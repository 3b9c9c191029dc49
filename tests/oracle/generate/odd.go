package generate

import (
	"maps"
	"slices"
)

// homeless are pods whose node is gone, which hold what others want: ports, volumes, devices, domains, nominations.
func homeless(c *cluster) {
	pick[ingredient](c, podAffinity, spread, ports, since(storage, volumes), since(recent, claims), nominations)(c)
	gone := pick(c, "gone", "gone", "n")
	for _, pod := range c.bound() {
		if c.chance(0.3) {
			spec(pod)["nodeName"] = gone
		}
	}
	if c.chance(0.3) {
		part(c.pod, "status")["nominatedNodeName"] = gone
	}
	if c.chance(0.3) && len(c.nodes) > 1 {
		c.nodes = c.nodes[1:] // with the pods that run there
	}
}

// oddNodes are nodes that say less than they should, or more than can be.
func oddNodes(c *cluster) {
	pick[ingredient](c, requests, taints, podAffinity, spread, nodeAffinity, since(storage, volumes), ladderSteps)(c)
	for _, node := range c.nodes {
		if c.chance(0.4) {
			continue
		}
		status := part(node, "status")
		allocatable := part(status, "allocatable")
		switch c.IntN(13) {
		case 0:
			delete(status, "allocatable")
		case 1:
			status["allocatable"] = obj{}
		case 2:
			delete(node, "status")
		case 3:
			allocatable[pick(c, "cpu", "memory", "pods", "ephemeral-storage")] = pick(c, "-1", "-1Gi", "-100m")
		case 4:
			allocatable["pods"] = pick[any](c, "0", 0, "-1")
		case 5:
			delete(allocatable, pick(c, "cpu", "memory", "pods", "ephemeral-storage"))
		case 6:
			allocatable[pick(c, "cpu", "memory", "example.com/gpu", "hugepages-2Mi")] = "0"
		case 7:
			delete(labels(node), hostname)
		case 8:
			labels(node)[hostname] = pick(c, "", "another", "n00", "n01")
		case 9:
			delete(part(node, "metadata"), "labels")
		case 10:
			delete(labels(node), zone)
			delete(labels(node), region)
		case 11:
			delete(node, "spec")
		case 12:
			part(node, "metadata")["deletionTimestamp"] = "2025-12-31T23:59:50Z"
			part(node, "metadata")["finalizers"] = list{"example.com/wait"}
		}
	}
}

// blanks writes nothing in each of the ways that JSON has: null, [] and {}, where there is nothing, or in the place of something.
func blanks(c *cluster) {
	pick[ingredient](c, nodeAffinity, podAffinity, spread, ports, taints, requests, budgets)(c)
	for range c.IntN(3) {
		pick[ingredient](c, podAffinity, spread, taints, budgets, images, since(storage, volumes), since(recent, claims), nominations)(c)
	}
	unset := func(object obj, names ...string) {
		for _, name := range names {
			if object[name] == nil && c.chance(0.25) {
				object[name] = nil
			}
		}
	}
	empty := func(object obj, blank func() any, names ...string) {
		for _, name := range names {
			if object[name] == nil && c.chance(0.25) {
				object[name] = blank()
			}
		}
	}
	lists, objects := func() any { return list{} }, func() any { return obj{} }
	for _, pod := range c.pods {
		unset(spec(pod), "affinity", "nodeSelector", "tolerations", "volumes", "overhead", "topologySpreadConstraints", "initContainers", "resources", "securityContext")
		empty(spec(pod), objects, "affinity", "nodeSelector", "overhead", "resources")
		empty(spec(pod), lists, "tolerations", "volumes", "topologySpreadConstraints", "initContainers", "schedulingGates", "resourceClaims", "readinessGates")
		unset(part(first(pod), "resources"), "requests", "limits", "claims")
		empty(part(first(pod), "resources"), objects, "requests", "limits")
		unset(first(pod), "ports", "env", "resources")
		unset(part(pod, "metadata"), "annotations", "ownerReferences", "finalizers", "deletionTimestamp", "managedFields")
		unset(part(pod, "status"), "conditions", "nominatedNodeName", "containerStatuses", "startTime")
		if affinity, is := spec(pod)["affinity"].(obj); is {
			unset(affinity, "nodeAffinity", "podAffinity", "podAntiAffinity")
			empty(affinity, objects, "nodeAffinity", "podAffinity", "podAntiAffinity")
			for _, kind := range []string{"nodeAffinity", "podAffinity", "podAntiAffinity"} {
				if of, is := affinity[kind].(obj); is {
					unset(of, "requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution")
					empty(of, lists, "preferredDuringSchedulingIgnoredDuringExecution")
				}
			}
		}
	}
	for _, node := range c.nodes {
		unset(spec(node), "taints", "unschedulable", "providerID")
		empty(spec(node), lists, "taints")
		unset(part(node, "status"), "images", "declaredFeatures", "volumesAttached")
		empty(part(node, "status"), lists, "images", "declaredFeatures")
		unset(part(node, "metadata"), "annotations", "ownerReferences")
	}
	for _, group := range [][]obj{c.nodes, c.pods, c.others} {
		for _, object := range group {
			for _, name := range slices.Sorted(maps.Keys(object)) {
				if name != "metadata" && c.chance(0.5) {
					c.blank(object[name])
				}
			}
		}
	}
}

// needed are fields without which an object is nonsense, or another one, or which the API server sets if they are not there.
var needed = map[string]bool{
	"containers": true, "nodeName": true, "schedulerName": true, "topologyKey": true, "maxSkew": true, "whenUnsatisfiable": true,
	"key": true, "operator": true, "effect": true, "name": true, "weight": true, "values": true, "preference": true, "podAffinityTerm": true,
	"pool": true, "driver": true, "devices": true, "requests": true, "exactly": true, "resources": true, "claimRef": true, "accessModes": true,
	"capacity": true, "nodeSelectorTerms": true, "results": true, "allocation": true, "nodeTopology": true, "required": true, "firstAvailable": true,
	"storage": true, "status": true, "expression": true, "count": true, "allocationMode": true, "type": true, "phase": true, "containerPort": true, "protocol": true, "names": true,
}

// blank takes away parts of a value at random, in the ways that JSON has.
func (c *cluster) blank(value any) {
	switch value := value.(type) {
	case list:
		for _, item := range value {
			c.blank(item)
		}
	case obj:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			inner := value[name]
			if needed[name] || !c.chance(0.02) {
				c.blank(inner)
				continue
			}
			switch inner.(type) {
			case list:
				value[name] = pick[any](c, nil, list{})
			case obj:
				value[name] = pick[any](c, nil, obj{})
			default:
				value[name] = nil
			}
		}
	}
}
