package generate

// crowded puts more than twelve pods that tie on a node: an unstable sort then shows its parameters.
func crowded(c *cluster) {
	node := pick(c, c.nodes...)
	allocatable, capacity := part(node, "status", "allocatable"), part(node, "status", "capacity")
	allocatable["cpu"], allocatable["pods"] = "8", "110"
	capacity["cpu"], capacity["pods"] = "8", "110"
	same := c.start()
	for range c.between(13, 40) {
		pod := c.running(node, pick(c, 50, 100, 100, 250))
		if c.chance(0.85) {
			spec(pod)["priority"] = pick(c, 0, 0, 0, 5)
			part(pod, "status")["startTime"] = same
		}
	}
}

func unschedulable(c *cluster) {
	for _, node := range c.nodes {
		if c.chance(0.35) {
			spec(node)["unschedulable"] = true
			if c.chance(0.7) {
				c.taint(node, obj{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"})
			}
		}
	}
	if c.chance(0.3) {
		push(spec(c.pod), "tolerations", obj{"key": "node.kubernetes.io/unschedulable", "operator": "Exists", "effect": "NoSchedule"})
	}
}

func taints(c *cluster) {
	c.easy(0.3)
	for _, node := range c.nodes {
		for c.chance(0.4) {
			taint := obj{"key": pick(c, "dedicated", "gpu", "spot"), "effect": pick(c, "NoSchedule", "NoSchedule", "NoExecute", "PreferNoSchedule", "PreferNoSchedule")}
			if c.chance(0.7) {
				taint["value"] = pick(c, "a", "b", "")
			}
			if taint["effect"] == "NoExecute" {
				taint["timeAdded"] = "2025-06-01T00:00:00Z"
			}
			c.taint(node, taint)
		}
	}
	for c.chance(0.5) {
		push(spec(c.pod), "tolerations", c.toleration("dedicated", "gpu", "spot"))
	}
}

// taint adds a taint unless there is one of this key and effect, which the API forbids.
func (c *cluster) taint(node, taint obj) {
	have, _ := spec(node)["taints"].(list)
	for _, other := range have {
		if other.(obj)["key"] == taint["key"] && other.(obj)["effect"] == taint["effect"] {
			return
		}
	}
	push(spec(node), "taints", taint)
}

func (c *cluster) toleration(keys ...string) obj {
	toleration := obj{"operator": "Exists"}
	if c.chance(0.9) {
		toleration["key"] = pick(c, keys...)
	}
	if toleration["key"] != nil && c.chance(0.5) {
		toleration["operator"] = "Equal"
		toleration["value"] = pick(c, "a", "b", "")
		if c.chance(0.3) {
			delete(toleration, "operator")
		}
	}
	if c.chance(0.6) {
		toleration["effect"] = pick(c, "NoSchedule", "NoSchedule", "NoExecute", "PreferNoSchedule")
	}
	if toleration["effect"] == "NoExecute" && c.chance(0.5) {
		toleration["tolerationSeconds"] = pick(c, 0, 300)
	}
	return toleration
}

// nodeName is a pod that asks for its node by name, past the scheduler's choice.
func nodeName(c *cluster) {
	push(spec(c.pod), "tolerations", obj{"operator": "Exists"})
	c.require(obj{"matchFields": list{obj{"key": "metadata.name", "operator": "In", "values": list{nameOf(pick(c, c.nodes...))}}}})
}

func (c *cluster) require(terms ...any) {
	push(part(spec(c.pod), "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"), "nodeSelectorTerms", terms...)
}

func nodeAffinity(c *cluster) {
	if c.chance(0.03) {
		field := func(name string) obj { return obj{"key": "metadata.name", "operator": "In", "values": list{name}} }
		c.require(obj{"matchFields": list{field("n00"), field("n01")}}) // no node has two names
		return
	}
	if c.chance(0.3) {
		part(spec(c.pod), "nodeSelector")[pick(c, "disk", "arch")] = pick(c, "ssd", "amd64", "arm64")
	}
	if c.chance(0.7) {
		for range c.between(1, 3) {
			c.require(c.nodeTerm(true))
		}
	}
	if c.chance(0.6) {
		for range c.between(1, 3) {
			push(part(spec(c.pod), "affinity", "nodeAffinity"), "preferredDuringSchedulingIgnoredDuringExecution",
				obj{"weight": c.between(1, 100), "preference": c.nodeTerm(false)})
		}
	}
}

func (c *cluster) nodeTerm(fields bool) obj {
	term := obj{}
	if c.chance(0.06) {
		return term // an empty term matches nothing
	}
	if fields && c.chance(0.2) {
		names := list{nameOf(pick(c, c.nodes...))}
		if c.chance(0.3) {
			names = list{"gone"}
		}
		push(term, "matchFields", obj{"key": "metadata.name", "operator": pick(c, "In", "In", "NotIn"), "values": names})
		if c.chance(0.15) {
			push(term, "matchFields", obj{"key": "metadata.name", "operator": "In", "values": list{nameOf(pick(c, c.nodes...))}})
		}
		if c.chance(0.6) {
			return term
		}
	}
	for range c.between(1, 2) {
		push(term, "matchExpressions", c.nodeExpression())
	}
	return term
}

func (c *cluster) nodeExpression() obj {
	key := pick(c, "disk", "gen", "arch", zone, hostname)
	operator := pick(c, "In", "In", "NotIn", "Exists", "DoesNotExist")
	if key == "gen" {
		operator = pick(c, "Gt", "Lt", "In")
	}
	expression := obj{"key": key, "operator": operator}
	values := map[string][]string{"disk": {"ssd", "hdd"}, "gen": {"3", "5", "33"}, "arch": {"amd64", "arm64"}, zone: {"z0", "z1", "z2"}, hostname: {"n00", "n01", "n02"}}[key]
	switch operator {
	case "In", "NotIn":
		expression["values"] = list{pick(c, values...)}
		if c.chance(0.4) {
			push(expression, "values", pick(c, values...))
		}
	case "Gt", "Lt":
		expression["values"] = list{pick(c, "4", "10", "007", "0", "x")}
	}
	return expression
}

func ports(c *cluster) {
	c.easy(0.3)
	add := func(pod obj, odds float64) {
		for c.chance(odds) {
			port := obj{"containerPort": pick(c, 80, 8080), "hostPort": pick(c, 80, 443, 8080), "protocol": pick(c, "TCP", "TCP", "UDP", "SCTP")}
			if c.chance(0.4) {
				port["hostIP"] = pick(c, "0.0.0.0", "127.0.0.1", "10.0.0.1", "10.0.0.2")
			}
			if c.chance(0.2) {
				delete(port, "hostPort")
			}
			c.port(first(pod), port)
			odds /= 2
		}
		if c.chance(odds / 4) {
			side := c.container(pod, "initContainers", "c", obj{})
			if c.minor != 28 || c.chance(0.15) {
				side["restartPolicy"] = "Always"
			}
			c.port(side, obj{"containerPort": 81, "hostPort": pick(c, 80, 443), "protocol": "TCP"})
		}
	}
	for _, pod := range c.bound() {
		add(pod, 0.4)
	}
	add(c.pod, 1)
}

// port adds a port unless the container has the same one already, which the API forbids.
func (c *cluster) port(container, port obj) {
	have, _ := container["ports"].(list)
	for _, other := range have {
		other := other.(obj)
		if other["hostPort"] == port["hostPort"] && other["hostIP"] == port["hostIP"] && other["protocol"] == port["protocol"] {
			return
		}
	}
	push(container, "ports", port)
}

func images(c *cluster) {
	sizes := []int{10 << 20, 23 << 20, 120 << 20, 700 << 20, 1500 << 20}
	for _, node := range c.nodes {
		for _, image := range []string{"registry/a:1", "registry/b:1", "c:latest", "docker.io/library/c:latest", "img:1"} {
			if c.chance(0.4) {
				push(part(node, "status"), "images", obj{"names": list{image, image + "@sha256:0"}, "sizeBytes": pick(c, sizes...)})
			}
		}
	}
	for range c.IntN(3) {
		c.container(c.pod, "containers", pick(c, "registry/a:1", "registry/b:1", "c"), obj{})
	}
	if c.chance(0.3) {
		c.container(c.pod, "initContainers", "registry/b:1", obj{})
	}
	if c.chance(0.2) && c.minor >= recent {
		push(spec(c.pod), "volumes", obj{"name": c.uid("image"), "image": obj{"reference": "registry/a:1", "pullPolicy": "IfNotPresent"}})
	}
}

func declaredFeatures(c *cluster) {
	for _, node := range c.nodes {
		if c.chance(0.5) {
			part(node, "status")["declaredFeatures"] = pick(c, list{"UserNamespacesHostNetworkSupport"}, list{"RestartAllContainersOnContainerExits", "UserNamespacesHostNetworkSupport"}, list{"Unknown"})
		}
	}
	if c.chance(0.8) {
		spec(c.pod)["hostNetwork"] = true
		spec(c.pod)["hostUsers"] = false
	}
	if c.chance(0.3) {
		first(c.pod)["restartPolicyRules"] = list{obj{"action": "RestartAllContainers", "exitCodes": obj{"operator": "In", "values": list{1}}}}
		first(c.pod)["restartPolicy"] = "Never"
	}
}
