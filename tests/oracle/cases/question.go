package cases

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "sigs.k8s.io/json"

	"oracle/extender"
	"oracle/upstream"
)

// Question is a case that has been read.
type Question struct {
	Now     time.Time
	Shift   time.Duration // from the case's clock to this machine's
	Objects Objects
	Pod     *v1.Pod // nil where a group is asked about
	Group   string  // `namespace/name` of that group
	Config  json.RawMessage
	Gates   map[string]bool
	// Extenders are what the extenders answer, by their `urlPrefix`.
	Extenders map[string]extender.Script
}

// Objects are the parsed objects of a cluster, by `apiVersion/kind`.
type Objects map[string][]runtime.Object

func read(c *Case) (*Question, error) {
	now, err := time.Parse(time.RFC3339, c.Now)
	if err != nil {
		return nil, err
	}
	shift := time.Since(now).Truncate(time.Second)
	objects, err := Parse(c.Cluster, shift)
	if err != nil {
		return nil, err
	}
	q := &Question{Now: now, Shift: shift, Objects: objects, Group: c.Group, Config: c.Scheduler.Config, Gates: c.Scheduler.Gates, Extenders: c.Extenders}
	if c.Group != "" {
		// Victims are then evicted within the cycle, which changes nothing of it and lets them be seen.
		q.Gates = map[string]bool{"SchedulerAsyncPreemption": false}
		maps.Copy(q.Gates, c.Scheduler.Gates)
		return q, nil
	}
	if q.Pod = objects.Pod(c.Pod); q.Pod == nil {
		return nil, fmt.Errorf("no pod %s", c.Pod)
	}
	return q, nil
}

// Parse reads a List. Times move by `shift`, so that the case's "now" is the clock's. Fields that the release's API does
// not have are left out, as its own client leaves them out.
func Parse(cluster json.RawMessage, shift time.Duration) (Objects, error) {
	var list struct {
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(cluster, &list); err != nil {
		return nil, err
	}
	objects := Objects{}
	for i, raw := range list.Items {
		var kind metav1.TypeMeta
		if err := json.Unmarshal(raw, &kind); err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
		key := kind.APIVersion + "/" + kind.Kind
		blank, known := upstream.Kinds[key]
		if !known {
			continue
		}
		object := blank()
		err := kjson.UnmarshalCaseSensitivePreserveInts(raw, object)
		if err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
		if object, err = asReceived(object, blank()); err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
		if pod, is := object.(*v1.Pod); is {
			// The scheduler's informer leaves finished pods out.
			if pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed {
				continue
			}
			if start := pod.Status.StartTime; start != nil {
				pod.Status.StartTime = &metav1.Time{Time: start.Add(shift)}
			}
		}
		if move, moves := upstream.Move[key]; moves {
			move(object, shift)
		}
		objects[key] = append(objects[key], object)
	}
	for _, list := range objects {
		slices.SortStableFunc(list, byName)
	}
	return objects, nil
}

// asReceived is an object as the scheduler gets it from the API server, in protobuf: an empty list is none.
func asReceived(object, blank runtime.Object) (runtime.Object, error) {
	type message interface {
		Marshal() ([]byte, error)
		Unmarshal([]byte) error
	}
	sent, is := object.(message)
	received, can := blank.(message)
	if !is || !can {
		return object, nil
	}
	text, err := sent.Marshal()
	if err != nil {
		return nil, err
	}
	return blank, received.Unmarshal(text)
}

func byName(a, b runtime.Object) int {
	x, y := name(a), name(b)
	return cmp.Or(cmp.Compare(x.GetNamespace(), y.GetNamespace()), cmp.Compare(x.GetName(), y.GetName()))
}

func name(object runtime.Object) metav1.Object {
	accessor, err := meta.Accessor(object)
	if err != nil {
		panic(err) // every kind of ours has metadata
	}
	return accessor
}

// Find is the object of this kind and name, nil if there is none.
func (o Objects) Find(kind, namespace, called string) runtime.Object {
	for _, object := range o[kind] {
		if meta := name(object); meta.GetNamespace() == namespace && meta.GetName() == called {
			return object
		}
	}
	return nil
}

// Nodes are the nodes by name, as the API server writes them.
func (o Objects) Nodes() map[string]json.RawMessage {
	nodes := map[string]json.RawMessage{}
	for _, object := range o["v1/Node"] {
		text, err := json.Marshal(object)
		if err != nil {
			panic(err) // it was read from JSON
		}
		nodes[name(object).GetName()] = text
	}
	return nodes
}

// Pod is the pod of this `namespace/name`, nil if there is none.
func (o Objects) Pod(fullName string) *v1.Pod {
	for _, object := range o["v1/Pod"] {
		if pod := object.(*v1.Pod); FullName(pod) == fullName {
			return pod
		}
	}
	return nil
}

// FullName is `namespace/name`.
func FullName(pod *v1.Pod) string { return pod.Namespace + "/" + pod.Name }
