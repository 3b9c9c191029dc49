package generate

import "fmt"

// selector is a label selector that matches some of the pods.
func (c *cluster) selector() obj {
	if c.chance(0.05) {
		return obj{} // matches everything
	}
	if c.chance(0.4) {
		return obj{"matchLabels": obj{"app": pick(c, "web", "db", "cache")}}
	}
	expression := obj{"key": pick(c, "app", "tier"), "operator": pick(c, "In", "NotIn", "Exists", "DoesNotExist")}
	if operator := expression["operator"]; operator == "In" || operator == "NotIn" {
		expression["values"] = pick(c, list{"web"}, list{"web", "x"}, list{"db", "y"}, list{"cache", "db", "x"})
	}
	made := obj{"matchExpressions": list{expression}}
	if c.chance(0.2) {
		made["matchLabels"] = obj{"tier": pick(c, "x", "y")}
	}
	return made
}

// podTerm is a term of pod affinity, with matchLabelKeys merged into its selector as the API server does.
func (c *cluster) podTerm(pod obj) obj {
	term := obj{"labelSelector": c.selector(), "topologyKey": pick(c, zone, zone, hostname, region, "disk")}
	if c.chance(0.25) {
		term["namespaceSelector"] = pick(c, obj{}, obj{"matchLabels": obj{"team": "x"}}, obj{"matchExpressions": list{obj{"key": "team", "operator": "Exists"}}}, obj{"matchLabels": obj{"kubernetes.io/metadata.name": "blue"}})
	}
	if c.chance(0.25) {
		term["namespaces"] = pick(c, list{"blue"}, list{"default", "green"}, list{"gone"})
	}
	if c.chance(0.03) {
		delete(term, "labelSelector")
		return term
	}
	if hash, has := labels(pod)["pod-template-hash"]; has && c.chance(0.2) {
		field, operator := "matchLabelKeys", "In"
		if c.chance(0.4) {
			field, operator = "mismatchLabelKeys", "NotIn"
		}
		term[field] = list{"pod-template-hash"}
		push(term["labelSelector"].(obj), "matchExpressions", obj{"key": "pod-template-hash", "operator": operator, "values": list{hash}})
	}
	return term
}

func podAffinity(c *cluster) {
	c.easy(0.3)
	const required, preferred = "requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution"
	add := func(pod obj, kind string, odds float64) {
		if c.chance(odds) {
			push(part(spec(pod), "affinity", kind), required, c.podTerm(pod))
		}
		if c.chance(odds / 3) {
			push(part(spec(pod), "affinity", kind), required, c.podTerm(pod))
		}
		for c.chance(odds) {
			push(part(spec(pod), "affinity", kind), preferred, obj{"weight": c.between(1, 100), "podAffinityTerm": c.podTerm(pod)})
			odds /= 2
		}
	}
	for _, pod := range c.bound() {
		add(pod, "podAffinity", 0.1)
		add(pod, "podAntiAffinity", 0.2)
	}
	add(c.pod, "podAffinity", 0.4)
	add(c.pod, "podAntiAffinity", 0.55)
	if c.chance(0.12) {
		c.firstOfItsKind()
	}
}

// firstOfItsKind is a pod that wants to be near pods like itself, of which there may be none yet.
func (c *cluster) firstOfItsKind() {
	labels(c.pod)["app"] = "lonely"
	part(spec(c.pod), "affinity")["podAffinity"] = obj{"requiredDuringSchedulingIgnoredDuringExecution": list{
		obj{"labelSelector": obj{"matchLabels": obj{"app": "lonely"}}, "topologyKey": pick(c, zone, hostname)},
	}}
}

func spread(c *cluster) {
	c.easy(0.3)
	for range c.between(1, 3) {
		constraint := obj{
			"maxSkew": c.between(1, 3), "topologyKey": pick(c, zone, zone, hostname, "disk", region),
			"whenUnsatisfiable": pick(c, "DoNotSchedule", "DoNotSchedule", "ScheduleAnyway"),
			"labelSelector":     c.selector(),
		}
		if c.chance(0.5) {
			constraint["labelSelector"] = obj{"matchLabels": obj{"app": labels(c.pod)["app"]}}
		}
		if c.chance(0.3) && constraint["whenUnsatisfiable"] == "DoNotSchedule" {
			constraint["minDomains"] = c.between(1, 5)
		}
		if c.chance(0.4) {
			constraint["nodeAffinityPolicy"] = pick(c, "Honor", "Ignore")
		}
		if c.chance(0.4) {
			constraint["nodeTaintsPolicy"] = pick(c, "Honor", "Ignore")
		}
		if hash, has := labels(c.pod)["pod-template-hash"]; has && c.chance(0.3) {
			constraint["matchLabelKeys"] = list{"pod-template-hash"}
			if c.chance(0.5) {
				push(constraint["labelSelector"].(obj), "matchExpressions", obj{"key": "pod-template-hash", "operator": "In", "values": list{hash}})
			}
		}
		if c.unlike(constraint) {
			push(spec(c.pod), "topologySpreadConstraints", constraint)
		}
	}
	if c.chance(0.3) && len(c.bound()) > 0 {
		pod := pick(c, c.bound()...)
		part(pod, "metadata")["deletionTimestamp"] = "2025-12-31T23:59:50Z"
		part(pod, "metadata")["deletionGracePeriodSeconds"] = 30
	}
}

// unlike says whether no other constraint has this one's key and action, which the API forbids.
func (c *cluster) unlike(constraint obj) bool {
	have, _ := spec(c.pod)["topologySpreadConstraints"].(list)
	for _, other := range have {
		if other.(obj)["topologyKey"] == constraint["topologyKey"] && other.(obj)["whenUnsatisfiable"] == constraint["whenUnsatisfiable"] {
			return false
		}
	}
	return true
}

// services are what the scheduler's own spreading goes by.
func services(c *cluster) {
	namespace, match := namespaceOf(c.pod), obj{"app": labels(c.pod)["app"]}
	for i := range c.between(1, 2) {
		name := fmt.Sprintf("s%d", i)
		switch c.IntN(4) {
		case 0:
			c.other("v1", "Service", namespace, name, obj{"selector": match, "type": "ClusterIP", "ports": list{obj{"port": 80, "protocol": "TCP", "targetPort": 80}}})
		case 1:
			c.other("v1", "ReplicationController", namespace, name, obj{"selector": match, "replicas": 1})
			c.owned("v1", "ReplicationController", name)
		case 2:
			c.other("apps/v1", "ReplicaSet", namespace, name, obj{"selector": obj{"matchLabels": match}, "replicas": 1})
			c.owned("apps/v1", "ReplicaSet", name)
		case 3:
			c.other("apps/v1", "StatefulSet", namespace, name, obj{"selector": obj{"matchLabels": match}, "replicas": 1, "serviceName": name})
			c.owned("apps/v1", "StatefulSet", name)
		}
	}
}

func (c *cluster) owned(apiVersion, kind, name string) {
	meta := part(c.pod, "metadata")
	if meta["ownerReferences"] != nil {
		return
	}
	meta["ownerReferences"] = list{obj{"apiVersion": apiVersion, "kind": kind, "name": name, "uid": c.uid(kind), "controller": true, "blockOwnerDeletion": true}}
}
