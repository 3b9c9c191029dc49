package generate

import (
	"fmt"
)

// gang is a group in a small cluster: enough pods or too few, some of them running, and what keeps a group from a cycle.
func gang(c *cluster) {
	c.small(c.between(1, 6))
	c.workloads(c.chance(0.15))
	priority := pick(c, 0, 10, 100, 100, 1000)
	c.occupy(c.between(0, 90), 0, 0, 10, 50, 200)
	running := pick(c, 0, 0, 0, 1, 2, 3)
	a := c.gather(c.between(1, 6), running, priority, 100, 500, 1000, 1000, 2000, 3000, 4000)
	c.each(a, 0.12, taints, nodeAffinity, apart, together, evenly, gpu, hostPort, unschedulable, podAffinity, spread)
	c.mistakes(a)
	if c.chance(0.1) {
		nominations(c)
	}
}

// mistakes are what makes a group fail before its pods are tried, or never begin.
func (c *cluster) mistakes(a asked) {
	some := pick(c, a.waiting...)
	switch c.IntN(34) {
	case 0:
		for i, other := range c.others {
			if nameOf(other) == nameOf(a.object) {
				c.others = append(c.others[:i], c.others[i+1:]...)
				break
			}
		}
	case 1:
		delete(spec(a.object), "priority")
	case 2:
		spec(some)["priority"] = pick(c, 1, 5, 2000)
	case 3:
		if len(a.running) > 0 {
			spec(pick(c, a.running...))["priority"] = 7
		}
	case 4:
		c.secondProfile()
		spec(some)["schedulerName"] = "another"
	case 5:
		spec(some)["schedulerName"] = "unknown"
	case 6:
		spec(some)["preemptionPolicy"] = "Never"
	case 7:
		c.never(a)
	case 8:
		spec(some)["schedulingGates"] = list{obj{"name": "example.com/wait"}}
	case 9:
		c.terminate(some)
	case 10:
		c.before(a)
	case 11:
		c.nominate(a)
	}
}

// before is what an earlier cycle has written to the group.
func (c *cluster) before(a asked) {
	kind, status, reason := "PodGroupInitiallyScheduled", "True", "Scheduled"
	if c.minor == 36 {
		kind = "PodGroupScheduled"
	}
	if c.chance(0.5) {
		status, reason = "False", pick(c, "Unschedulable", "SchedulerError")
	}
	part(a.object, "metadata")["generation"] = 1
	part(a.object, "status")["conditions"] = list{obj{
		"type": kind, "status": status, "reason": reason, "message": "", "lastTransitionTime": "2025-12-31T00:00:00Z", "observedGeneration": 1,
	}}
}

// never is a group that may not preempt.
func (c *cluster) never(a asked) {
	for _, pod := range append(a.running, a.waiting...) {
		spec(pod)["preemptionPolicy"] = "Never"
	}
	if c.policies {
		spec(a.object)["preemptionPolicy"] = pick(c, "Never", "Never", "PreemptLowerPriority")
	}
}

func (c *cluster) terminate(pod obj) {
	part(pod, "metadata")["deletionTimestamp"] = "2025-12-31T23:59:50Z"
	part(pod, "metadata")["deletionGracePeriodSeconds"] = 30
}

// nominate promises nodes to members, as an earlier preemption does.
func (c *cluster) nominate(a asked) {
	for _, pod := range a.waiting {
		if c.chance(0.7) {
			part(pod, "status")["nominatedNodeName"] = nameOf(pick(c, c.nodes...))
		}
	}
}

// leaving are victims of an earlier preemption that have not ended yet.
func (c *cluster) leaving(odds float64) {
	for _, pod := range c.bound() {
		if c.chance(odds) {
			c.terminate(pod)
			push(part(pod, "status"), "conditions", obj{
				"type": "DisruptionTarget", "status": pick(c, "True", "True", "True", "False"), "reason": pick(c, "PreemptionByScheduler", "PreemptionByScheduler", "EvictionByEvictionAPI"),
				"message": "x", "lastTransitionTime": "2025-12-31T23:59:00Z",
			})
		}
	}
}

