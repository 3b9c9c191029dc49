package hook

import (
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// variant changes a cluster so that more of the scheduler is asked than the plugin that the test is about; false where it
// changes nothing.
type variant func(*cluster) bool

var variants = []variant{
	func(*cluster) bool { return true },
	(*cluster).important,
	(*cluster).full,
	(*cluster).guarded,
}

// running are the pods by node, and the highest of their priorities.
func (c *cluster) running() (pods map[string]int64, highest int32) {
	pods = map[string]int64{}
	for _, object := range c.items {
		if pod, is := object.(*v1.Pod); is && pod.Spec.NodeName != "" {
			pods[pod.Spec.NodeName]++
			if pod.Spec.Priority != nil {
				highest = max(highest, *pod.Spec.Priority)
			}
		}
	}
	return pods, highest
}

// important gives the pod a higher priority than every pod that runs, where the test gives it none.
func (c *cluster) important() bool {
	pods, highest := c.running()
	if len(pods) == 0 || c.original.Spec.Priority != nil && *c.original.Spec.Priority != 0 {
		return false
	}
	priority := highest + 1
	c.original.Spec.Priority = &priority
	return true
}

// full leaves no room for another pod on nodes that run some, and has the pod preempt.
func (c *cluster) full() bool {
	pods, _ := c.running()
	for _, object := range c.items {
		if node, is := object.(*v1.Node); is && pods[node.Name] > 0 {
			node.Status.Allocatable[v1.ResourcePods] = count(pods[node.Name])
		}
	}
	c.important()
	return len(pods) > 0
}

// guarded is full, with a budget over each namespace's pods that allows one disruption.
func (c *cluster) guarded() bool {
	if !c.full() {
		return false
	}
	guarded := map[string]bool{}
	for _, object := range append(c.items[:0:0], c.items...) {
		if pod, is := object.(*v1.Pod); is && pod.Spec.NodeName != "" && !guarded[pod.Namespace] {
			guarded[pod.Namespace] = true
			one := intstr.FromInt32(1)
			c.put(&policyv1.PodDisruptionBudget{
				ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: "guard"},
				Spec:       policyv1.PodDisruptionBudgetSpec{MaxUnavailable: &one, Selector: &metav1.LabelSelector{}},
				Status:     policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: 1},
			})
		}
	}
	return true
}
