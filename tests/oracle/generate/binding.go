package generate

import (
	"fmt"
	"time"
)

// binding gives the pending pod claims whose devices are not ready yet: allocated, with conditions that must be true before
// the pod may be bound, some of them for longer than the scheduler waits.
func binding(c *cluster) {
	c.easy(1)
	c.classes()
	timeout := 600
	if c.config == nil && c.chance(0.4) {
		timeout = 60
		c.config = obj{"apiVersion": configAPI, "kind": "KubeSchedulerConfiguration", "profiles": list{obj{
			"schedulerName": "default-scheduler",
			"pluginConfig": list{obj{"name": "DynamicResources", "args": obj{
				"apiVersion": configAPI, "kind": "DynamicResourcesArgs", "bindingTimeout": "60s",
			}}},
		}}}
	}
	var pools []pool
	for _, node := range c.nodes {
		if made := c.slice(node); !made.shared {
			pools = append(pools, made)
		}
	}
	if len(pools) == 0 {
		return
	}
	taken := map[string]bool{}
	for i := range pick(c, 1, 1, 2) {
		of := pick(c, pools...)
		device := pick(c, of.devices...)
		if taken[of.name+device] {
			continue
		}
		taken[of.name+device] = true
		c.unready(fmt.Sprintf("bind%d", i), of, device, timeout)
	}
	if c.chance(0.3) {
		c.wanted("more", pools)
	}
}

// unready is a claim that has this device, which is ready, not ready yet, or failed.
func (c *cluster) unready(name string, of pool, device string, timeout int) {
	claim := c.deviceClaim(namespaceOf(c.pod), name, list{obj{"name": "r", "exactly": obj{"deviceClassName": pick(c, "any", "gpu"), "allocationMode": "ExactCount", "count": 1}}})
	c.allocate(claim, of, device)
	allocation := part(claim, "status", "allocation")
	at, err := time.Parse(time.RFC3339, Now)
	if err != nil {
		panic(err)
	}
	// Half a minute from the instant at which the scheduler gives up.
	age := pick(c, 5, timeout-30, timeout-30, timeout+30, timeout+30, 7200)
	allocation["allocationTimestamp"] = at.Add(-time.Duration(age) * time.Second).Format(time.RFC3339)
	if c.chance(0.1) {
		delete(allocation, "allocationTimestamp")
	}
	result := part(allocation, "devices")["results"].(list)[0].(obj)
	if !c.chance(0.1) {
		result["bindingConditions"] = pick(c, list{"example.com/ready"}, list{"example.com/ready", "example.com/attached"})
		result["bindingFailureConditions"] = pick(c, list{"example.com/failed"}, list{"example.com/failed", "example.com/gone"})
	}
	if c.chance(0.7) {
		conditions := list{}
		for _, kind := range []string{"example.com/ready", "example.com/attached", "example.com/failed"} {
			if kind == "example.com/failed" && c.chance(0.7) || c.chance(0.3) {
				continue
			}
			conditions = append(conditions, obj{"type": kind, "status": pick(c, "True", "True", "False", "Unknown"), "reason": "Told", "message": "", "lastTransitionTime": "2025-12-31T23:00:00Z"})
		}
		part(claim, "status")["devices"] = list{obj{"driver": of.driver, "pool": of.name, "device": device, "conditions": conditions}}
	}
	if c.chance(0.4) {
		part(claim, "status")["reservedFor"] = list{obj{"resource": "pods", "name": nameOf(c.pod), "uid": part(c.pod, "metadata")["uid"]}}
	}
	c.use(c.pod, name)
}