// secondProfile is a scheduler that answers to two names.
func (c *cluster) secondProfile() {
	c.config = obj{"apiVersion": configAPI, "kind": "KubeSchedulerConfiguration", "profiles": list{obj{"schedulerName": "default-scheduler"}, obj{"schedulerName": "another"}}}
}

// bands makes groups of running pods: of other priorities than their pods, disrupted pod by pod or as a whole.
func (c *cluster) bands(most int) {
	bound := c.bound()
	c.Shuffle(len(bound), func(i, j int) { bound[i], bound[j] = bound[j], bound[i] })
	for i := range c.between(1, most) {
		size := min(c.between(1, 4), len(bound))
		name, namespace := fmt.Sprintf("band%d", i), pick(c, "default", "default", "green")
		var priority any = pick(c, 0, 0, 10, 50, 150, 5000)
		if c.chance(0.1) {
			priority = nil
		}
		taken := 0
		for _, pod := range bound[:size] {
			if spec(pod)["schedulingGroup"] != nil {
				continue
			}
			part(pod, "metadata")["namespace"] = namespace
			join(pod, name)
			taken++
			if c.chance(0.6) && priority != nil {
				spec(pod)["priority"] = priority
			}
		}
		bound = bound[size:]
		if taken > 0 && !c.chance(0.05) { // sometimes the group's object is gone
			c.podGroup(namespace, name, pick(c, 0, 1, size), priority, c.chance(0.65))
		}
	}
}

// gangPreempts is a group that needs the room of others.
func gangPreempts(c *cluster) {
	c.small(c.between(1, 5))
	c.workloads(c.chance(0.1))
	priority := pick(c, 100, 100, 100, 1000, 10)
	c.occupy(c.between(90, 120), -10, 0, 0, 0, 10, 10, 50, 50, 99, 99, 100, 150)
	if c.chance(0.6) {
		c.bands(3)
	}
	a := c.gather(c.between(1, 4), pick(c, 0, 0, 0, 1, 2), priority, 500, 1000, 1000, 1500, 2000, 2000)
	if c.chance(0.6) {
		budgets(c)
		for _, other := range c.others {
			if other["kind"] == "PodDisruptionBudget" {
				part(other, "status")["disruptionsAllowed"] = pick(c, 0, 0, 1, 2)
			}
		}
	}
	c.each(a, 0.07, taints, nodeAffinity, apart, together, evenly, gpu, hostPort, podAffinity, spread)
	if c.chance(0.2) {
		c.nominate(a)
		c.leaving(0.3)
	} else if c.chance(0.1) {
		c.leaving(0.3)
	}
	switch c.IntN(20) {
	case 0:
		c.never(a)
	case 1:
		c.mistakes(a)
	case 2:
		nominations(c)
	case 3:
		spec(pick(c, c.bound()...))["nodeName"] = "gone"
	}
}

// gangTopology is a group that has to be in one domain.
func gangTopology(c *cluster) {
	key, domains := pick(c, zone, zone, "rack"), c.between(2, 3)
	if c.chance(0.45) {
		c.full(key, domains)
	} else {
		c.small(c.between(2, 6))
		for i, node := range c.nodes {
			labels(node)[key] = fmt.Sprintf("d%d", (i+c.IntN(2))%domains)
			if c.chance(0.07) {
				delete(labels(node), key)
			}
		}
		c.occupy(c.between(60, 120), 0, 0, 0, 10, 10, 50, 50, 200)
	}
	c.workloads(true)
	priority := pick(c, 10, 100, 1000)
	if c.chance(0.3) {
		c.bands(2)
	}
	a := c.gather(c.between(1, 5), pick(c, 0, 0, 0, 1, 2), priority, 250, 500, 1000, 1000, 2000, 3000)
	if !c.chance(0.1) {
		spec(a.object)["schedulingConstraints"] = obj{"topology": list{obj{"key": pick(c, key, key, key, key, key, key, key, key, key, key, hostname, "nowhere")}}}
	}
	home := pick(c, c.nodes...)
	for _, pod := range a.running {
		if c.chance(0.9) {
			spec(pod)["nodeName"] = nameOf(home)
		}
	}
	if c.chance(0.3) {
		budgets(c)
	}
	c.each(a, 0.07, taints, nodeAffinity, apart, together, evenly, gpu, hostPort)
	if c.chance(0.1) {
		c.nominate(a)
		c.leaving(0.2)
	}
	if c.chance(0.1) {
		c.mistakes(a)
	}
}

