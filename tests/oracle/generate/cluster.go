package generate

import (
	"fmt"
	"math/rand/v2"
	"time"
)

type (
	obj  = map[string]any
	list = []any
)

// cluster is a cluster in the making.
type cluster struct {
	*rand.Rand
	nodes, namespaces, pods, others []obj
	pod                             obj // the pending pod, one of `pods`
	group                           obj // the pod group that is asked about, if it is not the pod
	config                          any
	extenders                       obj             // what the configuration's extenders answer
	gates                           map[string]bool // feature gates that are not as the release sets them
	uids                            int
	id                              string // of the case, without its version
	minor                           int    // of the release that will be asked: 37 for 1.37
	policies                        bool   // groups may have preemption policies of their own
}

func (c *cluster) chance(p float64) bool { return c.Float64() < p }

// between is a number from low to high, both included.
func (c *cluster) between(low, high int) int { return low + c.IntN(high-low+1) }

func pick[T any](c *cluster, from ...T) T { return from[c.IntN(len(from))] }

func (c *cluster) uid(kind string) string {
	c.uids++
	return fmt.Sprintf("%s-%04d", kind, c.uids)
}

// object is an object with the metadata that every object has.
func (c *cluster) object(apiVersion, kind, namespace, name string) obj {
	meta := obj{"name": name, "uid": c.uid(kind), "resourceVersion": fmt.Sprint(1000 + c.uids), "creationTimestamp": "2025-01-01T00:00:00Z"}
	if namespace != "" {
		meta["namespace"] = namespace
	}
	return obj{"apiVersion": apiVersion, "kind": kind, "metadata": meta}
}

func (c *cluster) other(apiVersion, kind, namespace, name string, spec obj) obj {
	made := c.object(apiVersion, kind, namespace, name)
	if spec != nil {
		made["spec"] = spec
	}
	c.others = append(c.others, made)
	return made
}

// part is a field that is an object, made if it is not there.
func part(o obj, path ...string) obj {
	for _, name := range path {
		next, is := o[name].(obj)
		if !is {
			next = obj{}
			o[name] = next
		}
		o = next
	}
	return o
}

func push(o obj, field string, items ...any) {
	have, _ := o[field].(list)
	o[field] = append(have, items...)
}

// container adds a container of this kind (`containers` or `initContainers`) under a name of its own.
func (c *cluster) container(pod obj, kind, image string, resources obj) obj {
	have, _ := spec(pod)[kind].(list)
	made := obj{"name": fmt.Sprintf("%c%d", kind[0], len(have)), "image": image, "resources": resources}
	push(spec(pod), kind, made)
	return made
}

func nameOf(o obj) string      { return o["metadata"].(obj)["name"].(string) }
func namespaceOf(o obj) string { return o["metadata"].(obj)["namespace"].(string) }
func spec(o obj) obj           { return part(o, "spec") }
func labels(o obj) obj         { return part(o, "metadata", "labels") }
func first(pod obj) obj        { return spec(pod)["containers"].(list)[0].(obj) }

const (
	hostname = "kubernetes.io/hostname"
	zone     = "topology.kubernetes.io/zone"
	region   = "topology.kubernetes.io/region"
)

// begin makes nodes, namespaces, pods that use about as much as there is, and the pending pod.
func (c *cluster) begin() {
	for _, name := range []string{"default", "blue", "green"} {
		namespace := c.object("v1", "Namespace", "", name)
		labels(namespace)["kubernetes.io/metadata.name"] = name
		if name != "default" && c.chance(0.7) {
			labels(namespace)["team"] = pick(c, "x", "y")
		}
		namespace["spec"] = obj{"finalizers": list{"kubernetes"}}
		namespace["status"] = obj{"phase": "Active"}
		c.namespaces = append(c.namespaces, namespace)
	}
	count := c.between(1, 8)
	if c.chance(0.15) {
		count = c.between(9, 12)
	}
	for i := range count {
		c.addNode(fmt.Sprintf("n%02d", i))
	}
	room := c.between(40, 110)
	for _, node := range c.nodes {
		c.fill(node, room+c.between(-20, 20))
	}
	c.pending()
}

