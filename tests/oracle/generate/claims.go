package generate

import "fmt"

// claims gives pods claims to devices: classes and selectors in CEL, all devices of a kind, alternatives, devices that
// must agree, taints, parts of devices, shared capacity, allocations that others hold, and extended resources that are
// really devices.
func claims(c *cluster) {
	if spec(c.pod)["resourceClaims"] != nil {
		return // there are claims already
	}
	c.easy(0.6)
	pools := c.offer()
	for i := range pick(c, 1, 1, 1, 2) {
		c.wanted(fmt.Sprintf("want%d", i), pools)
	}
	if c.chance(0.15) {
		c.asExtendedResource()
	}
	if c.chance(0.15) {
		c.taintRule()
	}
}

// offer makes devices on nodes, some of them in use.
func (c *cluster) offer() []pool {
	c.classes()
	pools := []pool{}
	for _, node := range c.nodes {
		if c.chance(0.8) {
			pools = append(pools, c.slice(node))
		}
	}
	if c.chance(0.2) {
		pools = append(pools, c.networkPool())
	}
	for _, devices := range pools {
		c.users(devices)
	}
	return pools
}

// pool is what a driver offers in one place.
type pool struct {
	driver, name string
	node         obj // nil: devices that any node may use
	devices      []string
	shared       bool // devices that several claims may share
}

func (c *cluster) classes() {
	class := func(name string, selectors ...string) obj {
		made := c.other("resource.k8s.io/v1", "DeviceClass", "", name, obj{})
		for _, expression := range selectors {
			push(spec(made), "selectors", obj{"cel": obj{"expression": expression}})
		}
		return made
	}
	gpu := class("gpu", `device.driver == "gpu.example.com"`)
	if c.chance(0.4) {
		spec(gpu)["extendedResourceName"] = "example.com/gpu"
	}
	class("any")
	class("big", `device.driver == "gpu.example.com"`, `device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0`)
	class("nic", `device.driver == "nic.example.com"`)
}

func (c *cluster) slice(node obj) pool {
	made := pool{driver: pick(c, "gpu.example.com", "gpu.example.com", "nic.example.com"), name: nameOf(node), node: node}
	made.shared = c.chance(0.12)
	generation := c.between(1, 3)
	slice := c.resourceSlice(made, generation, 1)
	spec(slice)["nodeName"] = nameOf(node)
	parts := c.chance(0.2)
	if parts {
		part(spec(slice), "pool")["resourceSliceCount"] = 2
		counters := c.resourceSlice(made, generation, 2)
		spec(counters)["nodeName"] = nameOf(node)
		spec(counters)["sharedCounters"] = list{obj{"name": "set", "counters": obj{"memory": obj{"value": pick(c, "40Gi", "80Gi")}}}}
	}
	for i := range c.between(1, 6) {
		device := c.device(fmt.Sprintf("d%d", i), made)
		if parts {
			device["consumesCounters"] = list{obj{"counterSet": "set", "counters": obj{"memory": obj{"value": pick(c, "10Gi", "20Gi", "40Gi")}}}}
		}
		push(spec(slice), "devices", device)
		made.devices = append(made.devices, device["name"].(string))
	}
	if !parts && c.chance(0.1) {
		old := c.resourceSlice(made, generation-1, 1) // outdated
		spec(old)["nodeName"] = nameOf(node)
		push(spec(old), "devices", c.device("old", made))
	} else if !parts && c.chance(0.06) {
		part(spec(slice), "pool")["resourceSliceCount"] = 3 // not complete
	}
	return made
}

func (c *cluster) resourceSlice(of pool, generation, count int) obj {
	return c.other("resource.k8s.io/v1", "ResourceSlice", "", fmt.Sprintf("slice-%s-%d", of.name, c.uids), obj{
		"driver": of.driver, "pool": obj{"name": of.name, "generation": generation, "resourceSliceCount": count},
	})
}

// networkPool offers devices to all nodes, or to those of a zone.
func (c *cluster) networkPool() pool {
	made := pool{driver: "nic.example.com", name: "network"}
	slice := c.resourceSlice(made, 1, 1)
	if c.chance(0.5) {
		spec(slice)["allNodes"] = true
	} else {
		spec(slice)["nodeSelector"] = obj{"nodeSelectorTerms": list{obj{"matchExpressions": list{obj{"key": zone, "operator": "In", "values": list{"z0"}}}}}}
	}
	for i := range c.between(1, 3) {
		push(spec(slice), "devices", c.device(fmt.Sprintf("net%d", i), made))
		made.devices = append(made.devices, fmt.Sprintf("net%d", i))
	}
	return made
}

