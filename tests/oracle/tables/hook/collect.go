package hook

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
)

// kinds are those that a case may hold.
var kinds = []schema.GroupVersionKind{
	v1.SchemeGroupVersion.WithKind("Node"),
	v1.SchemeGroupVersion.WithKind("Pod"),
	v1.SchemeGroupVersion.WithKind("Namespace"),
	v1.SchemeGroupVersion.WithKind("Service"),
	v1.SchemeGroupVersion.WithKind("ReplicationController"),
	v1.SchemeGroupVersion.WithKind("PersistentVolume"),
	v1.SchemeGroupVersion.WithKind("PersistentVolumeClaim"),
	appsv1.SchemeGroupVersion.WithKind("ReplicaSet"),
	appsv1.SchemeGroupVersion.WithKind("StatefulSet"),
	policyv1.SchemeGroupVersion.WithKind("PodDisruptionBudget"),
	storagev1.SchemeGroupVersion.WithKind("StorageClass"),
	storagev1.SchemeGroupVersion.WithKind("CSINode"),
	storagev1.SchemeGroupVersion.WithKind("CSIDriver"),
	storagev1.SchemeGroupVersion.WithKind("CSIStorageCapacity"),
	storagev1.SchemeGroupVersion.WithKind("VolumeAttachment"),
	resourcev1.SchemeGroupVersion.WithKind("DeviceClass"),
	resourcev1.SchemeGroupVersion.WithKind("ResourceClaim"),
	resourcev1.SchemeGroupVersion.WithKind("ResourceSlice"),
	resourcev1.SchemeGroupVersion.WithKind("DeviceTaintRule"),
}

// collect takes over what clients and informers hold. Objects that are known stay as they were first seen.
func (e *entry) collect() {
	for _, kind := range kinds {
		resource, _ := meta.UnsafeGuessKindToResource(kind)
		for _, client := range e.clients {
			tracked, is := client.(interface {
				Tracker() clienttesting.ObjectTracker
			})
			if !is {
				continue
			}
			list, err := tracked.Tracker().List(resource, kind, "")
			if err != nil {
				continue
			}
			objects, err := meta.ExtractList(list)
			if err != nil {
				continue
			}
			for _, object := range objects {
				e.add(object.DeepCopyObject())
			}
		}
		for _, factory := range e.informers {
			informer, err := factory.ForResource(resource)
			if err != nil {
				continue
			}
			e.stored(informer.Informer().GetStore())
		}
	}
}

func (e *entry) stored(store cache.Store) {
	for _, item := range store.List() {
		if object, is := item.(runtime.Object); is {
			e.add(object.DeepCopyObject())
		}
	}
}

// kindOf is an object's kind, false if a case cannot hold it.
func kindOf(object runtime.Object) (schema.GroupVersionKind, bool) {
	all, _, err := scheme.Scheme.ObjectKinds(object)
	if err != nil || len(all) == 0 {
		return schema.GroupVersionKind{}, false
	}
	return all[0], slices.Contains(kinds, all[0])
}

// gates are those that do not have their default.
func gates() map[string]bool {
	set := map[string]bool{}
	for name, spec := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		if !spec.LockToDefault && utilfeature.DefaultFeatureGate.Enabled(name) != spec.Default {
			set[string(name)] = !spec.Default
		}
	}
	return set
}
