package generate

import "fmt"

// sampled are clusters with more candidates for preemption than the scheduler looks for.
func sampled(c *cluster) {
	c.nodes, c.pods = nil, nil
	count := c.between(2, 9)
	if c.chance(0.04) {
		count = c.between(101, 130) // by default it looks for a hundred
	} else {
		c.config = obj{"apiVersion": configAPI, "kind": "KubeSchedulerConfiguration", "profiles": list{obj{
			"schedulerName": "default-scheduler",
			"pluginConfig": list{obj{"name": "DefaultPreemption", "args": obj{
				"apiVersion": configAPI, "kind": "DefaultPreemptionArgs",
				"minCandidateNodesPercentage": pick(c, 1, 10, 30, 50), "minCandidateNodesAbsolute": pick(c, 0, 1, 2, 3, 4),
			}}},
		}}}
	}
	common := c.start()
	for i := range count {
		c.addNode(fmt.Sprintf("n%02d", i))
		node := c.nodes[i]
		for _, field := range []string{"allocatable", "capacity"} {
			part(node, "status", field)["cpu"] = "4"
			part(node, "status", field)["pods"] = "110"
		}
		size := pick(c, 2000, 4000, 4000)
		for range 4000 / size {
			pod := c.running(node, size)
			spec(pod)["priority"] = pick(c, 0, 1, 2, 3, 4, 5, 5)
			part(pod, "status")["startTime"] = pick(c, common, common, c.start())
			if c.chance(0.07) {
				spec(pod)["priority"] = 2000
			}
		}
	}
	part(first(c.pod), "resources", "requests")["cpu"] = pick(c, "2", "4")
	spec(c.pod)["priority"] = 100
	delete(spec(c.pod), "preemptionPolicy")
	c.pods = append(c.pods, c.pod)
	if c.chance(0.4) {
		budgets(c)
	}
}
