package generate

import "fmt"

// ladderSteps makes nodes whose victims differ late in the tie-break: equal counts of violations, equal priorities, and
// so on down to the number of victims and their starts.
func ladderSteps(c *cluster) {
	c.nodes, c.pods = nil, nil
	for i := range c.between(2, 8) {
		c.addNode(fmt.Sprintf("n%02d", i))
		node := c.nodes[i]
		for _, field := range []string{"allocatable", "capacity"} {
			part(node, "status", field)["cpu"] = "4"
			part(node, "status", field)["pods"] = "110"
		}
	}
	depth := c.IntN(5)
	common := c.start()
	for _, node := range c.nodes {
		switch {
		case depth == 3:
			c.fewest(node)
			continue
		case depth == 4:
			for range 4 {
				pod := c.running(node, 1000)
				spec(pod)["priority"] = 10
				part(pod, "status")["startTime"] = pick(c, common, c.start())
			}
			continue
		}
		size := pick(c, 1000, 1000, 2000)
		for range 4000 / size {
			pod := c.running(node, size)
			spec(pod)["priority"] = pick(c, 0, 10, 10, 50)
			if depth == 2 {
				spec(pod)["priority"] = 10
			}
			if c.chance(0.5) {
				part(pod, "status")["startTime"] = common
			}
		}
	}
	request := pick(c, 1000, 2000, 2000, 3000, 4000)
	part(first(c.pod), "resources", "requests")["cpu"] = fmt.Sprintf("%dm", request)
	spec(c.pod)["priority"] = 100
	if c.chance(0.95) {
		delete(spec(c.pod), "preemptionPolicy")
	}
	c.pods = append(c.pods, c.pod)
}

// fewest makes victims whose number alone tells the nodes apart: the scheduler adds 2^31 to every priority before it sums
// them, so pods of the lowest priority there is add nothing, however many they are.
func (c *cluster) fewest(node obj) {
	size := pick(c, 1000, 2000, 4000)
	for range 4000 / size {
		pod := c.running(node, size)
		spec(pod)["priority"] = -2147483648
		part(pod, "status")["startTime"] = c.start()
	}
}

// budgets protects some pods: exhausted, overlapping and generous budgets, and some that select nothing.
func budgets(c *cluster) {
	for i := range c.between(1, 4) {
		selector := c.selector()
		budget := c.other("policy/v1", "PodDisruptionBudget", pick(c, "default", "default", "blue"), fmt.Sprintf("b%d-%d", i, c.uids), obj{"selector": selector, "minAvailable": 1})
		if c.chance(0.04) {
			delete(spec(budget), "selector")
		}
		allowed := pick(c, 0, 0, 0, 1, 1, 2, 5)
		status := obj{"disruptionsAllowed": allowed, "currentHealthy": 3, "desiredHealthy": 1, "expectedPods": 3, "observedGeneration": 1}
		for _, pod := range c.bound() {
			if c.chance(0.08) && namespaceOf(pod) == namespaceOf(budget) {
				part(status, "disruptedPods")[nameOf(pod)] = "2025-12-31T23:59:00Z"
			}
		}
		budget["status"] = status
	}
}

// nominations are other pods that were promised a node, the pod's own promise, and victims on their way out.
func nominations(c *cluster) {
	for i := range c.IntN(3) {
		other := c.newPod(pick(c, "default", "blue"), fmt.Sprintf("waiting%d", i))
		part(first(other), "resources", "requests")["cpu"] = c.milliCPU(pick(c, 250, 500, 1000, 2000))
		c.prioritize(other, pick(c, 0, 10, 100, 200, 1500))
		other["status"] = obj{"phase": "Pending", "nominatedNodeName": nameOf(pick(c, c.nodes...))}
		if c.chance(0.25) {
			push(spec(other), "schedulingGates", obj{"name": "example.com/wait"})
		}
		if c.chance(0.1) {
			spec(other)["schedulerName"] = "another"
		}
		c.pods = append(c.pods, other)
	}
	if c.chance(0.6) {
		part(c.pod, "status")["nominatedNodeName"] = nameOf(pick(c, c.nodes...))
		if c.chance(0.07) {
			part(c.pod, "status")["nominatedNodeName"] = "gone"
		}
	}
	for _, pod := range c.bound() {
		if !c.chance(0.15) {
			continue
		}
		part(pod, "metadata")["deletionTimestamp"] = "2025-12-31T23:59:50Z"
		part(pod, "metadata")["deletionGracePeriodSeconds"] = 30
		if c.chance(0.7) {
			push(part(pod, "status"), "conditions", obj{
				"type": "DisruptionTarget", "status": pick(c, "True", "True", "False"), "reason": pick(c, "PreemptionByScheduler", "PreemptionByScheduler", "EvictionByEvictionAPI"),
				"message": "x", "lastTransitionTime": "2025-12-31T23:59:00Z",
			})
		}
	}
}

// gates are pods that get no cycle at all, and pods that once were gated.
func gates(c *cluster) {
	switch c.IntN(8) {
	case 0:
		spec(c.pod)["schedulingGates"] = pick(c, list{obj{"name": "example.com/a"}}, list{obj{"name": "a/x"}, obj{"name": "b"}})
	case 1:
		spec(c.pod)["schedulerName"] = "another"
	case 2:
		nominations(c)
	case 3:
		declaredFeatures(c)
	case 4:
		spec(c.pod)["preemptionPolicy"] = "Never"
	case 5:
		unschedulable(c)
	case 6:
		part(c.pod, "metadata")["deletionTimestamp"] = "2025-12-31T23:59:50Z"
	}
}
