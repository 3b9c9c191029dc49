// Package hook writes down what kube-scheduler's unit tests ask: for every table entry the cluster that it builds and each
// pod that it asks a plugin about. It is copied into an instrumented copy of Kubernetes, see ../instrument.
package hook

import (
	"fmt"
	"reflect"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	fwk "k8s.io/kube-scheduler/framework"
)

// entry is what one table entry has told so far.
type entry struct {
	name      string
	pods      []*v1.Pod              // that a plugin was asked about
	nodes     map[*v1.Node][]*v1.Pod // nodes with the pods on them
	order     []*v1.Node             // the same nodes, as they came
	objects   []runtime.Object       // of snapshots, caches, clients, informers and listers
	clients   []kubernetes.Interface // objects are taken from them when a plugin is asked
	informers []informers.SharedInformerFactory
	args      map[string]runtime.Object // arguments by plugin
	gates     map[string]bool
}

var (
	lock    sync.Mutex
	current = &entry{nodes: map[*v1.Node][]*v1.Pod{}, args: map[string]runtime.Object{}}
)

// guarded runs something of ours; no test is to fail because of it.
func guarded(run func()) {
	lock.Lock()
	defer lock.Unlock()
	defer func() {
		if p := recover(); p != nil {
			fmt.Println("hook:", p)
		}
	}()
	run()
}

// Entry begins a table entry, which knows what the test has built before; its result ends it.
func Entry(name string) func() {
	lock.Lock()
	defer lock.Unlock()
	outer := current
	inner := *outer
	inner.name = name
	inner.pods = nil
	inner.nodes = map[*v1.Node][]*v1.Pod{}
	for node, pods := range outer.nodes {
		inner.nodes[node] = pods
	}
	inner.args = map[string]runtime.Object{}
	for plugin, args := range outer.args {
		inner.args[plugin] = args
	}
	current = &inner
	return func() {
		guarded(func() {
			current.collect()
			current.write()
		})
		current = outer
	}
}

// Asked notes a pod that a plugin is asked about, and the node if there is one.
func Asked(pod *v1.Pod, node fwk.NodeInfo) {
	guarded(func() {
		if pod == nil {
			return
		}
		known := false
		for _, other := range current.pods {
			known = known || other == pod || reflect.DeepEqual(other.ObjectMeta, pod.ObjectMeta) && reflect.DeepEqual(other.Spec, pod.Spec)
		}
		if !known {
			current.pods = append(current.pods, pod)
			current.collect()
			current.gates = gates()
		}
		if node == nil || reflect.ValueOf(node).IsNil() || node.Node() == nil {
			return
		}
		if _, known := current.nodes[node.Node()]; known {
			return
		}
		pods := []*v1.Pod{}
		for _, info := range node.GetPods() {
			pods = append(pods, info.GetPod().DeepCopy())
		}
		current.nodes[node.Node()] = pods
		current.order = append(current.order[:len(current.order):len(current.order)], node.Node())
	})
}

// Snapshot notes the cluster of a snapshot, which takes the place of an earlier one.
func Snapshot(pods []*v1.Pod, nodes []*v1.Node) {
	guarded(func() {
		kept := []runtime.Object{}
		for _, object := range current.objects {
			switch object.(type) {
			case *v1.Pod, *v1.Node:
			default:
				kept = append(kept, object)
			}
		}
		for _, node := range nodes {
			kept = append(kept, node)
		}
		for _, pod := range pods {
			kept = append(kept, pod)
		}
		current.objects = kept
	})
}

// Object notes an object that the scheduler's cache is given.
func Object(object runtime.Object) {
	guarded(func() { current.add(object.DeepCopyObject()) })
}

// Client notes where objects are.
func Client(client kubernetes.Interface) {
	guarded(func() {
		if client != nil {
			current.clients = append(current.clients[:len(current.clients):len(current.clients)], client)
		}
	})
}

// Informers notes where objects are.
func Informers(factory informers.SharedInformerFactory) {
	guarded(func() {
		if factory != nil {
			current.informers = append(current.informers[:len(current.informers):len(current.informers)], factory)
		}
	})
}

// Lister notes the objects of a list that stands in for an informer.
func Lister(list any) {
	guarded(func() {
		value := reflect.ValueOf(list)
		if value.Kind() != reflect.Slice {
			return
		}
		for i := range value.Len() {
			item := value.Index(i)
			if item.Kind() == reflect.Struct && item.CanAddr() {
				item = item.Addr()
			}
			if object, is := item.Interface().(runtime.Object); is {
				current.add(object.DeepCopyObject())
			}
		}
	})
}

// Args notes the arguments that a plugin is made with.
func Args(plugin string, args runtime.Object) {
	guarded(func() {
		if args != nil && !reflect.ValueOf(args).IsNil() {
			current.args[plugin] = args.DeepCopyObject()
		}
	})
}

func (e *entry) add(object runtime.Object) {
	e.objects = append(e.objects[:len(e.objects):len(e.objects)], object)
}