// gangMixed is a group whose pods want devices, volumes and much else, and whose scheduler may be configured.
func gangMixed(c *cluster) {
	c.small(c.between(1, 5))
	c.workloads(c.chance(0.2))
	c.occupy(c.between(30, 110), 0, 0, 0, 10, 10, 50, 200)
	if c.chance(0.3) {
		c.bands(2)
	}
	a := c.gather(c.between(1, 4), pick(c, 0, 0, 0, 1), pick(c, 10, 100, 1000), 250, 500, 1000, 1000, 2000)
	if c.chance(0.35) {
		pools := c.offer()
		for _, pod := range a.waiting {
			if c.chance(0.8) {
				c.pod = pod
				c.wanted("want-"+nameOf(pod), pools)
			}
		}
		c.pod = a.waiting[0]
	}
	c.each(a, 0.15, volumes, images, requests, services, taints, nodeAffinity)
	for _, add := range []ingredient{budgets, nominations, declaredFeatures} {
		if c.chance(0.15) {
			add(c)
		}
	}
	if c.chance(0.3) {
		configuration(c)
	}
}

// full makes domains that refuse a group in the same words, as any of them may be looked at first: nodes alike that have no room.
func (c *cluster) full(key string, domains int) {
	c.small(domains * c.between(1, 2))
	for i, node := range c.nodes {
		labels(node)[key] = fmt.Sprintf("d%d", i%domains)
		for _, field := range []string{"capacity", "allocatable"} {
			part(node, "status")[field] = obj{"cpu": "4", "memory": "16Gi", "pods": "110", "ephemeral-storage": "100Gi"}
		}
		for range 4 {
			spec(c.running(node, 1000))["priority"] = pick(c, 0, 0, 5, 5, 50, 200, 2000)
		}
	}
}

// units is a single pod whose victims are groups.
func units(c *cluster) {
	c.small(c.between(2, 6))
	trees := c.minor >= 37 && c.chance(0.4)
	c.workloads(trees)
	c.occupy(c.between(95, 125), 0, 0, 0, 10, 10, 50, 99, 100, 150)
	c.bands(4)
	if trees {
		c.gates["CompositePodGroup"] = true
		c.runTrees()
	}
	c.pending()
	delete(spec(c.pod), "preemptionPolicy")
	spec(c.pod)["priority"] = pick(c, 100, 100, 100, 1000, 10)
	part(first(c.pod), "resources", "requests")["cpu"] = c.milliCPU(pick(c, 500, 1000, 2000, 2000, 3000, 4000))
	for _, add := range []ingredient{budgets, nominations, podAffinity, spread, taints} {
		if c.chance(0.25) {
			add(c)
		}
	}
}

// gangBatch is a group whose pods share scores: the profile does not spread them.
func gangBatch(c *cluster) {
	pick(c, gang, gangPreempts)(c)
	if c.config != nil {
		return
	}
	profile := obj{"schedulerName": "default-scheduler"}
	if c.chance(0.5) {
		push(part(profile, "plugins", "multiPoint"), "disabled", obj{"name": "PodTopologySpread"})
	} else {
		args := obj{"apiVersion": configAPI, "kind": "PodTopologySpreadArgs", "defaultingType": "List"}
		push(profile, "pluginConfig", obj{"name": "PodTopologySpread", "args": args})
	}
	c.config = obj{"apiVersion": configAPI, "kind": "KubeSchedulerConfiguration", "profiles": list{profile}}
}
