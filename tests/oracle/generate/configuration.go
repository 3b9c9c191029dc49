package generate

const configAPI = "kubescheduler.config.k8s.io/v1"

// configuration changes what the scheduler runs: plugins off or weighted otherwise, and every argument that has a say.
func configuration(c *cluster) {
	profile := obj{"schedulerName": "default-scheduler"}
	for range c.between(1, 2) {
		c.adjust(profile)
	}
	profiles := list{profile}
	if c.chance(0.2) {
		profiles = append(profiles, obj{"schedulerName": "another", "plugins": obj{"score": obj{"disabled": list{obj{"name": "*"}}}}})
		if c.chance(0.5) {
			spec(c.pod)["schedulerName"] = "another"
		}
	}
	c.config = obj{"apiVersion": configAPI, "kind": "KubeSchedulerConfiguration", "profiles": profiles}
	images(c)
}

func (c *cluster) adjust(profile obj) {
	arguments := func(plugin string, args obj) {
		args["apiVersion"], args["kind"] = configAPI, plugin+"Args"
		have, _ := profile["pluginConfig"].(list)
		for _, other := range have {
			if other.(obj)["name"] == plugin {
				return
			}
		}
		push(profile, "pluginConfig", obj{"name": plugin, "args": args})
	}
	switch c.IntN(11) {
	case 0:
		name := pick(c, "DefaultPreemption", "NodeResourcesFit", "TaintToleration", "PodTopologySpread", "InterPodAffinity", "ImageLocality")
		push(part(profile, "plugins", "multiPoint"), "disabled", obj{"name": name})
	case 1:
		push(part(profile, "plugins", "filter"), "disabled", obj{"name": pick(c, "TaintToleration", "NodeResourcesFit", "NodeAffinity", "NodePorts")})
	case 2:
		if part(profile, "plugins")["score"] != nil {
			return
		}
		name := pick(c, "NodeResourcesFit", "NodeAffinity", "TaintToleration", "ImageLocality", "PodTopologySpread", "InterPodAffinity", "NodeResourcesBalancedAllocation")
		push(part(profile, "plugins", "score"), "disabled", obj{"name": name})
		push(part(profile, "plugins", "score"), "enabled", obj{"name": name, "weight": c.between(1, 20)})
	case 3:
		arguments("NodeResourcesFit", obj{"scoringStrategy": c.scoring()})
	case 4:
		arguments("NodeResourcesFit", obj{"ignoredResources": list{"example.com/gpu"}, "ignoredResourceGroups": list{"example.com"}})
		requests(c)
	case 5:
		arguments("NodeResourcesBalancedAllocation", obj{"resources": list{obj{"name": "cpu", "weight": 1}, obj{"name": "memory", "weight": 1}, obj{"name": "ephemeral-storage", "weight": 1}}})
	case 6:
		arguments("NodeAffinity", obj{"addedAffinity": pick(c,
			obj{"requiredDuringSchedulingIgnoredDuringExecution": obj{"nodeSelectorTerms": list{c.addedTerm()}}},
			obj{"preferredDuringSchedulingIgnoredDuringExecution": list{obj{"weight": 10, "preference": c.addedTerm()}}},
		)})
	case 7:
		arguments("PodTopologySpread", obj{"defaultingType": "List", "defaultConstraints": list{
			obj{"maxSkew": 1, "topologyKey": pick(c, zone, hostname), "whenUnsatisfiable": pick(c, "DoNotSchedule", "ScheduleAnyway")},
		}})
		services(c)
	case 8:
		arguments("InterPodAffinity", obj{"hardPodAffinityWeight": pick(c, 0, 1, 50, 100), "ignorePreferredTermsOfExistingPods": c.chance(0.5)})
		podAffinity(c)
	case 9:
		arguments("DefaultPreemption", obj{"minCandidateNodesPercentage": pick(c, 10, 100), "minCandidateNodesAbsolute": pick(c, 1, 500)})
	case 10:
		args := obj{"bindTimeoutSeconds": 600}
		if c.minor >= 37 { // refused before
			args["shape"] = list{obj{"utilization": 0, "score": 10}, obj{"utilization": 100, "score": 0}}
		}
		arguments("VolumeBinding", args)
		volumes(c)
	}
}

func (c *cluster) addedTerm() obj {
	return obj{"matchExpressions": list{obj{"key": zone, "operator": "In", "values": list{pick(c, "z0", "z1"), "z2"}}}}
}

func (c *cluster) scoring() obj {
	made := obj{"type": pick(c, "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"), "resources": list{obj{"name": "cpu", "weight": c.between(1, 5)}, obj{"name": "memory", "weight": 1}}}
	if c.chance(0.4) {
		push(made, "resources", obj{"name": "example.com/gpu", "weight": 3})
	}
	if made["type"] == "RequestedToCapacityRatio" {
		made["requestedToCapacityRatio"] = obj{"shape": list{obj{"utilization": 0, "score": 0}, obj{"utilization": 40, "score": 9}, obj{"utilization": 100, "score": 2}}}
	}
	return made
}