func (c *cluster) device(name string, of pool) obj {
	device := obj{
		"name": name,
		"attributes": obj{
			"model":              obj{"string": pick(c, "a", "b")},
			"index":              obj{"int": c.IntN(4)},
			"healthy":            obj{"bool": c.chance(0.8)},
			"firmware":           obj{"version": pick(c, "1.2.3", "2.0.0")},
			"example.com/socket": obj{"int": c.IntN(2)},
		},
		"capacity": obj{"memory": obj{"value": pick(c, "10Gi", "40Gi", "80Gi")}},
	}
	if of.shared {
		device["allowMultipleAllocations"] = true
		if c.chance(0.5) {
			memory := part(device, "capacity", "memory")
			memory["requestPolicy"] = pick(c, obj{"default": "5Gi", "validRange": obj{"min": "1Gi", "max": "10Gi", "step": "1Gi"}}, obj{"default": "5Gi", "validValues": list{"5Gi", "10Gi"}})
		}
	}
	if c.chance(0.15) {
		device["taints"] = list{obj{"key": pick(c, "broken", "spare"), "value": "x", "effect": pick(c, "NoSchedule", "NoSchedule", "NoExecute"), "timeAdded": "2025-06-01T00:00:00Z"}}
	}
	return device
}

// users are pods that hold devices of this pool.
func (c *cluster) users(of pool) {
	if of.node == nil || of.shared {
		return
	}
	free := append([]string{}, of.devices...)
	for _, pod := range c.on(of.node) {
		if len(free) == 0 || !c.chance(0.4) {
			continue
		}
		claim := c.deviceClaim(namespaceOf(pod), fmt.Sprintf("held%d", c.uids), list{obj{"name": "r", "exactly": obj{"deviceClassName": "any", "allocationMode": "ExactCount", "count": 1}}})
		c.allocate(claim, of, free[0])
		free = free[1:]
		part(claim, "status")["reservedFor"] = list{obj{"resource": "pods", "name": nameOf(pod), "uid": part(pod, "metadata")["uid"]}}
		c.use(pod, nameOf(claim))
	}
}

func (c *cluster) deviceClaim(namespace, name string, requests list) obj {
	claim := c.other("resource.k8s.io/v1", "ResourceClaim", namespace, name, obj{"devices": obj{"requests": requests}})
	claim["status"] = obj{}
	return claim
}

func (c *cluster) allocate(claim obj, of pool, device string) {
	allocation := obj{
		"devices":             obj{"results": list{obj{"request": "r", "driver": of.driver, "pool": of.name, "device": device}}},
		"allocationTimestamp": "2025-06-01T00:00:00Z",
	}
	if of.node != nil {
		allocation["nodeSelector"] = obj{"nodeSelectorTerms": list{obj{"matchFields": list{obj{"key": "metadata.name", "operator": "In", "values": list{nameOf(of.node)}}}}}}
	}
	part(claim, "status")["allocation"] = allocation
}

func (c *cluster) use(pod obj, claim string) {
	push(spec(pod), "resourceClaims", obj{"name": claim, "resourceClaimName": claim})
	push(part(first(pod), "resources"), "claims", obj{"name": claim})
}

// wanted is a claim of the pending pod.
func (c *cluster) wanted(name string, pools []pool) {
	switch c.IntN(20) {
	case 0:
		c.use(c.pod, "missing-"+name)
		return
	case 1:
		c.held(name, pools)
		return
	case 2:
		c.fromTemplate(name)
		return
	case 3, 4, 5:
		c.preference(name)
		return
	}
	requests := list{c.request("r")}
	if c.chance(0.3) {
		requests = append(requests, c.request("s"))
	}
	claim := c.deviceClaim(namespaceOf(c.pod), name, requests)
	devices := part(claim, "spec", "devices")
	if c.chance(0.25) {
		devices["constraints"] = list{obj{"matchAttribute": pick(c, "gpu.example.com/model", "example.com/socket", "gpu.example.com/firmware")}}
		if len(requests) == 2 && c.chance(0.4) {
			devices["constraints"] = list{obj{"requests": list{"r", "s"}, "matchAttribute": "example.com/socket"}}
		}
	} else if c.chance(0.06) {
		devices["constraints"] = list{obj{"distinctAttribute": "gpu.example.com/index"}}
	}
	if c.chance(0.04) {
		part(claim, "metadata")["deletionTimestamp"] = "2025-12-31T23:00:00Z"
	}
	c.use(c.pod, name)
}

// preference would rather have one kind of device than another, which not every node can give it.
func (c *cluster) preference(name string) {
	c.easy(1)
	kinds := list{}
	for i, model := range pick(c, []string{"a", "b"}, []string{"b", "a"}) {
		kinds = append(kinds, obj{
			"name": fmt.Sprintf("alt%d", i), "deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1,
			"selectors": list{obj{"cel": obj{"expression": `device.attributes["gpu.example.com"].model == "` + model + `"`}}},
		})
	}
	c.deviceClaim(namespaceOf(c.pod), name, list{obj{"name": "r", "firstAvailable": kinds}})
	c.use(c.pod, name)
}

// request asks for devices: of one kind, or of the first kind in a list of which there are enough.
func (c *cluster) request(name string) obj {
	if !c.chance(0.25) {
		return obj{"name": name, "exactly": c.exactly(true)}
	}
	alternatives := list{}
	for i := range c.between(1, 3) {
		alternative := c.exactly(false)
		alternative["name"] = fmt.Sprintf("alt%d", i)
		alternatives = append(alternatives, alternative)
	}
	return obj{"name": name, "firstAvailable": alternatives}
}

