package generate

import (
	"fmt"
	"strings"
)

// gangParts is a group that is a part of a Workload, as 1.35 has them. The question is about one of its pods, which has a cycle of
// its own, or is held back.
func gangParts(c *cluster) {
	c.small(c.between(1, 5))
	c.gates = map[string]bool{"GenericWorkload": true, "GangScheduling": !c.chance(0.06)}
	priority := pick(c, 0, 10, 100, 100, 1000)
	c.occupy(c.between(10, 100), 0, 0, 10, 50, 200)
	a := c.gatherParts(c.between(1, 5), pick(c, 0, 0, 0, 1, 2, 3), priority)
	c.each(a, 0.12, taints, nodeAffinity, apart, together, evenly, gpu, hostPort, unschedulable, podAffinity, spread)
	c.mistakesOfParts(a)
	if c.chance(0.15) {
		budgets(c)
	}
	if c.chance(0.1) {
		nominations(c)
	}
	c.pod, c.group = a.waiting[0], nil
}

// gangTurns is such a group whose pods have their cycles one after the other; no other pod waits.
func gangTurns(c *cluster) {
	gangParts(c)
	c.gates["GangScheduling"] = true
	if partOf(c.pod) == "" {
		spec(c.pod)["workloadRef"] = obj{"name": "other", "podGroup": "workers"}
	}
	asked := partOf(c.pod)
	var pods []obj
	for _, pod := range c.pods {
		if spec(pod)["nodeName"] != nil || partOf(pod) == asked {
			// After a start it depends on the order of events whether the queue knows it.
			delete(part(pod, "status"), "nominatedNodeName")
			pods = append(pods, pod)
		}
	}
	c.pods = pods
	namespace, name, _ := strings.Cut(asked, "/")
	c.group = obj{"metadata": obj{"namespace": namespace, "name": name}}
}

// partOf is the group of a pod with its namespace; empty if it names none.
func partOf(pod obj) string {
	reference, names := spec(pod)["workloadRef"], []string{fmt.Sprint(part(pod, "metadata")["namespace"])}
	if reference == nil {
		return ""
	}
	for _, key := range []string{"name", "podGroup", "podGroupReplicaKey"} {
		if value, has := reference.(obj)[key]; has {
			names = append(names, fmt.Sprint(value))
		}
	}
	return strings.Join(names, "/")
}

// gatherParts makes a Workload, and the pods of one of its groups: so many that wait and so many that run.
func (c *cluster) gatherParts(waiting, running, priority int) asked {
	namespace, name := pick(c, "default", "default", "blue"), pick(c, "g", "train", "web")
	policy := obj{"basic": obj{}}
	if c.chance(0.85) {
		minCount := c.between(1, waiting+running)
		if c.chance(0.15) {
			minCount = waiting + running + c.between(1, 2)
		}
		policy = obj{"gang": obj{"minCount": minCount}}
	}
	groups := list{obj{"name": "workers", "policy": policy}}
	if c.chance(0.3) {
		groups = append(groups, obj{"name": "driver", "policy": obj{"gang": obj{"minCount": c.between(1, 3)}}})
	}
	c.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	a := asked{object: c.other("scheduling.k8s.io/v1alpha1", "Workload", namespace, name, obj{"podGroups": groups})}
	reference := obj{"name": name, "podGroup": "workers"}
	if c.chance(0.3) {
		reference["podGroupReplicaKey"] = pick(c, "a", "0")
	}
	for i := range waiting + running {
		pod := c.newPod(namespace, fmt.Sprintf("%s-%d", name, i))
		spec(pod)["priority"] = priority
		part(pod, "metadata")["labels"] = obj{"app": pick(c, "a", "b"), "group": name}
		part(first(pod), "resources", "requests")["cpu"] = c.milliCPU(pick(c, 500, 1000, 1000, 2000, 3000))
		own := obj{}
		for key, value := range reference {
			own[key] = value
		}
		spec(pod)["workloadRef"] = own
		c.pods = append(c.pods, pod)
		if i < waiting {
			a.waiting = append(a.waiting, pod)
			continue
		}
		spec(pod)["nodeName"] = nameOf(pick(c, c.nodes...))
		pod["status"] = obj{"phase": pick(c, "Running", "Running", "Running", "Succeeded"), "startTime": c.start()}
		a.running = append(a.running, pod)
	}
	c.Shuffle(len(a.waiting), func(i, j int) { a.waiting[i], a.waiting[j] = a.waiting[j], a.waiting[i] })
	c.pod = a.waiting[0]
	return a
}

// mistakesOfParts are what holds a pod back, or what looks as if it did.
func (c *cluster) mistakesOfParts(a asked) {
	some := pick(c, a.waiting...)
	reference := part(spec(some), "workloadRef")
	switch c.IntN(24) {
	case 0:
		for i, other := range c.others {
			if nameOf(other) == nameOf(a.object) && other["kind"] == "Workload" {
				c.others = append(c.others[:i], c.others[i+1:]...)
				break
			}
		}
	case 1:
		reference["podGroup"] = pick(c, "other", "driver")
	case 2:
		reference["podGroupReplicaKey"] = pick(c, "a", "b")
	case 3:
		reference["name"] = "other"
	case 4:
		spec(some)["schedulerName"] = "unknown"
	case 5:
		c.secondProfile()
		spec(some)["schedulerName"] = "another"
	case 6:
		spec(some)["preemptionPolicy"] = "Never"
	case 7:
		spec(some)["schedulingGates"] = list{obj{"name": "example.com/wait"}}
	case 8:
		c.terminate(some)
	case 9:
		delete(spec(some), "workloadRef")
	case 10:
		spec(some)["priority"] = pick(c, 1, 5, 2000)
	case 11:
		part(some, "metadata")["namespace"] = "green"
	}
}
