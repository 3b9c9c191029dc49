package main

import "encoding/json"

const hostname = "kubernetes.io/hostname"

// twins adds a node like each that runs pods, which runs one pod less: nodes are then scored, and candidates compared, in
// clusters that had one node to offer. False where no pod runs.
func twins(c object) bool {
	cluster := child(c, "cluster")
	items := list(cluster, "items")
	running := map[any]bool{}
	for _, item := range items {
		if node, runs := child(item.(object), "spec")["nodeName"]; runs && item.(object)["kind"] == "Pod" {
			running[node] = true
		}
	}
	left := map[any]bool{}
	for _, item := range items {
		original := item.(object)
		about := child(original, "metadata")
		node := child(original, "spec")["nodeName"]
		switch {
		case original["kind"] == "Node" && running[about["name"]]:
			twin := copied(original)
			rename(twin)
			if labels := child(child(twin, "metadata"), "labels"); labels[hostname] != nil {
				labels[hostname] = child(twin, "metadata")["name"]
			}
			cluster["items"] = append(list(cluster, "items"), twin)
		case original["kind"] == "Pod" && node != nil && !left[node]:
			left[node] = true
		case original["kind"] == "Pod" && node != nil:
			twin := copied(original)
			rename(twin)
			child(twin, "spec")["nodeName"] = twinOf(node)
			cluster["items"] = append(list(cluster, "items"), twin)
		}
	}
	return len(running) > 0
}

func rename(twin object) {
	about := child(twin, "metadata")
	about["name"], about["uid"] = twinOf(about["name"]), twinOf(about["uid"])
}

func twinOf(name any) string {
	text, _ := name.(string)
	return text + "-twin"
}

func copied(original object) object {
	var twin object
	text, err := json.Marshal(original)
	if err == nil {
		err = json.Unmarshal(text, &twin)
	}
	if err != nil {
		panic(err) // it was read from JSON
	}
	return twin
}
