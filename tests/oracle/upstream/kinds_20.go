//go:build !from21

package upstream

import (
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1beta1 "k8s.io/api/policy/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Kinds are the objects that the scheduler watches, by `apiVersion/kind`; the others of a cluster are passed over. A
// budget is read as policy/v1beta1 has it, which is all that these releases know and has the same fields.
var Kinds = map[string]func() runtime.Object{
	"v1/Node":                        func() runtime.Object { return &v1.Node{} },
	"v1/Pod":                         func() runtime.Object { return &v1.Pod{} },
	"v1/Namespace":                   func() runtime.Object { return &v1.Namespace{} },
	"v1/Service":                     func() runtime.Object { return &v1.Service{} },
	"v1/ReplicationController":       func() runtime.Object { return &v1.ReplicationController{} },
	"v1/PersistentVolume":            func() runtime.Object { return &v1.PersistentVolume{} },
	"v1/PersistentVolumeClaim":       func() runtime.Object { return &v1.PersistentVolumeClaim{} },
	"apps/v1/ReplicaSet":             func() runtime.Object { return &appsv1.ReplicaSet{} },
	"apps/v1/StatefulSet":            func() runtime.Object { return &appsv1.StatefulSet{} },
	"policy/v1/PodDisruptionBudget":  func() runtime.Object { return &policyv1beta1.PodDisruptionBudget{} },
	"storage.k8s.io/v1/StorageClass": func() runtime.Object { return &storagev1.StorageClass{} },
}