func (c *cluster) exactly(top bool) obj {
	made := obj{"deviceClassName": pick(c, "gpu", "gpu", "gpu", "any", "any", "big", "nic"), "allocationMode": "ExactCount", "count": pick(c, 1, 1, 1, 1, 2, 3)}
	if c.chance(0.03) {
		made["deviceClassName"] = "gone"
	}
	if c.chance(0.12) {
		made["allocationMode"] = "All"
		delete(made, "count")
	}
	for c.chance(0.22) {
		push(made, "selectors", obj{"cel": obj{"expression": pick(c,
			`device.attributes["gpu.example.com"].model == "a"`,
			`device.attributes["gpu.example.com"].index < 2`,
			`device.attributes["gpu.example.com"].healthy`,
			`device.attributes["gpu.example.com"].firmware.isGreaterThan(semver("1.5.0"))`,
			`device.capacity["gpu.example.com"].memory.isGreaterThan(quantity("20Gi"))`,
			`"missing" in device.attributes["gpu.example.com"]`,
			`device.attributes["example.com"].socket == 1`,
			`device.driver.startsWith("gpu") && device.attributes["gpu.example.com"].model in ["a", "b"]`,
			`device.attributes["gpu.example.com"].nowhere == 1`,
			`!has(device.attributes["gpu.example.com"].nowhere)`,
		)}})
	}
	if c.chance(0.2) {
		toleration := c.toleration("broken", "spare")
		delete(toleration, "tolerationSeconds")
		if effect := toleration["effect"]; effect == "PreferNoSchedule" {
			delete(toleration, "effect")
		}
		push(made, "tolerations", toleration)
	}
	if top && c.chance(0.05) {
		made["adminAccess"] = true
		for _, namespace := range c.namespaces {
			labels(namespace)["resource.kubernetes.io/admin-access"] = "true"
		}
	}
	if c.chance(0.12) {
		made["capacity"] = obj{"requests": obj{"memory": pick(c, "1Gi", "5Gi", "20Gi")}}
	}
	return made
}

// held is a claim that has its device already, here or elsewhere, for this pod or another.
func (c *cluster) held(name string, pools []pool) {
	if len(pools) == 0 {
		return
	}
	of := pick(c, pools...)
	claim := c.deviceClaim(namespaceOf(c.pod), name, list{obj{"name": "r", "exactly": obj{"deviceClassName": "any", "allocationMode": "ExactCount", "count": 1}}})
	c.allocate(claim, of, of.devices[len(of.devices)-1])
	switch c.IntN(3) {
	case 0:
		part(claim, "status")["reservedFor"] = list{obj{"resource": "pods", "name": nameOf(c.pod), "uid": part(c.pod, "metadata")["uid"]}}
	case 1:
		part(claim, "status")["reservedFor"] = list{obj{"resource": "pods", "name": "someone", "uid": "someone"}}
	}
	c.use(c.pod, name)
}

func (c *cluster) fromTemplate(name string) {
	push(spec(c.pod), "resourceClaims", obj{"name": name, "resourceClaimTemplateName": "template"})
	if c.chance(0.2) {
		return // not made yet
	}
	claim := c.deviceClaim(namespaceOf(c.pod), "p-"+name, list{c.request("r")})
	part(claim, "metadata")["ownerReferences"] = list{obj{"apiVersion": "v1", "kind": "Pod", "name": nameOf(c.pod), "uid": part(c.pod, "metadata")["uid"], "controller": true}}
	if c.chance(0.1) {
		part(claim, "metadata")["ownerReferences"].(list)[0].(obj)["uid"] = "another"
	}
	push(part(c.pod, "status"), "resourceClaimStatuses", obj{"name": name, "resourceClaimName": nameOf(claim)})
}

// asExtendedResource asks for a device as for any countable resource.
func (c *cluster) asExtendedResource() {
	name := pick(c, "example.com/gpu", "deviceclass.resource.kubernetes.io/gpu")
	resources := part(first(c.pod), "resources")
	part(resources, "requests")[name] = pick(c, "1", "2")
	part(resources, "limits")[name] = part(resources, "requests")[name]
	for _, node := range c.nodes {
		if c.chance(0.2) && name == "example.com/gpu" {
			part(node, "status", "allocatable")[name] = "1"
			part(node, "status", "capacity")[name] = "1"
		}
	}
}

func (c *cluster) taintRule() {
	selector := obj{"driver": "gpu.example.com"}
	if c.chance(0.5) {
		selector["device"] = "d0"
	}
	c.other("resource.k8s.io/v1", "DeviceTaintRule", "", "rule", obj{
		"deviceSelector": selector,
		"taint":          obj{"key": "broken", "value": "x", "effect": pick(c, "NoSchedule", "NoExecute"), "timeAdded": "2025-06-01T00:00:00Z"},
	})
}
