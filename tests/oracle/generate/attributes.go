package generate

import "oracle/upstream"

// attributes are claims with constraints on attributes that are lists, or made of other attributes, with gates for them.
// Without the gate every list is an error in 1.36, of which attribute is chance.
func attributes(c *cluster) {
	c.gates = map[string]bool{}
	for _, gate := range []string{"DRAListTypeAttributes", "DRADerivedAttributes"} {
		if settable, _ := upstream.Gate(gate); settable && (c.minor < 37 || c.chance(0.85)) {
			c.gates[gate] = true
		}
	}
	if c.minor < 37 || c.chance(0.4) {
		listed(c)
	} else {
		derived(c)
	}
}

// listed makes lists of attributes, and claims that constrain and select by them.
func listed(c *cluster) {
	claims(c)
	c.easy(0.9)
	for _, made := range c.others {
		if made["kind"] != "ResourceSlice" {
			continue
		}
		devices, _ := spec(made)["devices"].(list)
		for _, device := range devices {
			c.lists(part(device.(obj), "attributes"))
		}
	}
	for _, devices := range c.wantedDevices() {
		if c.chance(0.75) {
			devices["constraints"] = list{c.constraint()}
			for c.chance(0.2) {
				push(devices, "constraints", c.constraint())
			}
		}
		for _, request := range requestsOf(devices) {
			if c.chance(0.5) && request["count"] != nil {
				request["count"] = pick(c, 2, 2, 3)
			}
			if c.chance(0.25) {
				request["selectors"] = list{obj{"cel": obj{"expression": c.listSelector()}}}
			}
		}
	}
}

func (c *cluster) lists(attributes obj) {
	many := func(one, list string, values ...any) obj {
		c.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		if c.chance(0.35) {
			return obj{one: values[0]}
		}
		return obj{list: values[:c.between(1, len(values))]}
	}
	attributes["model"] = many("string", "strings", "a", "b", "c")
	if c.chance(0.5) {
		attributes["index"] = many("int", "ints", 0, 1, 2, 3, 3)
	}
	if c.chance(0.2) {
		attributes["firmware"] = many("version", "versions", "1.2.3", "2.0.0", "2.0.0-rc.1")
	}
	if c.chance(0.2) {
		attributes["healthy"] = many("bool", "bools", true, false)
	}
	attributes["example.com/socket"] = many("int", "ints", 0, 1, 2)
	if c.chance(0.1) {
		delete(attributes, pick(c, "model", "example.com/socket"))
	}
	if c.chance(0.1) {
		attributes["example.com/socket"] = obj{"strings": list{"0", "1"}}
	}
}

func (c *cluster) constraint() obj {
	made := obj{pick(c, "matchAttribute", "matchAttribute", "distinctAttribute"): pick(c,
		"gpu.example.com/model", "gpu.example.com/index", "example.com/socket", "gpu.example.com/firmware", "gpu.example.com/healthy")}
	if c.chance(0.15) {
		made["requests"] = list{"r"}
	}
	return made
}

// listSelector is a selector of devices whose attributes may be lists, and for most devices no error.
func (c *cluster) listSelector() string {
	own, shared := `device.attributes["gpu.example.com"]`, `device.attributes["example.com"].socket`
	if c.chance(0.1) {
		return pick(c, own+`.model.includes("a")`, `"b" in `+own+`.model`, own+`.firmware.size() > 1`, shared+`.exists(s, s == 1)`)
	}
	return pick(c,
		own+`.?model.orValue("") != "a"`,
		own+`.?model.orValue([]).includes("b")`,
		`!has(`+own+`.index) || type(`+own+`.index) == int`,
		own+`.?index.orValue(0).includes(1)`,
		`type(`+own+`.?firmware.orValue("")) == list`,
		own+`.?model.orValue("a") == ["a", "b"] || device.driver != "gpu.example.com"`,
	)
}

// wantedDevices are the devices of the claims of the pending pod that have none yet.
func (c *cluster) wantedDevices() (found []obj) {
	for _, made := range c.others {
		if made["kind"] == "ResourceClaim" && part(made, "status")["allocation"] == nil {
			found = append(found, part(made, "spec", "devices"))
		}
	}
	return found
}

// requestsOf are what the requests of a claim, or their alternatives, ask for.
func requestsOf(devices obj) (found []obj) {
	for _, request := range devices["requests"].(list) {
		if exactly, is := request.(obj)["exactly"].(obj); is {
			found = append(found, exactly)
		}
		alternatives, _ := request.(obj)["firstAvailable"].(list)
		for _, alternative := range alternatives {
			found = append(found, alternative.(obj))
		}
	}
	return found
}

// derived gives requests attributes that are made of others, some of the same name as one of a device.
func derived(c *cluster) {
	listed(c)
	for _, devices := range c.wantedDevices() {
		for range c.between(1, 2) {
			name := pick(c, "derived/group", "derived/group", "gpu.example.com/model", "example.com/socket")
			push(devices, "constraints", obj{pick(c, "matchAttribute", "matchAttribute", "distinctAttribute"): name})
			for i, request := range requestsOf(devices) {
				if i == 0 && c.chance(0.9) || c.chance(0.7) {
					c.derive(request, name)
				}
			}
		}
	}
}

func (c *cluster) derive(request obj, name string) {
	have, _ := request["derivedAttributes"].(list)
	for _, other := range have {
		if other.(obj)["name"] == name {
			return
		}
	}
	push(request, "derivedAttributes", obj{"name": name, "expression": c.derivation()})
}

// derivation makes an attribute of others.
func (c *cluster) derivation() string {
	own := `device.attributes["gpu.example.com"]`
	model, socket := own+`.?model.orValue("a")`, `device.attributes["example.com"].?socket.orValue(0)`
	memory := `device.capacity["gpu.example.com"].?memory.orValue(quantity("1Gi"))`
	switch {
	case c.chance(0.06): // errors, for some devices or all
		return pick(c, own+`.nowhere`, own+`.model`, own, `device.capacity["gpu.example.com"].memory.asInteger()`,
			`dyn(1.5)`, `dyn([1, dyn("a")])`, `[1, "a"]`, `[1.5]`, `dyn([1.5])`, `optional.of("a")`, `1u`, `nothing`, `dyn(b"a")`,
			`dyn([1, 2]).map(v, dyn(v == 1 ? dyn("a") : dyn(v)))`, `duration("1s")`, `null`, `dyn(null)`, `dyn({"a": 1})`)
	case c.gates["DRAListTypeAttributes"] && c.chance(0.4):
		return pick(c, `[1, 2]`, `["a", device.driver]`, `[semver("1.2.3"), semver("2.0.0")]`, `[device.allowMultipleAllocations, true]`, `[]`,
			`[`+memory+`.asInteger() / 10737418240, 1]`, model+` == "a" ? ["a", "b"] : ["c"]`, `[dyn("a"), dyn(device.driver)]`)
	default:
		return pick(c, `device.driver`, `device.driver + "/x"`, model, socket, `"a"`, `1`,
			`type(`+socket+`) == int ? int(`+socket+`) / 2 : 0`,
			own+`.?firmware.orValue(semver("1.2.3"))`, `semver("v2", true)`,
			memory+`.isGreaterThan(quantity("20Gi"))`, memory+`.asInteger()`, `device.allowMultipleAllocations`)
	}
}
