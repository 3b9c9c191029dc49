//go:build k37

// Package admit treats objects as the API server does on their way in: it fills in defaults and says what is wrong.
package admit

import (
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	podapi "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/apps"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/apis/policy"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	policyvalidation "k8s.io/kubernetes/pkg/apis/policy/validation"
	"k8s.io/kubernetes/pkg/apis/resource"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	resourcevalidation "k8s.io/kubernetes/pkg/apis/resource/validation"
	"k8s.io/kubernetes/pkg/apis/scheduling"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	schedulingvalidation "k8s.io/kubernetes/pkg/apis/scheduling/validation"
	"k8s.io/kubernetes/pkg/apis/storage"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	storagevalidation "k8s.io/kubernetes/pkg/apis/storage/validation"
)

// Available says whether this program knows what the API server does.
const Available = true

// Object gives back an object as the API server would store it, and why the API server would refuse it.
func Object(raw json.RawMessage) (json.RawMessage, error) {
	decoded, kind, err := legacyscheme.Codecs.UniversalDeserializer().Decode(raw, nil, nil)
	if err != nil {
		return nil, err
	}
	legacyscheme.Scheme.Default(decoded)
	internal, err := legacyscheme.Scheme.ConvertToVersion(decoded, schema.GroupVersion{Group: kind.Group, Version: runtime.APIVersionInternal})
	if err != nil {
		return nil, err
	}
	decoded.GetObjectKind().SetGroupVersionKind(*kind)
	stored, err := json.Marshal(decoded)
	if err != nil {
		return nil, err
	}
	wrong := validate(internal).Filter(needsGate)
	if len(wrong) > 0 {
		return stored, fmt.Errorf("%s %s", kind.Kind, wrong.ToAggregate())
	}
	return stored, nil
}

// needsGate are errors about fields that are refused only while a feature gate of the API server is off.
func needsGate(err error) bool { return strings.Contains(err.Error(), "when `hostUsers` is false") }

func validate(object runtime.Object) field.ErrorList {
	switch o := object.(type) {
	case *core.Pod:
		return corevalidation.ValidatePodCreate(o, podapi.GetValidationOptionsFromPodSpecAndMeta(&o.Spec, nil, &o.ObjectMeta, nil))
	case *core.Node:
		return corevalidation.ValidateNode(o)
	case *core.Namespace:
		return corevalidation.ValidateNamespace(o)
	case *core.PersistentVolume:
		return corevalidation.ValidatePersistentVolume(o, corevalidation.ValidationOptionsForPersistentVolume(o, nil))
	case *core.PersistentVolumeClaim:
		return corevalidation.ValidatePersistentVolumeClaim(o, corevalidation.ValidationOptionsForPersistentVolumeClaimCreate())
	case *apps.StatefulSet, *apps.ReplicaSet, *core.ReplicationController, *core.Service:
		return nil // of these the scheduler reads the selector alone, and the generator makes little more
	case *policy.PodDisruptionBudget:
		return policyvalidation.ValidatePodDisruptionBudget(o, policyvalidation.PodDisruptionBudgetValidationOptions{})
	case *scheduling.PriorityClass:
		return schedulingvalidation.ValidatePriorityClass(o)
	case *scheduling.CompositePodGroup:
		return schedulingvalidation.ValidateCompositePodGroup(o)
	case *scheduling.PodGroup:
		return schedulingvalidation.ValidatePodGroup(o)
	case *storage.StorageClass:
		return storagevalidation.ValidateStorageClass(o)
	case *storage.CSINode:
		return storagevalidation.ValidateCSINode(o)
	case *storage.CSIDriver:
		return storagevalidation.ValidateCSIDriver(o)
	case *storage.CSIStorageCapacity:
		return storagevalidation.ValidateCSIStorageCapacity(o, storagevalidation.CSIStorageCapacityValidateOptions{})
	case *storage.VolumeAttachment:
		return storagevalidation.ValidateVolumeAttachment(o)
	case *resource.ResourceClaim:
		return resourcevalidation.ValidateResourceClaim(o)
	case *resource.DeviceClass:
		return resourcevalidation.ValidateDeviceClass(o)
	case *resource.ResourceSlice:
		return resourcevalidation.ValidateResourceSlice(o)
	case *resource.DeviceTaintRule:
		return resourcevalidation.ValidateDeviceTaintRule(o)
	}
	return field.ErrorList{field.InternalError(nil, fmt.Errorf("no validation for %T", object))}
}
