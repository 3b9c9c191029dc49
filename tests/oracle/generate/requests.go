package generate

// requests makes every kind of request: init containers, sidecars, overhead, whole-pod requests, resizes in progress,
// extended resources and huge pages, and amounts in odd spellings.
func requests(c *cluster) {
	for _, node := range c.nodes {
		for _, name := range []string{"example.com/gpu", "example.com/fpga", "hugepages-2Mi"} {
			if c.chance(0.5) {
				amount := pick[any](c, "1", "2", "4", "0")
				if name == "hugepages-2Mi" {
					amount = pick[any](c, "64Mi", "0", "128Mi")
				}
				part(node, "status", "capacity")[name] = amount
				part(node, "status", "allocatable")[name] = amount
			}
		}
	}
	for _, pod := range c.bound() {
		if c.chance(0.6) {
			c.demand(pod, 0.3)
		}
		if c.chance(0.12) {
			c.resizing(pod)
		}
	}
	c.demand(c.pod, 0.5)
}

func (c *cluster) amounts(odds float64) obj {
	amounts := obj{}
	if c.chance(odds) {
		amounts["memory"] = pick[any](c, "100M", "128Mi", "1Gi", "1.5Gi", "1e9", "2147483648", "123456Ki", "0")
	}
	if c.chance(odds) {
		amounts["cpu"] = c.milliCPU(pick(c, 0, 50, 100, 333, 1000))
	}
	if c.chance(odds / 2) {
		amounts["ephemeral-storage"] = pick[any](c, "1Gi", "10G", "500Mi", "30Gi")
	}
	if c.chance(odds / 2) {
		amounts["example.com/gpu"] = pick[any](c, "1", "2", "0")
	}
	if c.chance(odds / 3) {
		amounts["example.com/fpga"] = "1"
	}
	if (amounts["cpu"] != nil || amounts["memory"] != nil) && c.chance(odds/3) {
		amounts["hugepages-2Mi"] = pick[any](c, "32Mi", "64Mi")
	}
	return amounts
}

// wants are the resources of one container.
func (c *cluster) wants(odds float64) obj {
	requests := c.amounts(odds)
	resources := obj{"requests": requests}
	limits := obj{}
	for name, amount := range requests {
		if name != "cpu" && name != "memory" && name != "ephemeral-storage" {
			limits[name] = amount // extended resources have no other limit
		}
	}
	if len(limits) > 0 {
		resources["limits"] = limits
	}
	return resources
}

func (c *cluster) demand(pod obj, odds float64) {
	for range c.IntN(3) {
		c.container(pod, "containers", "img:1", c.wants(odds))
	}
	for range pick(c, 0, 0, 1, 2, 3) {
		init := c.container(pod, "initContainers", "img:1", c.wants(odds))
		// The API server of 1.28 knows this field and drops it, unless a gate is set.
		if c.chance(0.5) && (c.minor != 28 || c.chance(0.15)) {
			init["restartPolicy"] = "Always"
		}
	}
	if c.chance(0.15) {
		spec(pod)["overhead"] = obj{"cpu": "120m", "memory": "64Mi"}
		spec(pod)["runtimeClassName"] = "vm"
	}
	if c.chance(0.2) {
		whole := obj{}
		if c.chance(0.8) {
			whole["cpu"] = c.milliCPU(pick(c, 12000, 14000, 16000))
		}
		if c.chance(0.6) || len(whole) == 0 {
			whole["memory"] = pick[any](c, "8Gi", "16Gi", "24Gi")
		}
		spec(pod)["resources"] = obj{"requests": whole}
	}
	for name, amount := range c.amounts(odds / 3) {
		resources := part(first(pod), "resources")
		if name == "cpu" || name == "hugepages-2Mi" {
			continue
		}
		part(resources, "requests")[name] = amount
		if name != "memory" && name != "ephemeral-storage" {
			part(resources, "limits")[name] = amount
		}
	}
}

// resizing is a pod whose resources are being changed in place: what it has, what it was promised and what it wants differ.
func (c *cluster) resizing(pod obj) {
	requests := part(first(pod), "resources", "requests")
	if requests["cpu"] == nil {
		return
	}
	allocated := obj{}
	for name, amount := range requests {
		allocated[name] = amount
	}
	allocated["cpu"] = c.milliCPU(pick(c, 100, 500, 1500, 2500))
	actual := obj{"requests": obj{"cpu": c.milliCPU(pick(c, 100, 500, 1500, 2500))}}
	status := part(pod, "status")
	push(status, "containerStatuses", obj{
		"name": "c", "image": "img:1", "imageID": "x", "ready": true, "restartCount": 0, "started": true,
		"state": obj{"running": obj{"startedAt": "2025-06-01T00:00:00Z"}}, "lastState": obj{},
		"allocatedResources": allocated, "resources": actual,
	})
	if c.chance(0.6) {
		push(status, "conditions", obj{"type": "PodResizePending", "status": "True", "reason": pick(c, "Infeasible", "Deferred"), "lastTransitionTime": "2025-12-31T00:00:00Z"})
	} else if c.chance(0.5) {
		push(status, "conditions", obj{"type": "PodResizeInProgress", "status": "True", "lastTransitionTime": "2025-12-31T00:00:00Z"})
	}
}
