package generate

import "fmt"

// volumes gives pods claims of every kind: bound, waiting for a consumer, static, with capacity to reckon with, only for
// one pod, attached in limited number, migrated from in-tree drivers, bound to a zone, or dangling.
func volumes(c *cluster) {
	c.easy(0.6)
	c.storage()
	c.attachable()
	for _, pod := range c.bound() {
		if c.chance(0.35) {
			c.boundVolume(pod)
		}
		if c.chance(0.1) {
			c.diskVolume(pod)
		}
		if c.chance(0.06) {
			push(spec(pod), "volumes", obj{"name": c.uid("inline"), "csi": obj{"driver": "csi.a"}})
		}
	}
	for range c.between(1, 3) {
		c.anyVolume(c.uid("w"))
	}
	if c.chance(0.2) {
		c.attachments()
	}
}

func (c *cluster) anyVolume(name string) {
	switch c.IntN(14) {
	case 0, 1, 2:
		c.boundVolume(c.pod)
	case 3, 4, 5:
		c.waiting(name, "wait")
	case 6, 7:
		c.waiting(name, "local")
	case 8:
		c.onlyOne(name)
	case 9:
		c.diskVolume(c.pod)
	case 10:
		c.ephemeral(name)
	case 11:
		if c.chance(0.5) {
			c.dangling(name)
		}
	case 12:
		push(spec(c.pod), "volumes", obj{"name": name, "csi": obj{"driver": pick(c, "csi.a", "csi.b")}})
	case 13:
		push(spec(c.pod), "volumes", obj{"name": name, "emptyDir": obj{}})
	}
}

func (c *cluster) storage() {
	class := func(name, provisioner, mode string) obj {
		made := c.other("storage.k8s.io/v1", "StorageClass", "", name, nil)
		made["provisioner"], made["volumeBindingMode"], made["reclaimPolicy"] = provisioner, mode, "Delete"
		return made
	}
	class("now", "csi.a", "Immediate")
	wait := class("wait", "csi.a", "WaitForFirstConsumer")
	if c.chance(0.3) {
		wait["allowedTopologies"] = list{obj{"matchLabelExpressions": list{obj{"key": zone, "values": list{pick(c, "z0", "z1"), "z2"}}}}}
	}
	class("local", "kubernetes.io/no-provisioner", "WaitForFirstConsumer")
	class("legacy", pick(c, "kubernetes.io/gce-pd", "kubernetes.io/aws-ebs"), pick(c, "Immediate", "WaitForFirstConsumer"))
	for _, driver := range []string{"csi.a", "csi.b", "pd.csi.storage.gke.io", "ebs.csi.aws.com"} {
		if c.chance(0.75) {
			made := obj{"attachRequired": !c.chance(0.2), "storageCapacity": c.chance(0.6), "podInfoOnMount": false}
			if c.chance(0.15) {
				made["preventPodSchedulingIfMissing"] = true
			}
			c.other("storage.k8s.io/v1", "CSIDriver", "", driver, made)
		}
	}
	for i := range c.IntN(5) {
		capacity := c.other("storage.k8s.io/v1", "CSIStorageCapacity", "kube-system", fmt.Sprintf("cap%d", i), nil)
		capacity["storageClassName"] = pick(c, "wait", "wait", "now")
		if c.chance(0.8) {
			capacity["capacity"] = pick(c, "1Gi", "10Gi", "100Gi", "0")
		}
		if c.chance(0.3) {
			capacity["maximumVolumeSize"] = pick(c, "5Gi", "50Gi")
		}
		if c.chance(0.9) {
			capacity["nodeTopology"] = pick(c, obj{"matchLabels": obj{zone: pick(c, "z0", "z1", "z2")}}, obj{"matchLabels": obj{hostname: nameOf(pick(c, c.nodes...))}}, obj{})
		}
	}
}

// attachable says per node which drivers run there and how many volumes they attach.
func (c *cluster) attachable() {
	for _, node := range c.nodes {
		if c.chance(0.12) {
			continue
		}
		drivers := list{}
		for _, driver := range []string{"csi.a", "csi.b", "pd.csi.storage.gke.io"} {
			if c.chance(0.75) {
				made := obj{"name": driver, "nodeID": nameOf(node), "topologyKeys": list{zone}}
				if c.chance(0.75) {
					made["allocatable"] = obj{"count": c.between(0, 3)}
				}
				drivers = append(drivers, made)
			}
		}
		made := c.other("storage.k8s.io/v1", "CSINode", "", nameOf(node), obj{"drivers": drivers})
		if c.chance(0.3) {
			part(made, "metadata", "annotations")["storage.alpha.kubernetes.io/migrated-plugins"] = "kubernetes.io/gce-pd,kubernetes.io/aws-ebs"
		}
	}
}

