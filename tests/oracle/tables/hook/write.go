package hook

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubeschedulerv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
)

// now is the instant of every decision.
var now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// writeable is a case as the oracle reads it.
type writeable struct {
	ID        string `json:"id"`
	Scheduler struct {
		Version string          `json:"version"`
		Config  map[string]any  `json:"config"`
		Gates   map[string]bool `json:"featureGates,omitempty"`
	} `json:"scheduler"`
	Now     string         `json:"now"`
	Pod     string         `json:"pod"`
	Cluster map[string]any `json:"cluster"`
}

// write appends a case for each pod to a file of this test program, in the folder that HOOK_FOLDER names.
func (e *entry) write() {
	if len(e.pods) == 0 || os.Getenv("HOOK_FOLDER") == "" {
		return
	}
	path := filepath.Join(os.Getenv("HOOK_FOLDER"), filepath.Base(os.Args[0])+".ndjson")
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	for i, pod := range e.pods {
		for _, change := range variants {
			items, name := e.cluster(pod.DeepCopy(), change)
			if items == nil {
				continue
			}
			var c writeable
			c.ID = fmt.Sprintf("%s#%d", e.name, i)
			c.Scheduler.Version = "1.37.1"
			c.Scheduler.Config = e.config()
			c.Scheduler.Gates = e.gates
			c.Now = now.Format(time.RFC3339)
			c.Pod = name
			c.Cluster = map[string]any{"apiVersion": "v1", "kind": "List", "items": items}
			text, err := json.Marshal(c)
			if err != nil {
				fmt.Println("hook:", err)
				continue
			}
			if _, err := file.Write(append(text, '\n')); err != nil {
				panic(err)
			}
		}
	}
}

// config is a configuration with the arguments that are not the default ones, nil if all are.
func (e *entry) config() map[string]any {
	plugins := []string{}
	for plugin := range e.args {
		plugins = append(plugins, plugin)
	}
	slices.Sort(plugins)
	set := []any{}
	for _, plugin := range plugins {
		args, err := scheme.Scheme.ConvertToVersion(e.args[plugin], kubeschedulerv1.SchemeGroupVersion)
		if err != nil {
			continue
		}
		scheme.Scheme.Default(args)
		kind := kubeschedulerv1.SchemeGroupVersion.WithKind(plugin + "Args")
		args.GetObjectKind().SetGroupVersionKind(kind)
		usual, err := scheme.Scheme.New(kind)
		if err != nil {
			continue
		}
		scheme.Scheme.Default(usual)
		usual.GetObjectKind().SetGroupVersionKind(kind)
		x, _ := json.Marshal(args)
		y, _ := json.Marshal(usual)
		if string(x) != string(y) {
			set = append(set, map[string]any{"name": plugin, "args": args})
		}
	}
	if len(set) == 0 {
		return nil
	}
	return map[string]any{
		"apiVersion": kubeschedulerv1.SchemeGroupVersion.String(), "kind": "KubeSchedulerConfiguration",
		"profiles": []any{map[string]any{"schedulerName": v1.DefaultSchedulerName, "pluginConfig": set}},
	}
}

// cluster is every object, the pending pod first and complete enough for the API server, and the pod's full name; nil where
// the change changes nothing.
func (e *entry) cluster(pending *v1.Pod, change variant) ([]runtime.Object, string) {
	pending.Spec.NodeName = ""
	pending.Spec.SchedulerName = v1.DefaultSchedulerName
	completePod(pending, "pending")
	c := &cluster{seen: map[string]bool{}, original: pending}
	c.put(pending)
	for _, node := range e.order {
		c.node(node.DeepCopy(), e.nodes[node])
	}
	for _, object := range e.objects {
		c.put(object.DeepCopyObject())
	}
	if !change(c) {
		return nil, ""
	}
	c.namespaces()
	return c.items, pending.Namespace + "/" + pending.Name
}

// cluster collects objects; of two with the same name the first counts.
type cluster struct {
	items    []runtime.Object
	seen     map[string]bool
	original *v1.Pod
	unnamed  int
}

// node adds a node and what runs on it.
func (c *cluster) node(node *v1.Node, pods []*v1.Pod) {
	if node.Name == "" {
		c.unnamed++
		node.Name = fmt.Sprintf("node-%d", c.unnamed)
	}
	c.put(node)
	for _, pod := range pods {
		pod = pod.DeepCopy()
		pod.Spec.NodeName = node.Name
		c.put(pod)
	}
}

func (c *cluster) put(object runtime.Object) {
	kind, wanted := kindOf(object)
	if !wanted {
		return
	}
	object.GetObjectKind().SetGroupVersionKind(kind)
	about, err := meta.Accessor(object)
	if err != nil {
		return
	}
	if pod, is := object.(*v1.Pod); is && pod != c.original {
		c.unnamed++
		completePod(pod, fmt.Sprintf("pod-%d", c.unnamed))
		// Tests often give the pod that asks and a pod on a node the same name.
		if pod.Namespace == c.original.Namespace && pod.Name == c.original.Name && pod.Spec.NodeName != "" {
			if pod.UID != "" && pod.UID == c.original.UID {
				return
			}
			pod.Name = fmt.Sprintf("%s-on-%s", pod.Name, pod.Spec.NodeName)
		}
		if pod.UID == "" || pod.UID == c.original.UID {
			pod.UID = ""
		}
	}
	complete(object)
	key := kind.String() + " " + about.GetNamespace() + "/" + about.GetName()
	if !c.seen[key] {
		c.seen[key] = true
		c.items = append(c.items, object)
	}
}

// namespaces adds those that objects are in.
func (c *cluster) namespaces() {
	for _, object := range slices.Clone(c.items) {
		if about, err := meta.Accessor(object); err == nil && about.GetNamespace() != "" {
			name := about.GetNamespace()
			c.put(&v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1.LabelMetadataName: name}}})
		}
	}
}
