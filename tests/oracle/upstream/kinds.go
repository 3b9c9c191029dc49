//go:build from24

package upstream

import (
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Kinds are the objects that the scheduler watches, by `apiVersion/kind`; the others of a cluster are passed over.
var Kinds = map[string]func() runtime.Object{
	"v1/Node":                              func() runtime.Object { return &v1.Node{} },
	"v1/Pod":                               func() runtime.Object { return &v1.Pod{} },
	"v1/Namespace":                         func() runtime.Object { return &v1.Namespace{} },
	"v1/Service":                           func() runtime.Object { return &v1.Service{} },
	"v1/ReplicationController":             func() runtime.Object { return &v1.ReplicationController{} },
	"v1/PersistentVolume":                  func() runtime.Object { return &v1.PersistentVolume{} },
	"v1/PersistentVolumeClaim":             func() runtime.Object { return &v1.PersistentVolumeClaim{} },
	"apps/v1/ReplicaSet":                   func() runtime.Object { return &appsv1.ReplicaSet{} },
	"apps/v1/StatefulSet":                  func() runtime.Object { return &appsv1.StatefulSet{} },
	"policy/v1/PodDisruptionBudget":        func() runtime.Object { return &policyv1.PodDisruptionBudget{} },
	"scheduling.k8s.io/v1/PriorityClass":   func() runtime.Object { return &schedulingv1.PriorityClass{} },
	"storage.k8s.io/v1/StorageClass":       func() runtime.Object { return &storagev1.StorageClass{} },
	"storage.k8s.io/v1/CSINode":            func() runtime.Object { return &storagev1.CSINode{} },
	"storage.k8s.io/v1/CSIDriver":          func() runtime.Object { return &storagev1.CSIDriver{} },
	"storage.k8s.io/v1/CSIStorageCapacity": func() runtime.Object { return &storagev1.CSIStorageCapacity{} },
	"storage.k8s.io/v1/VolumeAttachment":   func() runtime.Object { return &storagev1.VolumeAttachment{} },
}