// volume is a PersistentVolume; bound to a claim unless `claim` is nil.
func (c *cluster) volume(class string, claim obj) obj {
	name := fmt.Sprintf("pv%d", c.uids)
	made := obj{
		"capacity": obj{"storage": pick(c, "5Gi", "50Gi", "10Gi")}, "accessModes": list{"ReadWriteOnce"}, "storageClassName": class,
		"volumeMode": "Filesystem", "persistentVolumeReclaimPolicy": "Retain",
	}
	switch c.IntN(8) {
	case 0:
		made["nfs"] = obj{"server": "s", "path": "/"}
	case 1:
		made["gcePersistentDisk"] = obj{"pdName": pick(c, "disk-a", "disk-b"), "fsType": "ext4"}
	case 2:
		made["csi"] = obj{"driver": "csi.b", "volumeHandle": pick(c, "shared", name)}
	case 3:
		made["local"] = obj{"path": "/mnt"}
	default:
		made["csi"] = obj{"driver": "csi.a", "volumeHandle": "h-" + name}
	}
	if made["local"] != nil || c.chance(0.5) {
		expression := pick(c,
			obj{"key": zone, "operator": "In", "values": list{pick(c, "z0", "z1", "z2")}},
			obj{"key": hostname, "operator": "In", "values": list{nameOf(pick(c, c.nodes...))}},
			obj{"key": zone, "operator": "Exists"})
		made["nodeAffinity"] = obj{"required": obj{"nodeSelectorTerms": list{obj{"matchExpressions": list{expression}}}}}
	}
	phase := "Available"
	if claim != nil {
		phase = "Bound"
		made["claimRef"] = obj{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": namespaceOf(claim), "name": nameOf(claim), "uid": part(claim, "metadata")["uid"]}
	}
	volume := c.other("v1", "PersistentVolume", "", name, made)
	volume["status"] = obj{"phase": phase}
	if c.chance(0.3) {
		labels(volume)[pick(c, zone, "failure-domain.beta.kubernetes.io/zone", region)] = pick(c, "z0", "z1", "z0__z1", "r1", "r2")
	}
	if c.chance(0.2) {
		labels(volume)["grade"] = pick(c, "gold", "iron")
	}
	return volume
}

func (c *cluster) claim(namespace, class string) obj {
	claim := c.other("v1", "PersistentVolumeClaim", namespace, fmt.Sprintf("c%d", c.uids), obj{
		"accessModes": list{"ReadWriteOnce"}, "volumeMode": "Filesystem", "storageClassName": class,
		"resources": obj{"requests": obj{"storage": pick(c, "1Gi", "2Gi", "8Gi", "20Gi")}},
	})
	claim["status"] = obj{"phase": "Pending"}
	return claim
}

func mount(pod obj, name, claim string) {
	push(spec(pod), "volumes", obj{"name": name, "persistentVolumeClaim": obj{"claimName": claim}})
}

func (c *cluster) bind(claim obj) obj {
	volume := c.volume(spec(claim)["storageClassName"].(string), claim)
	spec(claim)["volumeName"] = nameOf(volume)
	claim["status"] = obj{"phase": "Bound", "accessModes": spec(claim)["accessModes"], "capacity": obj{"storage": "5Gi"}}
	annotations := part(claim, "metadata", "annotations")
	annotations["pv.kubernetes.io/bind-completed"], annotations["pv.kubernetes.io/bound-by-controller"] = "yes", "yes"
	return volume
}

func (c *cluster) boundVolume(pod obj) {
	claim := c.claim(namespaceOf(pod), pick(c, "now", "wait", "local", "legacy"))
	c.bind(claim)
	mount(pod, "data-"+nameOf(claim), nameOf(claim))
	if c.chance(0.1) && len(c.bound()) > 0 {
		if other := pick(c, c.bound()...); namespaceOf(other) == namespaceOf(pod) {
			mount(other, "shared-"+nameOf(claim), nameOf(claim))
		}
	}
}

// waiting is a claim that is bound only when its pod has a node, to a volume that may be there.
func (c *cluster) waiting(name, class string) {
	claim := c.claim(namespaceOf(c.pod), class)
	mount(c.pod, name, nameOf(claim))
	for range c.IntN(4) {
		c.volume(class, nil)
	}
	if c.chance(0.15) {
		volume := c.volume(class, nil)
		spec(volume)["claimRef"] = obj{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": namespaceOf(claim), "name": nameOf(claim)}
	}
	if c.chance(0.15) {
		spec(claim)["selector"] = obj{"matchLabels": obj{"grade": "gold"}}
	}
	if c.chance(0.1) {
		part(claim, "metadata", "annotations")["volume.kubernetes.io/selected-node"] = nameOf(pick(c, c.nodes...))
	}
}

// onlyOne is a claim that a single pod may use at a time.
func (c *cluster) onlyOne(name string) {
	claim := c.claim(namespaceOf(c.pod), "now")
	spec(claim)["accessModes"] = list{"ReadWriteOncePod"}
	volume := c.bind(claim)
	spec(volume)["accessModes"] = list{"ReadWriteOncePod"}
	mount(c.pod, name, nameOf(claim))
	for _, pod := range c.bound() {
		if namespaceOf(pod) == namespaceOf(claim) && c.chance(0.25) {
			mount(pod, name, nameOf(claim))
			return
		}
	}
}

// diskVolume is a volume named in the pod, which some drivers let one pod (or only readers) use.
func (c *cluster) diskVolume(pod obj) {
	source := pick(c,
		obj{"gcePersistentDisk": obj{"pdName": pick(c, "disk-a", "disk-b"), "readOnly": c.chance(0.3)}},
		obj{"awsElasticBlockStore": obj{"volumeID": pick(c, "vol-a", "vol-b")}},
		obj{"rbd": obj{"monitors": list{"m1", pick(c, "m2", "m3")}, "image": "i", "pool": "rbd", "user": "admin", "keyring": "/k", "readOnly": c.chance(0.3)}},
		obj{"iscsi": obj{"targetPortal": "1.2.3.4", "iqn": pick(c, "iqn.2026-01.com.example:a", "iqn.2026-01.com.example:b"), "lun": 0, "iscsiInterface": "default", "readOnly": c.chance(0.3)}},
	)
	source["name"] = c.uid("disk")
	push(spec(pod), "volumes", source)
}

// ephemeral is a volume whose claim is made for the pod, named after both.
func (c *cluster) ephemeral(name string) {
	push(spec(c.pod), "volumes", obj{"name": name, "ephemeral": obj{"volumeClaimTemplate": obj{"spec": obj{
		"accessModes": list{"ReadWriteOnce"}, "storageClassName": "wait", "resources": obj{"requests": obj{"storage": "1Gi"}},
	}}}})
	if c.chance(0.15) {
		return // not made yet
	}
	claim := c.claim(namespaceOf(c.pod), "wait")
	part(claim, "metadata")["name"] = nameOf(c.pod) + "-" + name
	if !c.chance(0.15) {
		part(claim, "metadata")["ownerReferences"] = list{obj{"apiVersion": "v1", "kind": "Pod", "name": nameOf(c.pod), "uid": part(c.pod, "metadata")["uid"], "controller": true, "blockOwnerDeletion": true}}
	}
}

// dangling is a reference to something that is missing, lost, being deleted or not bound.
func (c *cluster) dangling(name string) {
	claim := c.claim(namespaceOf(c.pod), "now")
	mount(c.pod, name, nameOf(claim))
	switch c.IntN(7) {
	case 0:
		part(claim, "metadata")["name"] = "another"
	case 1:
		part(claim, "metadata")["deletionTimestamp"] = "2025-12-31T23:00:00Z"
		part(claim, "metadata")["finalizers"] = list{"kubernetes.io/pvc-protection"}
	case 2:
		c.bind(claim)
		claim["status"] = obj{"phase": "Lost"}
	case 3:
		c.bind(claim)
		spec(claim)["volumeName"] = "gone"
	case 4:
		spec(claim)["storageClassName"] = "gone"
	case 5:
		delete(spec(claim), "storageClassName")
	}
}

// attachments are volumes that are attached to nodes, some that no pod accounts for.
func (c *cluster) attachments() {
	for i := range c.between(1, 3) {
		source := obj{"persistentVolumeName": "gone"}
		for _, volume := range c.others {
			if volume["kind"] == "PersistentVolume" && c.chance(0.5) {
				source = obj{"persistentVolumeName": nameOf(volume)}
			}
		}
		made := c.other("storage.k8s.io/v1", "VolumeAttachment", "", fmt.Sprintf("at%d", i), obj{"attacher": pick(c, "csi.a", "csi.b"), "nodeName": nameOf(pick(c, c.nodes...)), "source": source})
		made["status"] = obj{"attached": true}
	}
}
