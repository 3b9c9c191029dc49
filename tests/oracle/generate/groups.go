package generate

import "fmt"

// small starts over with a few nodes of round sizes, for worlds in which a group is looked at.
func (c *cluster) small(nodes int) {
	c.nodes, c.pods, c.others, c.pod = nil, nil, nil, nil
	for i := range nodes {
		c.addNode(fmt.Sprintf("n%02d", i))
		node := c.nodes[i]
		sizes := obj{"cpu": pick(c, "2", "4", "4", "8"), "memory": pick(c, "8Gi", "16Gi"), "pods": pick(c, "110", "110", "110", "4"), "ephemeral-storage": "100Gi"}
		if c.chance(0.2) {
			sizes["example.com/gpu"] = pick(c, "1", "2", "4")
		}
		for _, field := range []string{"capacity", "allocatable"} {
			copied := obj{}
			for name, amount := range sizes {
				copied[name] = amount
			}
			part(node, "status")[field] = copied
		}
	}
}

// occupy runs pods on every node until about this percentage of its processor is wanted, of these priorities.
func (c *cluster) occupy(percent int, priorities ...int) {
	for _, node := range c.nodes {
		left := milli(node) * min(100, percent+c.between(-25, 15)) / 100
		for left >= 500 && len(c.pods) < 20 {
			want := min(pick(c, 500, 1000, 1000, 2000), left/500*500)
			left -= want
			c.prioritize(c.running(node, want), pick(c, priorities...))
		}
	}
}

// workloads turns on what cycles of groups need, and sometimes what changes them.
func (c *cluster) workloads(topology bool) {
	c.gates = map[string]bool{"GenericWorkload": true}
	if c.minor == 36 {
		c.gates["GangScheduling"] = true
		if c.chance(0.8) {
			c.gates["WorkloadAwarePreemption"] = true
		}
	}
	if topology {
		c.gates["TopologyAwareWorkloadScheduling"] = true
	}
	if c.minor >= 37 && c.chance(0.15) {
		c.policies = true
	}
	if c.minor == 37 && c.policies {
		c.gates["PodGroupPreemptionPolicy"] = true // always on from 1.38
	}
}

// podGroup makes a group of `minCount` pods, or of any number if that is 0. It is disrupted pod by pod, or as a whole.
func (c *cluster) podGroup(namespace, name string, minCount int, priority any, whole bool) obj {
	policy := obj{"basic": obj{}}
	if minCount > 0 {
		policy = obj{"gang": obj{"minCount": minCount}}
	}
	made := obj{"schedulingPolicy": policy}
	if priority != nil {
		made["priority"] = priority
	}
	version := "v1beta1"
	if c.minor == 36 {
		version = "v1alpha2"
		made["disruptionMode"] = "Pod"
		if whole {
			made["disruptionMode"] = "PodGroup"
		}
	} else {
		made["disruptionMode"] = obj{"single": obj{}}
		if whole {
			made["disruptionMode"] = obj{"all": obj{}}
		} else if c.chance(0.2) {
			delete(made, "disruptionMode")
		}
	}
	return c.other("scheduling.k8s.io/"+version, "PodGroup", namespace, name, made)
}

// join makes a pod a member of a group.
func join(pod obj, group string) { spec(pod)["schedulingGroup"] = obj{"podGroupName": group} }

// asked is a group whose cycle is asked about, and its pods.
type asked struct {
	object  obj
	waiting []obj
	running []obj
}

// gather makes the group that is asked about: so many pods that wait and so many that run, of these sizes.
func (c *cluster) gather(waiting, running int, priority int, sizes ...int) asked {
	namespace, name := pick(c, "default", "default", "blue"), pick(c, "g", "train", "web")
	minCount := 0
	if c.chance(0.8) {
		minCount = c.between(1, waiting+running)
		if c.chance(0.4) {
			minCount = waiting + running
		}
		if c.chance(0.04) {
			minCount++
		}
	}
	a := asked{object: c.podGroup(namespace, name, minCount, priority, c.chance(0.5))}
	want, alike := pick(c, sizes...), c.chance(0.6)
	model := c.newPod(namespace, "model")
	for i := range waiting + running {
		pod := c.newPod(namespace, fmt.Sprintf("%s-%d", name, i))
		spec(pod)["priority"] = priority
		part(pod, "metadata")["labels"] = obj{"app": labels(model)["app"], "group": name}
		first(pod)["image"] = first(model)["image"]
		if !alike {
			want = pick(c, sizes...)
		}
		part(first(pod), "resources", "requests")["cpu"] = c.milliCPU(want)
		join(pod, name)
		c.pods = append(c.pods, pod)
		if i < waiting {
			a.waiting = append(a.waiting, pod)
			continue
		}
		spec(pod)["nodeName"] = nameOf(pick(c, c.nodes...))
		pod["status"] = obj{"phase": "Running", "startTime": c.start()}
		a.running = append(a.running, pod)
	}
	c.Shuffle(len(a.waiting), func(i, j int) { a.waiting[i], a.waiting[j] = a.waiting[j], a.waiting[i] })
	if c.minor == 36 && c.chance(0.85) {
		// This release demands no common priority, and takes pods of one priority in any order once it has held them back.
		for i, pod := range a.waiting {
			spec(pod)["priority"] = priority + len(a.waiting) - i
		}
	}
	c.pod, c.group = a.waiting[0], a.object
	return a
}

// each adds ingredients of pods to all members that wait, or to some.
func (c *cluster) each(a asked, odds float64, add ...ingredient) {
	for _, add := range add {
		if !c.chance(odds) {
			continue
		}
		share := pick(c, 0.3, 1, 1)
		for i, pod := range a.waiting {
			if i == 0 || c.chance(share) {
				c.pod = pod
				add(c)
			}
		}
	}
	c.pod = a.waiting[0]
}

// apart and together are the members' affinities for each other.
func apart(c *cluster) {
	push(part(spec(c.pod), "affinity", "podAntiAffinity"), "requiredDuringSchedulingIgnoredDuringExecution",
		obj{"labelSelector": obj{"matchLabels": obj{"group": labels(c.pod)["group"]}}, "topologyKey": pick(c, hostname, hostname, zone)})
}

func together(c *cluster) {
	push(part(spec(c.pod), "affinity", "podAffinity"), "requiredDuringSchedulingIgnoredDuringExecution",
		obj{"labelSelector": obj{"matchLabels": obj{"group": labels(c.pod)["group"]}}, "topologyKey": pick(c, hostname, zone, zone)})
}

// evenly spreads the members.
func evenly(c *cluster) {
	constraint := obj{
		"maxSkew": c.between(1, 2), "topologyKey": pick(c, hostname, zone), "whenUnsatisfiable": "DoNotSchedule",
		"labelSelector": obj{"matchLabels": obj{"group": labels(c.pod)["group"]}},
	}
	if c.unlike(constraint) {
		push(spec(c.pod), "topologySpreadConstraints", constraint)
	}
}

// gpu is a request for an extended resource.
func gpu(c *cluster) {
	for _, kind := range []string{"requests", "limits"} {
		part(first(c.pod), "resources", kind)["example.com/gpu"] = "1"
	}
}

// hostPort is a port that only one member can have on a node.
func hostPort(c *cluster) {
	first(c.pod)["ports"] = list{obj{"containerPort": 8080, "hostPort": 8080, "protocol": "TCP"}}
}
