package generate

import (
	"fmt"
	"slices"
	"strings"
)

// gangTree is a group in a tree of composite groups, with sisters that wait as well, and perhaps other trees that run.
func gangTree(c *cluster) {
	c.small(c.between(1, 6))
	c.workloads(true)
	c.gates["CompositePodGroup"] = true
	c.occupy(c.between(30, 110), 0, 0, 0, 10, 10, 50, 200)
	if c.chance(0.5) {
		c.bands(4)
		c.runTrees()
	}
	priority := pick(c, 10, 100, 100, 1000)
	var all []asked
	for i := range c.between(1, 4) {
		a := c.gather(c.between(1, 3), pick(c, 0, 0, 0, 1), priority, 250, 500, 1000, 1000, 2000)
		c.rename(a, fmt.Sprintf("g%d", i))
		c.each(a, 0.05, taints, nodeAffinity, apart, together, evenly, gpu, hostPort)
		all = append(all, a)
	}
	var leaves []obj
	for _, a := range all {
		leaves = append(leaves, a.object)
	}
	leaves = append(leaves, c.sisters(priority)...)
	root := c.grow(leaves, priority)
	c.limit(append(c.composites(root), leaves...))
	c.age(append(c.composites(root), leaves...))
	chosen := pick(c, all...)
	c.group, c.pod = chosen.object, chosen.waiting[0]
	if c.chance(0.3) {
		budgets(c)
	}
	if c.chance(0.1) {
		c.nominate(chosen)
		c.leaving(0.2)
	}
	if c.chance(0.08) {
		c.each(chosen, 1, pick(c, volumes, claims))
	}
	c.treeMistakes(chosen, root, all)
}

// sisters are groups of the tree of which no pod waits: without pods, or with pods that run.
func (c *cluster) sisters(priority int) (made []obj) {
	if c.chance(0.08) {
		made = append(made, c.podGroup("default", "empty", pick(c, 0, 1), priority, false))
	}
	if c.chance(0.15) {
		count := c.between(1, 3)
		made = append(made, c.podGroup("default", "old", pick(c, 0, 1, count, count+1), priority, c.chance(0.5)))
		for range count {
			pod := c.running(pick(c, c.nodes...), 250)
			part(pod, "metadata")["namespace"] = "default"
			spec(pod)["priority"] = priority
			join(pod, "old")
		}
	}
	return made
}

// grow makes a tree of groups: the root above them all, and perhaps branches of one or two levels.
func (c *cluster) grow(leaves []obj, priority int) obj {
	groups := slices.Clone(leaves)
	for i := range pick(c, 0, 0, 1, 1, 2) {
		c.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
		size := c.between(1, len(groups))
		branch := c.compose(fmt.Sprintf("branch%d", i), pick(c, 0, 1, size), priority, groups[:size]...)
		groups = append([]obj{branch}, groups[size:]...)
	}
	return c.compose("root", pick(c, 0, len(groups), c.between(1, len(groups))), priority, groups...)
}

// composites are the composite groups from this one down that wait.
func (c *cluster) composites(root obj) []obj {
	found := []obj{root}
	for _, other := range c.others {
		if other["kind"] == "CompositePodGroup" && strings.HasPrefix(nameOf(other), "branch") {
			found = append(found, other)
		}
	}
	return found
}

// limit gives one group of the tree a topology constraint, or two.
func (c *cluster) limit(groups []obj) {
	if !c.chance(0.35) {
		return
	}
	for range pick(c, 1, 1, 1, 2) {
		spec(pick(c, groups...))["schedulingConstraints"] = obj{"topology": list{obj{"key": pick(c, zone, zone, hostname, "nowhere")}}}
	}
}

// age gives groups times of creation, by which they are tried.
func (c *cluster) age(groups []obj) {
	if c.chance(0.5) {
		return
	}
	for _, group := range groups {
		part(group, "metadata")["creationTimestamp"] = fmt.Sprintf("2025-01-01T00:00:0%dZ", c.between(0, 3))
	}
}

