package generate

import "strings"

// exact gives a cluster with volumes or devices amounts that are equal, or differ by less than their unit, and names of
// capacities in both forms: what fits is decided by the exact amounts.
func exact(c *cluster) {
	if c.chance(0.3) {
		volumes(c)
	} else {
		claims(c)
	}
	for _, made := range c.others {
		switch made["kind"] {
		case "CSIStorageCapacity":
			for _, field := range []string{"capacity", "maximumVolumeSize"} {
				if made[field] != nil {
					made[field] = pick(c, storageAmounts...)
				}
			}
		case "PersistentVolumeClaim":
			if c.chance(0.7) {
				part(made, "spec", "resources", "requests")["storage"] = pick(c, storageAmounts...)
			}
		case "ResourceSlice":
			devices, _ := spec(made)["devices"].(list)
			for _, device := range devices {
				c.capacities(device.(obj), spec(made)["driver"].(string))
			}
		case "ResourceClaim":
			c.shares(made)
		}
	}
}

// storageAmounts are around one and ten gibibytes.
var storageAmounts = []any{
	"1Gi", "1073741824", "1073741823", "1073741825", "1073741824500m", "1073741823999m", "1.0000000001Gi", "1024.5Mi", "1G",
	"10Gi", "10240.001Mi", "10.0Gi", "8Ei", "9223372036854775807", "1e19", "0", "1m",
}

// capacities makes those of a device: whole and in parts, with policies, by short and by full names.
func (c *cluster) capacities(device obj, driver string) {
	if c.chance(0.4) {
		device["allowMultipleAllocations"] = true
	}
	capacity := part(device, "capacity")
	for _, name := range []string{"memory", driver + "/memory", "cores", driver + "/cores"} {
		if !c.chance(0.4) {
			continue
		}
		made := obj{"value": pick[any](c, "10", "2500m", "2.5", "3", "10Gi", "9223372036854775807", "0")}
		if c.chance(0.5) && device["allowMultipleAllocations"] == true {
			made["requestPolicy"] = pick(c,
				obj{"default": "1", "validRange": obj{"min": "500m", "max": "2500m", "step": "250m"}},
				obj{"default": "500m", "validRange": obj{"min": "500m", "step": "1"}},
				obj{"default": "1", "validRange": obj{"min": "1", "max": "10"}},
				obj{"default": "1", "validRange": obj{"min": "0", "step": "3"}},
				obj{"default": "1500m", "validValues": list{"500m", "1500m", "2500m"}},
				obj{"default": "1"},
			)
		}
		capacity[name] = made
	}
}

// shares makes a claim ask for parts of capacities, and gives one that is allocated a share of them.
func (c *cluster) shares(claim obj) {
	amount := func() any {
		return pick[any](c, "1", "500m", "750m", "0.5", "1500m", "2500m", "1250000u", "3", "10", "0", "9223372036854775807", "1e19", "100n")
	}
	driver := "gpu.example.com"
	names := []string{"memory", driver + "/memory", "cores", driver + "/cores"}
	requests, _ := part(claim, "spec", "devices")["requests"].(list)
	for _, request := range requests {
		for _, want := range append(list{request.(obj)["exactly"]}, alternatives(request.(obj))...) {
			if want, is := want.(obj); is && c.chance(0.5) {
				want["capacity"] = obj{"requests": obj{pick(c, names...): amount(), pick(c, names...): amount()}}
			}
		}
	}
	results, _ := allocated(claim)["results"].(list)
	for _, result := range results {
		if c.chance(0.6) {
			result.(obj)["shareID"] = "a2b1c3d4-0000-4000-8000-" + strings.Repeat("0", 8) + c.uid("s")[2:]
			result.(obj)["consumedCapacity"] = obj{pick(c, names...): amount()}
		}
	}
}

func alternatives(request obj) list {
	all, _ := request["firstAvailable"].(list)
	return all
}

// allocated are the devices of a claim, empty if it has none.
func allocated(claim obj) obj {
	status, _ := claim["status"].(obj)
	allocation, _ := status["allocation"].(obj)
	devices, _ := allocation["devices"].(obj)
	return devices
}
