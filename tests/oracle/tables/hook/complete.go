package hook

import (
	"fmt"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

func count(n int64) resource.Quantity { return *resource.NewQuantity(n, resource.DecimalSI) }

// completePod fills in what a unit test leaves out and the API server requires, without a say in the decision.
func completePod(pod *v1.Pod, name string) {
	if pod.Name == "" {
		pod.Name = name
	}
	if pod.Namespace == "" {
		pod.Namespace = metav1.NamespaceDefault
	}
	spec := &pod.Spec
	if len(spec.Containers) == 0 {
		spec.Containers = []v1.Container{{}}
	}
	names := map[string]bool{}
	for i := range spec.InitContainers {
		completeContainer(&spec.InitContainers[i], fmt.Sprintf("init-%d", i), names)
	}
	for i := range spec.Containers {
		completeContainer(&spec.Containers[i], fmt.Sprintf("c-%d", i), names)
	}
	for i := range spec.Volumes {
		if spec.Volumes[i].Name == "" {
			spec.Volumes[i].Name = fmt.Sprintf("v-%d", i)
		}
	}
	if pod.DeletionTimestamp != nil && pod.DeletionGracePeriodSeconds == nil {
		seconds := int64(30)
		pod.DeletionGracePeriodSeconds = &seconds
	}
	move(pod.Status.StartTime)
}

func completeContainer(c *v1.Container, name string, names map[string]bool) {
	if c.Name == "" || names[c.Name] {
		c.Name = name
	}
	names[c.Name] = true
	if c.Image == "" {
		c.Image = "image"
	}
	for i := range c.Ports {
		if c.Ports[i].ContainerPort == 0 {
			c.Ports[i].ContainerPort = c.Ports[i].HostPort
		}
	}
	// Such resources cannot be overcommitted: a limit must be set, and equal.
	for resource, quantity := range c.Resources.Requests {
		name := string(resource)
		if strings.Contains(name, "/") || strings.HasPrefix(name, v1.ResourceHugePagesPrefix) {
			if c.Resources.Limits == nil {
				c.Resources.Limits = v1.ResourceList{}
			}
			c.Resources.Limits[resource] = quantity
		}
	}
}

// move takes a time near the clock to the same distance from the instant of the decision.
func move(at *metav1.Time) {
	if at == nil || at.IsZero() {
		return
	}
	if distance := time.Until(at.Time); distance.Abs() < 400*24*time.Hour {
		*at = metav1.NewTime(now.Add(distance.Round(time.Second)))
	}
}

// complete does the same for other kinds.
func complete(object runtime.Object) {
	if about, is := object.(metav1.Object); is {
		about.SetResourceVersion("")
		about.SetManagedFields(nil)
		about.SetGenerateName("")
		created, deleted := about.GetCreationTimestamp(), about.GetDeletionTimestamp()
		move(&created)
		about.SetCreationTimestamp(created)
		if deleted != nil {
			deleted = deleted.DeepCopy()
			move(deleted)
			about.SetDeletionTimestamp(deleted)
		}
	}
	gibibyte := v1.ResourceList{v1.ResourceStorage: resource.MustParse("1Gi")}
	switch o := object.(type) {
	case *v1.Node:
		completeNode(o)
	case *v1.PersistentVolumeClaim:
		inDefault(o)
		if len(o.Spec.AccessModes) == 0 {
			o.Spec.AccessModes = []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}
		}
		if len(o.Spec.Resources.Requests) == 0 {
			o.Spec.Resources.Requests = gibibyte
		}
	case *v1.PersistentVolume:
		if len(o.Spec.AccessModes) == 0 {
			o.Spec.AccessModes = []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}
		}
		if len(o.Spec.Capacity) == 0 {
			o.Spec.Capacity = gibibyte
		}
		if o.Spec.PersistentVolumeSource == (v1.PersistentVolumeSource{}) {
			o.Spec.HostPath = &v1.HostPathVolumeSource{Path: "/data"}
		}
		if csi := o.Spec.CSI; csi != nil && csi.VolumeHandle == "" {
			csi.VolumeHandle = o.Name
		}
	case *storagev1.StorageClass:
		if o.Provisioner == "" {
			o.Provisioner = "kubernetes.io/no-provisioner"
		}
	case *storagev1.CSINode:
		for i := range o.Spec.Drivers {
			if o.Spec.Drivers[i].NodeID == "" {
				o.Spec.Drivers[i].NodeID = o.Name
			}
		}
	case *policyv1.PodDisruptionBudget:
		inDefault(o)
	case metav1.Object:
		if kind, _ := kindOf(object); kind.Kind == "Service" || kind.Kind == "ReplicaSet" || kind.Kind == "StatefulSet" ||
			kind.Kind == "ReplicationController" || kind.Kind == "ResourceClaim" || kind.Kind == "CSIStorageCapacity" {
			inDefault(o)
		}
	}
}

func inDefault(object metav1.Object) {
	if object.GetNamespace() == "" {
		object.SetNamespace(metav1.NamespaceDefault)
	}
}

// completeNode gives a node much of each resource that the test says nothing about.
func completeNode(node *v1.Node) {
	if len(node.Status.Allocatable) == 0 {
		node.Status.Allocatable = node.Status.Capacity.DeepCopy()
	}
	if node.Status.Allocatable == nil {
		node.Status.Allocatable = v1.ResourceList{}
	}
	for name, much := range map[v1.ResourceName]string{
		v1.ResourceCPU: "64", v1.ResourceMemory: "256Gi", v1.ResourceEphemeralStorage: "1Ti", v1.ResourcePods: "110",
	} {
		if _, set := node.Status.Allocatable[name]; !set {
			node.Status.Allocatable[name] = resource.MustParse(much)
		}
	}
	node.Status.Conditions = nil
}
