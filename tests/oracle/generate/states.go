package generate

import "fmt"

const classAnnotation = "volume.beta.kubernetes.io/storage-class"

// annotations says the class of claims and volumes in the annotation of old, with or beside the field.
func annotations(c *cluster) {
	volumes(c)
	for _, made := range c.others {
		if kind := made["kind"]; kind != "PersistentVolumeClaim" && kind != "PersistentVolume" || c.chance(0.35) {
			continue
		}
		class := spec(made)["storageClassName"]
		if class == nil {
			class = pick(c, "wait", "now", "local")
		}
		switch c.IntN(4) {
		case 0, 1:
			delete(spec(made), "storageClassName")
		case 2:
			spec(made)["storageClassName"] = pick(c, "wait", "now", "local", "", "gone")
		}
		part(made, "metadata", "annotations")[classAnnotation] = pick[any](c, class, class, class, "", "gone")
	}
}

// claimStates gives the pending pod claims to volumes and devices in every state that they can be in.
func claimStates(c *cluster) {
	c.easy(0.8)
	c.storage()
	c.attachable()
	for i := range pick(c, 1, 1, 2) {
		c.claimInState(fmt.Sprintf("s%d", i))
	}
	if c.minor >= recent && c.chance(0.4) && spec(c.pod)["resourceClaims"] == nil {
		pools := c.offer()
		for i := range c.between(1, 2) {
			c.deviceClaimInState(fmt.Sprintf("d%d", i), pools)
		}
	}
}

func (c *cluster) claimInState(name string) {
	claim := c.claim(namespaceOf(c.pod), pick(c, "now", "wait", "local", "legacy", "gone"))
	mount(c.pod, name, nameOf(claim))
	leaving := func(object obj) {
		part(object, "metadata")["deletionTimestamp"] = "2025-12-31T23:00:00Z"
		part(object, "metadata")["finalizers"] = list{"kubernetes.io/pvc-protection"}
	}
	switch c.IntN(16) {
	case 0, 12, 13: // pending, with volumes that may do
		for range c.IntN(3) {
			c.volume(spec(claim)["storageClassName"].(string), nil)
		}
	case 1: // pending without a class
		delete(spec(claim), "storageClassName")
		if c.chance(0.5) {
			spec(claim)["storageClassName"] = ""
		}
	case 2: // missing
		part(claim, "metadata")["name"] = "another-" + name
	case 3: // of another namespace
		part(claim, "metadata")["namespace"] = "green"
	case 4:
		leaving(claim)
	case 5: // wants a volume by name that has not been bound yet
		spec(claim)["volumeName"] = nameOf(c.volume(spec(claim)["storageClassName"].(string), nil))
	default: // bound, and something wrong with it in some way or other
		volume := c.bind(claim)
		switch c.IntN(14) {
		case 0:
			claim["status"] = obj{"phase": "Lost"}
		case 1:
			leaving(claim)
		case 2:
			leaving(volume)
		case 3:
			spec(claim)["volumeName"] = "gone"
		case 4:
			delete(part(claim, "metadata", "annotations"), "pv.kubernetes.io/bind-completed")
		case 5:
			volume["status"] = obj{"phase": pick(c, "Released", "Failed", "Available", "Pending")}
		case 6:
			part(spec(volume), "claimRef")["uid"] = "another"
		case 7:
			delete(spec(volume), "claimRef")
		}
	}
	if c.chance(0.1) {
		part(claim, "metadata", "annotations")["volume.kubernetes.io/selected-node"] = pick(c, "gone", nameOf(pick(c, c.nodes...)))
	}
}

func (c *cluster) deviceClaimInState(name string, pools []pool) {
	if len(pools) == 0 || c.chance(0.25) {
		c.wanted(name, pools)
		return
	}
	of := pick(c, pools...)
	claim := c.deviceClaim(namespaceOf(c.pod), name, list{obj{"name": "r", "exactly": obj{"deviceClassName": pick(c, "any", "gpu"), "allocationMode": "ExactCount", "count": 1}}})
	if c.chance(0.75) {
		c.allocate(claim, of, pick(c, of.devices...))
	}
	status := part(claim, "status")
	switch c.IntN(8) {
	case 0:
		part(claim, "metadata")["deletionTimestamp"] = "2025-12-31T23:00:00Z"
		part(claim, "metadata")["finalizers"] = list{"resource.kubernetes.io/delete-protection"}
	case 1: // in use by others, as many as may be at a time, or nearly
		reserved := list{}
		for i := range pick(c, 1, 255, 256) {
			reserved = append(reserved, obj{"resource": "pods", "name": fmt.Sprintf("user%d", i), "uid": fmt.Sprintf("user%d", i)})
		}
		status["reservedFor"] = reserved
	case 2: // reserved for the pod, or for another one of its name
		status["reservedFor"] = list{obj{"resource": "pods", "name": nameOf(c.pod), "uid": pick(c, part(c.pod, "metadata")["uid"], "another")}}
	case 3:
		if status["allocation"] != nil {
			part(status, "allocation")["nodeSelector"] = obj{"nodeSelectorTerms": list{obj{"matchFields": list{obj{"key": "metadata.name", "operator": "In", "values": list{"gone"}}}}}}
		}
	case 4: // a device that is offered no more
		for _, result := range c.resultsOf(status) {
			result["device"] = "gone"
		}
	case 5: // missing
		part(claim, "metadata")["name"] = "another-" + name
	case 6: // made for another pod
		part(claim, "metadata")["ownerReferences"] = list{obj{"apiVersion": "v1", "kind": "Pod", "name": "another", "uid": "another", "controller": true}}
	}
	c.use(c.pod, name)
}

func (c *cluster) resultsOf(status obj) (results []obj) {
	if status["allocation"] != nil {
		for _, result := range part(status, "allocation", "devices")["results"].(list) {
			results = append(results, result.(obj))
		}
	}
	return results
}

// preFilters has several plugins work before any node is looked at: each may refuse the pod, name the nodes that are left, or fail.
func preFilters(c *cluster) {
	c.easy(0.7)
	add := []ingredient{nodeAffinity, ports, podAffinity, spread, volumes, since(recent, claims), claimStates, requests}
	c.Shuffle(len(add), func(i, j int) { add[i], add[j] = add[j], add[i] })
	for _, one := range add[:c.between(2, 4)] {
		one(c)
	}
	field := func() obj {
		name := nameOf(pick(c, c.nodes...))
		if c.chance(0.1) {
			name = "gone"
		}
		return obj{"matchFields": list{obj{"key": "metadata.name", "operator": "In", "values": list{name}}}}
	}
	if c.chance(0.6) {
		part(spec(c.pod), "affinity", "nodeAffinity")["requiredDuringSchedulingIgnoredDuringExecution"] = obj{"nodeSelectorTerms": list{field()}}
		for c.chance(0.4) {
			c.require(field())
		}
	}
	if c.chance(0.4) {
		c.onlyOne("one")
	}
	if c.chance(0.4) {
		claim := c.claim(namespaceOf(c.pod), "local")
		c.bind(claim)
		mount(c.pod, "pinned", nameOf(claim))
	}
}
