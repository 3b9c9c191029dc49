// Command tidy makes cases of what the tests wrote down: on stdin one per line, on stdout those that differ, numbered. Names
// that the API server would refuse are spelled otherwise, the same everywhere in a case.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// largest is the size of a line from which a case is left out: some tests make a cluster of a thousand nodes.
const largest = 100_000

// settable are the feature gates that can be set and have a say in decisions.
var settable = []string{
	"TaintTolerationComparisonOperators", "VolumeLimitScaling", "StorageCapacityScoring", "InterPodAffinityHostnameFastPath",
	"PodLevelResources", "InPlacePodLevelResourcesVerticalScaling", "DRAPartitionableDevices", "DRADeviceTaints", "DRADeviceTaintRules",
	"DRAConsumableCapacity", "DRADeviceBindingConditions", "DRAResourceClaimDeviceStatus",
}

type object = map[string]any

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	seen := map[string]bool{}
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 1 && len(line) < largest {
			decoder := json.NewDecoder(bytes.NewReader(line))
			decoder.UseNumber()
			var c object
			if err := decoder.Decode(&c); err != nil {
				fmt.Fprintln(os.Stderr, "tidy:", err)
				os.Exit(1)
			}
			tidy(c)
			write(c, seen, out)
			if twins(c) {
				write(c, seen, out)
			}
		}
		if err != nil {
			break
		}
	}
	if err := out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, "tidy:", err)
		os.Exit(1)
	}
}

// write prints a case that has not been seen before.
func write(c object, seen map[string]bool, out *bufio.Writer) {
	c["id"] = ""
	text, err := json.Marshal(c)
	if err != nil || seen[string(text)] {
		return
	}
	seen[string(text)] = true
	c["id"] = fmt.Sprintf("v1.37.1/tables/%06d", len(seen)-1)
	text, _ = json.Marshal(c)
	out.Write(append(text, '\n'))
}

func tidy(c object) {
	scheduler := child(c, "scheduler")
	if gates := child(scheduler, "featureGates"); gates != nil {
		for name := range gates {
			if !slices.Contains(settable, name) {
				delete(gates, name)
			}
		}
		if len(gates) == 0 {
			delete(scheduler, "featureGates")
		}
	}
	cluster := child(c, "cluster")
	items := list(cluster, "items")
	items = slices.DeleteFunc(items, func(item any) bool {
		name, _ := child(item.(object), "metadata")["name"].(string)
		return name == ""
	})
	cluster["items"] = items
	for _, item := range items {
		tidyObject(item.(object))
	}
	spelling := map[string]string{}
	for _, item := range items {
		about := child(item.(object), "metadata")
		dots := item.(object)["kind"] != "Namespace"
		spell(spelling, about["name"], dots)
		spell(spelling, about["namespace"], false)
		if pod := child(item.(object), "spec"); item.(object)["kind"] == "Pod" {
			spell(spelling, pod["nodeName"], true)
			each(pod, "volumes", func(volume object) { spell(spelling, volume["name"], false) })
			for _, which := range []string{"podAffinity", "podAntiAffinity"} {
				terms(child(child(pod, "affinity"), which), func(term object) {
					for _, namespace := range list(term, "namespaces") {
						spell(spelling, namespace, false)
					}
				})
			}
		}
	}
	identify(items)
	for wrong, right := range spelling {
		if wrong == right {
			delete(spelling, wrong)
		}
	}
	if len(spelling) > 0 {
		respell(cluster, spelling)
	}
	if pod, _ := c["pod"].(string); strings.Contains(pod, "/") {
		namespace, name, _ := strings.Cut(pod, "/")
		c["pod"] = spelled(spelling, namespace) + "/" + spelled(spelling, name)
	}
}

// identify gives every object a UID of its own, as the API server does: the scheduler tells pods apart by it.
func identify(items []any) {
	taken := map[string]bool{}
	for _, item := range items {
		about := child(item.(object), "metadata")
		uid, _ := about["uid"].(string)
		if uid == "" || taken[uid] {
			uid = fmt.Sprintf("uid-%v-%v-%v", item.(object)["kind"], about["namespace"], about["name"])
			about["uid"] = uid
		}
		taken[uid] = true
	}
}