// treeMistakes is what keeps a tree from a cycle, or ends it with an error.
func (c *cluster) treeMistakes(chosen asked, root obj, all []asked) {
	if c.policies && c.chance(0.6) {
		policy := pick(c, "Never", "PreemptLowerPriority")
		spec(root)["preemptionPolicy"] = policy
		for _, a := range all {
			for _, pod := range append(slices.Clone(a.waiting), a.running...) {
				if c.chance(0.95) {
					spec(pod)["preemptionPolicy"] = policy
				}
			}
		}
	}
	switch c.IntN(40) {
	case 0, 1, 2, 3, 4:
		c.mistakes(chosen)
	case 5:
		gone := pick(c, c.composites(root)...)
		c.others = slices.DeleteFunc(c.others, func(other obj) bool { return nameOf(other) == nameOf(gone) })
	case 6:
		spec(root)["priority"] = 7
	case 7:
		delete(spec(root), "priority")
	case 8:
		for _, a := range all {
			spec(a.object)["priority"] = 7 // only that of the root counts
		}
	case 9:
		c.terminate(pick(c, chosen.waiting...))
	}
}

// runTrees makes trees of the groups that run, some of them with two levels.
func (c *cluster) runTrees() {
	groups := c.groups("band")
	c.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	for i := range pick(c, 1, 1, 2) {
		if len(groups) == 0 {
			return
		}
		size := c.between(1, len(groups))
		tree := groups[:size]
		groups = groups[size:]
		for level := range pick(c, 1, 1, 2, 3) {
			name := fmt.Sprintf("running%d-%d", i, level)
			top := c.compose(name, c.between(0, 1), pick[any](c, 0, 0, 10, 50, 200, nil), tree...)
			tree = []obj{top}
			if level == 0 && len(groups) > 0 && c.chance(0.5) {
				tree = append(tree, groups[0])
				groups = groups[1:]
			}
		}
	}
	if c.chance(0.04) {
		c.others = slices.DeleteFunc(c.others, func(other obj) bool { return nameOf(other) == "running0-0" })
	}
}

// groups are the group objects whose names begin so.
func (c *cluster) groups(prefix string) []obj {
	var found []obj
	for _, other := range c.others {
		if other["kind"] == "PodGroup" && strings.HasPrefix(nameOf(other), prefix) && namespaceOf(other) == "default" {
			found = append(found, other)
		}
	}
	return found
}

// rename gives a group and its pods a name that no other has, in the namespace that all have.
func (c *cluster) rename(a asked, name string) {
	part(a.object, "metadata")["namespace"], part(a.object, "metadata")["name"] = "default", name
	pods := append(append([]obj{}, a.waiting...), a.running...)
	// The order of their names stays that in which they were made.
	slices.SortFunc(pods, func(one, other obj) int { return strings.Compare(nameOf(one), nameOf(other)) })
	for i, pod := range pods {
		part(pod, "metadata")["namespace"], part(pod, "metadata")["name"] = "default", fmt.Sprintf("%s-%d", name, i)
		labels(pod)["group"] = name
		join(pod, name)
	}
}

// compose makes a composite group of groups of its namespace, of which so many are needed; 0 stands for any number.
func (c *cluster) compose(name string, minCount int, priority any, groups ...obj) obj {
	policy := obj{"basic": obj{}}
	if minCount > 0 {
		policy = obj{"gang": obj{"minGroupCount": minCount}}
	}
	version := "v1alpha3"
	if c.minor >= 38 {
		version = "v1beta1"
	}
	made := c.other("scheduling.k8s.io/"+version, "CompositePodGroup", "default", name, obj{
		"schedulingPolicy": policy, "disruptionMode": pick(c, obj{"single": obj{}}, obj{"all": obj{}}),
		"workloadRef": obj{"workloadName": "w", "templateName": name},
	})
	if priority != nil {
		spec(made)["priority"] = priority
	}
	if c.chance(0.1) {
		delete(spec(made), "disruptionMode")
	}
	for _, group := range groups {
		spec(group)["parentCompositePodGroupName"] = name
		spec(group)["workloadRef"] = obj{"workloadName": "w", "templateName": nameOf(group)}
	}
	return made
}