func (c *cluster) addNode(name string) {
	node := c.object("v1", "Node", "", name)
	labels(node)[hostname] = name
	if !c.chance(0.08) {
		labels(node)[zone] = fmt.Sprintf("z%d", c.IntN(3))
	}
	labels(node)[region] = "r1"
	if c.minor < recent && c.chance(0.7) {
		// What the labels above were called before 1.17; the old ones go on being set beside them.
		if in := labels(node)[zone]; in != nil {
			labels(node)["failure-domain.beta.kubernetes.io/zone"] = in
		}
		labels(node)["failure-domain.beta.kubernetes.io/region"] = "r1"
	}
	if c.chance(0.5) {
		labels(node)["disk"] = pick(c, "ssd", "hdd")
	}
	if c.chance(0.5) {
		labels(node)["gen"] = pick(c, "3", "5", "007", "33", "x", "0")
	}
	if c.chance(0.5) {
		labels(node)["arch"] = pick(c, "amd64", "arm64")
	}
	capacity := obj{
		"cpu":               pick[any](c, "1", "2", "4", "8", "4000m", "3500m"),
		"memory":            pick[any](c, "4Gi", "8Gi", "8192Mi", "16Gi", "8388608Ki"),
		"pods":              pick[any](c, "110", "110", "20", "6"),
		"ephemeral-storage": pick[any](c, "100Gi", "50G", "20Gi"),
	}
	allocatable := obj{}
	for name, value := range capacity {
		allocatable[name] = value
	}
	node["spec"] = obj{}
	node["status"] = obj{
		"capacity": capacity, "allocatable": allocatable,
		"conditions": list{obj{"type": "Ready", "status": "True", "reason": "KubeletReady", "lastHeartbeatTime": Now, "lastTransitionTime": "2025-01-01T00:00:00Z"}},
		"nodeInfo":   obj{"kubeletVersion": "v1.37.1", "operatingSystem": "linux", "architecture": "amd64"},
	}
	c.nodes = append(c.nodes, node)
}

// milli is a node's processor in thousandths, by the few spellings above.
func milli(node obj) int {
	switch node["status"].(obj)["allocatable"].(obj)["cpu"] {
	case "1":
		return 1000
	case "2":
		return 2000
	case "8":
		return 8000
	case "3500m":
		return 3500
	}
	return 4000
}

// fill runs pods on a node until they want this percentage of its processor.
func (c *cluster) fill(node obj, percent int) {
	left := milli(node) * percent / 100
	for left > 0 && len(c.pods) < 40 {
		want := pick(c, 100, 250, 250, 500, 500, 1000, 1500)
		if want > left && c.chance(0.7) {
			break
		}
		left -= want
		c.running(node, want)
	}
}

// running adds a pod that runs on this node and wants so much of its processor.
func (c *cluster) running(node obj, milliCPU int) obj {
	pod := c.newPod(pick(c, "default", "default", "default", "blue", "green"), fmt.Sprintf("v%02d", len(c.pods)))
	spec(pod)["nodeName"] = nameOf(node)
	if milliCPU > 0 {
		part(first(pod), "resources", "requests")["cpu"] = c.milliCPU(milliCPU)
	}
	c.prioritize(pod, pick(c, -10, 0, 0, 0, 5, 10, 10, 50, 100, 1000, 2000000000))
	status := obj{"phase": "Running"}
	if !c.chance(0.04) {
		status["startTime"] = c.start()
	}
	pod["status"] = status
	c.pods = append(c.pods, pod)
	return pod
}

// start is when a pod started: often one of few instants, so that pods tie.
func (c *cluster) start() string {
	if c.chance(0.4) {
		return fmt.Sprintf("2025-12-0%dT00:00:00Z", c.between(1, 4))
	}
	at := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(c.IntN(360*24*3600)) * time.Second)
	return at.Format(time.RFC3339)
}

func (c *cluster) newPod(namespace, name string) obj {
	pod := c.object("v1", "Pod", namespace, name)
	labels(pod)["app"] = pick(c, "web", "web", "db", "cache")
	if c.chance(0.6) {
		labels(pod)["tier"] = pick(c, "x", "y")
	}
	if c.chance(0.5) {
		labels(pod)["pod-template-hash"] = pick(c, "h1", "h2")
	}
	pod["spec"] = obj{
		"schedulerName": "default-scheduler", "restartPolicy": "Always", "terminationGracePeriodSeconds": 30,
		"containers": list{obj{"name": "c", "image": pick(c, "registry/a:1", "registry/b:1", "c", "img:1"), "resources": obj{}}},
	}
	pod["status"] = obj{"phase": "Pending"}
	return pod
}

