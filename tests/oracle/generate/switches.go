package generate

import "oracle/upstream"

// switchable is a feature gate that has a say in decisions.
type switchable struct {
	name  string
	add   ingredient
	since int // the first minor in which it means what it does today; 0 for the first that has such cases
}

var switchables = []switchable{
	{name: "TaintTolerationComparisonOperators", add: comparedTaints},
	{name: "VolumeLimitScaling", add: volumes},
	{name: "StorageCapacityScoring", add: volumes},
	{name: "InterPodAffinityHostnameFastPath", add: podAffinity},
	{name: "PodLevelResources", add: requests},
	{name: "InPlacePodVerticalScaling", add: requests},
	{name: "InPlacePodLevelResourcesVerticalScaling", add: requests},
	{name: "MatchLabelKeysInPodTopologySpread", add: spread},
	{name: "NodeInclusionPolicyInPodTopologySpread", add: spread},
	{name: "NodeDeclaredFeatures", add: declaredFeatures},
	{name: "DynamicResourceAllocation", add: claims, since: 34},
	{name: "DRAAdminAccess", add: claims, since: 34},
	{name: "DRAPrioritizedList", add: claims, since: 34},
	{name: "DRAPartitionableDevices", add: claims, since: 34},
	{name: "DRADeviceTaints", add: claims, since: 34},
	{name: "DRADeviceTaintRules", add: claims, since: 37},
	{name: "DRAConsumableCapacity", add: claims, since: 34},
	{name: "DRAExtendedResource", add: claims, since: 34},
	{name: "DRADeviceBindingConditions", add: claims, since: 36},
	{name: "DRAResourceClaimDeviceStatus", add: claims, since: 36},
	{name: "DRAListTypeAttributes", add: listed, since: 36},
	{name: "DRADerivedAttributes", add: derived, since: 37},
}

// switches sets feature gates to something else than their default, and makes what they are about.
func switches(c *cluster) {
	var all []switchable
	for _, gate := range switchables {
		if settable, _ := upstream.Gate(gate.name); settable && c.minor >= gate.since {
			all = append(all, gate)
		}
	}
	c.gates = map[string]bool{}
	for range pick(c, 1, 1, 2, 3) {
		gate := pick(c, all...)
		_, on := upstream.Gate(gate.name)
		c.gates[gate.name] = !on
	}
	c.allowed()
	for _, gate := range all {
		if _, set := c.gates[gate.name]; set {
			gate.add(c)
		}
	}
}

// allowed leaves out gates that a scheduler would not start with: one that is on needs others, and one that is off is needed.
func (c *cluster) allowed() {
	for len(c.gates) > 0 {
		if restore, err := upstream.SetGates(c.gates); err == nil {
			restore()
			return
		}
		delete(c.gates, pick(c, switchables...).name)
	}
}

// comparedTaints are taints whose values are numbers, and tolerations that compare with them.
func comparedTaints(c *cluster) {
	c.easy(0.5)
	for _, node := range c.nodes {
		if c.chance(0.7) {
			c.taint(node, obj{"key": "level", "value": pick(c, "1", "5", "3", "x", "", "9223372036854775807"), "effect": pick(c, "NoSchedule", "PreferNoSchedule")})
		}
	}
	for range c.between(1, 2) {
		push(spec(c.pod), "tolerations", obj{"key": "level", "operator": pick(c, "Gt", "Lt"), "value": pick(c, "0", "4", "5", "-3", "100")})
	}
}
