package generate

import "fmt"

// gangDevices is a group whose pods take devices and volumes from each other while they are placed one after the other.
func gangDevices(c *cluster) {
	c.small(c.between(1, 5))
	c.workloads(c.chance(0.2))
	c.occupy(pick(c, 0, 20, 50, 100), 0, 0, 10, 50, 200)
	running := pick(c, 0, 0, 0, 0, 1)
	a := c.gather(c.between(2, 5), running, pick(c, 10, 100, 1000), 100, 250, 500, 1000, 2000)
	if c.gates["TopologyAwareWorkloadScheduling"] && c.chance(0.4) {
		spec(a.object)["schedulingConstraints"] = obj{"topology": list{obj{"key": pick(c, zone, hostname)}}}
	}
	if !c.chance(0.3) {
		pools := c.takeDevices(a)
		if c.chance(0.25) {
			c.groupClaims(a, pools)
		}
	}
	if c.chance(0.45) {
		c.takeVolumes(a)
	}
	c.each(a, 0.06, taints, nodeAffinity, apart, together, evenly, requests)
	if c.chance(0.1) {
		budgets(c)
	}
	if c.chance(0.08) {
		configuration(c)
	}
	if c.chance(0.05) {
		c.mistakes(a)
	}
	c.pod = a.waiting[0]
}

// takeDevices gives members claims of their own and claims that they share, in either order.
func (c *cluster) takeDevices(a asked) []pool {
	pools := c.offer()
	own, shared := pick(c, 0.9, 1, 1), c.chance(0.4)
	alike := c.request("r")
	plain := c.chance(0.6)
	if plain {
		alike = obj{"name": "r", "exactly": obj{"deviceClassName": pick(c, "gpu", "any"), "allocationMode": "ExactCount", "count": pick(c, 1, 1, 1, 2)}}
	}
	var common []string
	if shared {
		for i := range pick(c, 1, 1, 1, 2) {
			name := fmt.Sprintf("common%d", i)
			c.deviceClaim(namespaceOf(a.object), name, list{c.either(plain)})
			common = append(common, name)
		}
	}
	for _, pod := range a.waiting {
		c.pod = pod
		first := c.chance(0.5)
		if first {
			c.useSome(common)
		}
		switch {
		case !c.chance(own):
		case c.chance(0.05):
			c.wanted("want-"+nameOf(pod), pools)
		case c.chance(0.2):
			c.preference("want-" + nameOf(pod))
		case c.chance(0.15):
			c.asExtendedResource()
		default:
			c.fresh("want-"+nameOf(pod), alike)
		}
		if !first {
			c.useSome(common)
		}
	}
	if c.chance(0.1) {
		c.taintRule()
	}
	return pools
}

// groupClaims are claims of the group itself, by name or from a template, some of which have devices from before.
func (c *cluster) groupClaims(a asked, pools []pool) {
	if c.chance(0.85) {
		c.gates["DRAWorkloadResourceClaims"] = true
	}
	namespace, group := namespaceOf(a.object), nameOf(a.object)
	for i := range pick(c, 1, 1, 2) {
		entry := fmt.Sprintf("group%d", i)
		name := entry + "-claim"
		made := c.chance(0.5)
		source := obj{"name": entry, "resourceClaimName": name}
		if made {
			source = obj{"name": entry, "resourceClaimTemplateName": "template"}
		}
		push(spec(a.object), "resourceClaims", source)
		claim := c.deviceClaim(namespace, name, list{c.either(true)})
		if made {
			owner := obj{"apiVersion": a.object["apiVersion"], "kind": "PodGroup", "name": group, "uid": part(a.object, "metadata")["uid"], "controller": true}
			if c.chance(0.05) {
				owner["name"] = "another"
			}
			part(claim, "metadata")["ownerReferences"] = list{owner}
			push(part(a.object, "status"), "resourceClaimStatuses", obj{"name": entry, "resourceClaimName": name})
		}
		if c.chance(0.4) && len(pools) > 0 {
			of := pick(c, pools...)
			c.allocate(claim, of, of.devices[len(of.devices)-1])
			if c.chance(0.7) {
				part(claim, "status")["reservedFor"] = list{obj{"apiGroup": "scheduling.k8s.io", "resource": "podgroups", "name": group, "uid": part(a.object, "metadata")["uid"]}}
			} else if c.chance(0.3) {
				part(claim, "status")["reservedFor"] = list{obj{"resource": "pods", "name": "someone", "uid": "someone"}}
			}
		}
		for _, pod := range a.waiting {
			if !c.chance(0.85) {
				continue
			}
			push(spec(pod), "resourceClaims", source)
			if made {
				push(part(pod, "status"), "resourceClaimStatuses", obj{"name": entry, "resourceClaimName": name})
			}
		}
	}
}

// either is a request for a device, plain or of any kind.
func (c *cluster) either(plain bool) obj {
	if plain {
		return obj{"name": "r", "exactly": obj{"deviceClassName": pick(c, "gpu", "any", "nic"), "allocationMode": "ExactCount", "count": 1}}
	}
	return c.request("r")
}

// useSome has the pod share claims.
func (c *cluster) useSome(claims []string) {
	for _, claim := range claims {
		if c.chance(0.8) {
			c.use(c.pod, claim)
		}
	}
}

// fresh is a claim that was made for the pod from a template, and has no devices yet.
func (c *cluster) fresh(name string, request obj) {
	push(spec(c.pod), "resourceClaims", obj{"name": "device", "resourceClaimTemplateName": "template"})
	claim := c.deviceClaim(namespaceOf(c.pod), name, list{request})
	part(claim, "metadata")["ownerReferences"] = list{obj{"apiVersion": "v1", "kind": "Pod", "name": nameOf(c.pod), "uid": part(c.pod, "metadata")["uid"], "controller": true}}
	push(part(c.pod, "status"), "resourceClaimStatuses", obj{"name": "device", "resourceClaimName": name})
}

// takeVolumes gives members claims that wait for a pod, and volumes too few for all; some claims are shared.
func (c *cluster) takeVolumes(a asked) {
	c.storage()
	if c.chance(0.5) {
		c.attachable()
	}
	class := pick(c, "local", "local", "wait")
	sizes := []string{"5Gi", "10Gi", "50Gi"}
	for i := range c.between(0, len(a.waiting)+1) {
		volume := c.volume(class, nil)
		part(spec(volume), "capacity")["storage"] = pick(c, sizes...)
		if c.chance(0.7) { // no two are alike in size
			part(spec(volume), "capacity")["storage"] = fmt.Sprintf("%dGi", 5+i)
		}
		if c.chance(0.4) {
			delete(spec(volume), "nodeAffinity")
		}
	}
	var common obj
	if c.chance(0.4) {
		common = c.claim(namespaceOf(a.object), class)
		if c.chance(0.1) {
			part(common, "metadata", "annotations")["volume.kubernetes.io/selected-node"] = nameOf(pick(c, c.nodes...))
		}
	}
	for i, pod := range a.waiting {
		c.pod = pod
		if common != nil && c.chance(0.8) {
			mount(pod, "common", nameOf(common))
		}
		if common == nil || c.chance(0.4) {
			claim := c.claim(namespaceOf(pod), class)
			part(claim, "metadata")["name"] = fmt.Sprintf("data-%d", i)
			part(spec(claim), "resources", "requests")["storage"] = pick(c, "1Gi", "2Gi", "6Gi")
			mount(pod, "data", nameOf(claim))
		}
		if c.chance(0.05) {
			c.anyVolume(c.uid("w"))
		}
	}
}