func (c *cluster) prioritize(pod obj, priority int) {
	if priority == 0 && c.chance(0.3) {
		delete(spec(pod), "priority") // as before admission; the scheduler takes it for 0
		return
	}
	spec(pod)["priority"] = priority
}

// milliCPU spells an amount of processor in one of the ways that mean the same.
func (c *cluster) milliCPU(milli int) any {
	switch c.IntN(4) {
	case 0:
		return fmt.Sprintf("%g", float64(milli)/1000)
	case 1:
		if milli%1000 == 0 {
			return fmt.Sprint(milli / 1000)
		}
	}
	return fmt.Sprintf("%dm", milli)
}

// pending is the pod that is to be scheduled: from easy to hopeless.
func (c *cluster) pending() {
	c.pod = c.newPod(pick(c, "default", "default", "default", "blue"), "p")
	node := pick(c, c.nodes...)
	percent := pick(c, 5, 20, 40, 60, 80, 90, 100, 100, 130)
	if c.chance(0.93) {
		part(first(c.pod), "resources", "requests")["cpu"] = c.milliCPU(max(1, milli(node)*percent/100/10) * 10)
	}
	c.prioritize(c.pod, pick(c, 0, 10, 60, 100, 100, 200, 1000, 1500, 2000000000))
	if c.chance(0.04) {
		spec(c.pod)["preemptionPolicy"] = "Never"
	} else if c.chance(0.5) {
		spec(c.pod)["preemptionPolicy"] = "PreemptLowerPriority"
	}
	c.pods = append(c.pods, c.pod)
}

// easy lets the pending pod want little, so that something else decides.
func (c *cluster) easy(odds float64) {
	if c.chance(odds) {
		part(first(c.pod), "resources", "requests")["cpu"] = "50m"
	}
}

// on are the pods that run on this node.
func (c *cluster) on(node obj) []obj {
	var found []obj
	for _, pod := range c.pods {
		if spec(pod)["nodeName"] == nameOf(node) {
			found = append(found, pod)
		}
	}
	return found
}

// bound are the pods that run somewhere.
func (c *cluster) bound() []obj {
	var found []obj
	for _, pod := range c.pods {
		if spec(pod)["nodeName"] != nil && part(pod, "status")["phase"] == "Running" {
			found = append(found, pod)
		}
	}
	return found
}

// onHost leaves a pod on the host's network the ports that it has on the host, under the same number, as the API demands.
func onHost(pod obj) {
	for _, kind := range []string{"containers", "initContainers"} {
		containers, _ := spec(pod)[kind].(list)
		for _, container := range containers {
			ports, _ := container.(obj)["ports"].(list)
			delete(container.(obj), "ports")
			for _, port := range ports {
				if port := port.(obj); port["hostPort"] != nil {
					port["containerPort"] = port["hostPort"]
					push(container.(obj), "ports", port)
				}
			}
		}
	}
}

// finish adds what is never wrong: a class per priority, conditions, a finished pod.
func (c *cluster) finish() {
	if c.chance(0.2) {
		for _, value := range []int{-10, 1000} {
			class := c.other("scheduling.k8s.io/v1", "PriorityClass", "", fmt.Sprintf("class-%d", c.uids), nil)
			class["value"] = value
			class["preemptionPolicy"] = "PreemptLowerPriority"
		}
	}
	if c.chance(0.1) {
		done := c.running(pick(c, c.nodes...), 4000)
		done["status"] = obj{"phase": pick(c, "Succeeded", "Failed")}
	}
	if c.chance(0.03) {
		lost := c.running(pick(c, c.nodes...), 500)
		spec(lost)["nodeName"] = "gone"
	}
	if c.chance(0.01) {
		c.nodes = nil
	}
	if spec(c.pod)["hostNetwork"] != nil {
		onHost(c.pod)
	}
}
