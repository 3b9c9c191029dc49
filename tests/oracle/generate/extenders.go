package generate

import "fmt"

// extenders are webhooks that the scheduler asks, and what they answer: nodes that they refuse, for good or not, with a reason or
// without, answers that contradict themselves, scores, and other victims than those proposed.
func extenders(c *cluster) {
	if c.config == nil {
		c.config = obj{"apiVersion": configAPI, "kind": "KubeSchedulerConfiguration", "profiles": list{obj{"schedulerName": "default-scheduler"}}}
	}
	c.extenders = obj{}
	managed := false
	for i := range pick(c, 1, 1, 1, 2, 2, 3) {
		url := fmt.Sprintf("http://extender.test/%s/%d", c.id, i)
		if c.chance(0.05) {
			url += "/"
		}
		extender := obj{"urlPrefix": url, "nodeCacheCapable": c.chance(0.5), "weight": 1}
		script := obj{}
		if c.chance(0.85) {
			extender["filterVerb"] = "filter"
			script["filter"] = c.filterAnswer()
		}
		if c.chance(0.5) {
			extender["prioritizeVerb"] = "prioritize"
			extender["weight"] = pick[any](c, 1, 1, 2, 5, 100, 1<<40, 1<<60)
			script["prioritize"] = c.prioritizeAnswer()
		}
		if c.chance(0.55) {
			extender["preemptVerb"] = "preempt"
			script["preempt"] = c.preemptAnswer()
		}
		if c.chance(0.25) {
			extender["ignorable"] = true
		}
		if !managed && c.chance(0.2) {
			managed = true
			extender["managedResources"] = list{obj{"name": "example.com/gpu", "ignoredByScheduler": c.chance(0.5)}}
			if c.chance(0.5) {
				c.gpu()
			}
		}
		push(c.config.(obj), "extenders", extender)
		c.extenders[url] = script
	}
}

// gpu has the pending pod ask for what an extender manages, in one place or another.
func (c *cluster) gpu() {
	container := first(c.pod)
	if c.chance(0.3) {
		container = c.container(c.pod, "initContainers", "img:1", obj{})
	}
	for _, node := range c.nodes {
		if c.chance(0.7) {
			part(node, "status", "allocatable")["example.com/gpu"] = "2"
			part(node, "status", "capacity")["example.com/gpu"] = "2"
		}
	}
	for _, kind := range []string{"limits", "requests"} {
		part(container, "resources", kind)["example.com/gpu"] = "1"
	}
}

// some are the names of some nodes.
func (c *cluster) some(odds float64) list {
	names := list{}
	for _, node := range c.nodes {
		if c.chance(odds) {
			names = append(names, nameOf(node))
		}
	}
	return names
}

func (c *cluster) filterAnswer() obj {
	answer := obj{}
	switch {
	case c.chance(0.05):
		answer["error"] = "the extender cannot say"
		return answer
	case c.chance(0.04):
		answer["status"] = pick(c, 500, 404)
		return answer
	case c.chance(0.05):
		answer["form"] = pick(c, "none", "names", "nodes")
	}
	drop := c.some(pick(c, 0, 0.3, 0.3, 0.6, 1))
	failed, unresolvable := obj{}, obj{}
	why := func() string { return pick(c, "no room", "no room 1", "busy, very", "") }
	for _, node := range drop {
		switch {
		case c.chance(0.25):
			unresolvable[node.(string)] = why()
			if c.chance(0.3) {
				failed[node.(string)] = why()
			}
		case c.chance(0.75):
			failed[node.(string)] = why()
		}
	}
	if c.chance(0.12) { // said of any node, also one that is kept or that a plugin refuses
		for _, node := range c.some(0.4) {
			pick(c, failed, failed, unresolvable)[node.(string)] = why()
		}
	}
	if c.chance(0.1) {
		pick(c, failed, unresolvable)[pick(c, "gone", "elsewhere")] = why()
	}
	if c.chance(0.1) {
		answer["add"] = c.some(0.4)
	}
	if c.chance(0.03) {
		push(answer, "add", "alien")
	}
	answer["drop"], answer["failed"], answer["unresolvable"] = drop, failed, unresolvable
	return answer
}

func (c *cluster) prioritizeAnswer() obj {
	if c.chance(0.08) {
		return obj{"status": 500}
	}
	scores := list{}
	for _, node := range c.some(pick(c, 0.5, 1, 1)) {
		scores = append(scores, obj{"host": node, "score": pick[any](c, 0, 1, 3, 5, 10, 10, 11, -3, 1<<50)})
		if c.chance(0.05) {
			scores = append(scores, obj{"host": node, "score": c.between(0, 10)})
		}
	}
	if c.chance(0.1) {
		scores = append(scores, obj{"host": "gone", "score": 10})
	}
	return obj{"scores": scores}
}

func (c *cluster) preemptAnswer() obj {
	if c.chance(0.06) {
		return obj{"status": 500}
	}
	answer := obj{"drop": c.some(pick(c, 0, 0, 0.3, 1))}
	if c.chance(0.3) {
		firsts := obj{}
		for _, node := range c.some(0.4) {
			firsts[node.(string)] = pick(c, 0, 1, 1, 2)
		}
		answer["first"] = firsts
	}
	if c.chance(0.3) {
		victims := obj{}
		for _, node := range c.nodes {
			if !c.chance(0.25) {
				continue
			}
			uids := list{}
			for _, pod := range c.on(node) {
				if c.chance(0.4) && part(pod, "status")["phase"] == "Running" {
					uids = append(uids, part(pod, "metadata")["uid"])
				}
			}
			victims[nameOf(node)] = obj{"uids": uids, "violations": pick(c, 0, 0, 0, 1, 2)}
		}
		if c.chance(0.1) {
			victims[pick(c, "gone", nameOf(pick(c, c.nodes...)))] = obj{"uids": list{"no-such-pod"}, "violations": 0}
		}
		answer["victims"] = victims
	}
	return answer
}