var refused = regexp.MustCompile(`[^a-z0-9-]+`)
var refusedButDots = regexp.MustCompile(`[^a-z0-9.-]+`)

func spell(spelling map[string]string, name any, dots bool) {
	text, _ := name.(string)
	if text == "" {
		return
	}
	pattern := refused
	if dots {
		pattern = refusedButDots
	}
	right := strings.Trim(pattern.ReplaceAllString(strings.ToLower(text), "-"), "-.")
	if right == "" {
		right = "x"
	}
	if before, known := spelling[text]; known && before != text {
		return
	}
	if right != text {
		for other, taken := range spelling {
			if taken == right && other != text {
				right += "-x"
			}
		}
	}
	spelling[text] = right
}

func spelled(spelling map[string]string, text string) string {
	if right, wrong := spelling[text]; wrong {
		return right
	}
	return text
}

func respell(value any, spelling map[string]string) any {
	switch value := value.(type) {
	case string:
		return spelled(spelling, value)
	case []any:
		for i := range value {
			value[i] = respell(value[i], spelling)
		}
	case object:
		for key := range value {
			if key != "kind" && key != "apiVersion" {
				value[key] = respell(value[key], spelling)
			}
		}
	}
	return value
}

// tidyObject fills in what is missing in parts that no plugin reads.
func tidyObject(item object) {
	about := child(item, "metadata")
	switch item["kind"] {
	case "Node", "PersistentVolume", "StorageClass", "CSINode", "CSIDriver", "DeviceClass", "ResourceSlice", "Namespace":
		delete(about, "namespace")
	}
	each(about, "ownerReferences", func(owner object) {
		for field, usual := range map[string]string{"apiVersion": "v1", "kind": "Pod", "name": "owner", "uid": "owner"} {
			if text, _ := owner[field].(string); text == "" {
				owner[field] = usual
			}
		}
	})
	spec := child(item, "spec")
	if item["kind"] != "Pod" {
		return
	}
	for _, containers := range []string{"containers", "initContainers"} {
		each(spec, containers, func(container object) {
			for _, which := range []string{"requests", "limits"} {
				delete(child(child(container, "resources"), which), "pods")
			}
		})
	}
	each(spec, "volumes", func(volume object) {
		if ephemeral := child(volume, "ephemeral"); ephemeral != nil && child(ephemeral, "volumeClaimTemplate") == nil {
			ephemeral["volumeClaimTemplate"] = object{"spec": object{
				"accessModes": []any{"ReadWriteOnce"}, "resources": object{"requests": object{"storage": "1Gi"}},
			}}
		}
		if secret := child(volume, "secret"); secret != nil && secret["secretName"] == nil {
			secret["secretName"] = "secret"
		}
		if config := child(volume, "configMap"); config != nil && config["name"] == nil {
			config["name"] = "config"
		}
	})
	for _, which := range []string{"podAffinity", "podAntiAffinity"} {
		terms(child(child(spec, "affinity"), which), func(term object) {
			if names := list(term, "namespaces"); names != nil {
				term["namespaces"] = slices.DeleteFunc(names, func(name any) bool { return name == "" })
			}
		})
	}
}

// terms are those of a pod's affinity or anti-affinity.
func terms(affinity object, visit func(object)) {
	each(affinity, "requiredDuringSchedulingIgnoredDuringExecution", visit)
	each(affinity, "preferredDuringSchedulingIgnoredDuringExecution", func(preferred object) {
		if term := child(preferred, "podAffinityTerm"); term != nil {
			visit(term)
		}
	})
}

func child(of object, field string) object {
	found, _ := of[field].(object)
	return found
}

func list(of object, field string) []any {
	found, _ := of[field].([]any)
	return found
}

func each(of object, field string, visit func(object)) {
	for _, item := range list(of, field) {
		if item, is := item.(object); is {
			visit(item)
		}
	}
}
