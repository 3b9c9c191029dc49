// Writes lists of random objects as an API server writes them, in JSON and in protobuf: one line for each kind.
// The first object of a list has every field. The argument is the seed.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"reflect"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializerjson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const objects = 6

func lists() []runtime.Object {
	return []runtime.Object{
		&corev1.NodeList{}, &policyv1.PodDisruptionBudgetList{}, &schedulingv1.PriorityClassList{}, &corev1.NamespaceList{},
		&corev1.LimitRangeList{}, &storagev1.StorageClassList{}, &storagev1.CSIDriverList{}, &storagev1.CSINodeList{},
		&storagev1.CSIStorageCapacityList{}, &storagev1.VolumeAttachmentList{}, &corev1.PersistentVolumeList{},
		&corev1.PersistentVolumeClaimList{}, &corev1.ServiceList{}, &corev1.ReplicationControllerList{},
		&appsv1.StatefulSetList{}, &appsv1.ReplicaSetList{}, &batchv1.JobList{}, &corev1.PodList{}, &corev1.ResourceQuotaList{},
	}
}

// The texts that decide what a decoder keeps, and texts that are hard to copy.
var words = []string{
	"", "a", "PodScheduled", "False", "True", "Always", "grün", "日本", "\u2028", "\"\\\n", "kubernetes.io/config.mirror",
	"volume.kubernetes.io/selected-node", "pv.kubernetes.io/bind-completed", "volume.beta.kubernetes.io/storage-class",
	"scheduler.alpha.kubernetes.io/preferAvoidPods", "storageclass.kubernetes.io/is-default-class",
	"storage.alpha.kubernetes.io/migrated-plugins", "cluster-autoscaler.kubernetes.io/scale-down-disabled",
	"cluster-autoscaler.kubernetes.io/safe-to-evict", "karpenter.sh/do-not-disrupt",
	"cluster.x-k8s.io/cluster-namespace", "cluster.x-k8s.io/owner-kind", "cluster.x-k8s.io/owner-name",
	"machine.openshift.io/machine",
}

var quantities = []string{"0", "1", "100m", "1500m", "128Mi", "1Gi", "3e9", "1n", "-5", "0.5", "1234567890123456789"}

type filler struct {
	*rand.Rand
	whole bool
}

func (f *filler) text() string {
	if f.whole || f.Intn(3) == 0 {
		return "t" + strconv.Itoa(f.Intn(1000))
	}
	return words[f.Intn(len(words))]
}

func (f *filler) fill(v reflect.Value) {
	switch v.Interface().(type) {
	case resource.Quantity:
		v.Set(reflect.ValueOf(resource.MustParse(quantities[f.Intn(len(quantities))])))
		return
	case metav1.Time:
		if f.whole || f.Intn(4) > 0 {
			v.Set(reflect.ValueOf(metav1.NewTime(time.Unix(f.Int63n(4e9)-1e9, 0))))
		}
		return
	case metav1.MicroTime:
		v.Set(reflect.ValueOf(metav1.NewMicroTime(time.Unix(f.Int63n(4e9), 0))))
		return
	case intstr.IntOrString:
		v.Set(reflect.ValueOf(intstr.FromInt32(f.Int31())))
		return
	case metav1.FieldsV1:
		v.Set(reflect.ValueOf(metav1.FieldsV1{Raw: []byte(`{"f:a":{}}`)}))
		return
	case metav1.TypeMeta:
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if f.whole || f.Intn(2) == 0 {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem())
		}
	case reflect.Slice:
		for range f.length() {
			item := reflect.New(v.Type().Elem()).Elem()
			f.fill(item)
			v.Set(reflect.Append(v, item))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range f.length() {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.fill(key)
			f.fill(value)
			v.SetMapIndex(key, value)
		}
		if v.Type() == reflect.TypeFor[map[string]string]() && f.whole {
			for _, word := range words[5:] {
				v.SetMapIndex(reflect.ValueOf(word), reflect.ValueOf("v"))
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i))
		}
		if condition, ok := v.Addr().Interface().(*corev1.PodCondition); ok && f.whole {
			condition.Type, condition.Status = corev1.PodScheduled, corev1.ConditionFalse
		}
	case reflect.String:
		v.SetString(f.text())
	case reflect.Bool:
		v.SetBool(f.whole || f.Intn(2) == 0)
	case reflect.Int32, reflect.Int64:
		v.SetInt(int64(int32(f.Uint32())) / int64(1+f.Intn(3)*1000))
		if f.whole && v.Int() == 0 {
			v.SetInt(1)
		}
	case reflect.Uint8:
		v.SetUint(uint64(f.Intn(256)))
	default:
		panic("no random " + v.Type().String())
	}
}

func (f *filler) length() int {
	if f.whole {
		return 1
	}
	return f.Intn(3)
}

func encode(encoder runtime.Encoder, object runtime.Object) []byte {
	var buffer bytes.Buffer
	if err := encoder.Encode(object, &buffer); err != nil {
		panic(err)
	}
	return buffer.Bytes()
}

func main() {
	seed, err := strconv.ParseInt(os.Args[1], 10, 64)
	if err != nil {
		panic(err)
	}
	random := rand.New(rand.NewSource(seed))
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{appsv1.AddToScheme, batchv1.AddToScheme, corev1.AddToScheme,
		policyv1.AddToScheme, schedulingv1.AddToScheme, storagev1.AddToScheme} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	asJSON := serializerjson.NewSerializerWithOptions(serializerjson.DefaultMetaFactory, scheme, scheme, serializerjson.SerializerOptions{})
	asProtobuf := protobuf.NewSerializer(scheme, scheme)
	output := json.NewEncoder(os.Stdout)
	for _, list := range lists() {
		kinds, _, err := scheme.ObjectKinds(list)
		if err != nil {
			panic(err)
		}
		list.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind(kinds[0]))
		value := reflect.ValueOf(list).Elem()
		meta := value.FieldByName("ListMeta").Addr().Interface().(*metav1.ListMeta)
		meta.ResourceVersion, meta.Continue = fmt.Sprint(random.Int31()), fmt.Sprint("token/", random.Int31())
		items := value.FieldByName("Items")
		for i := range objects {
			item := reflect.New(items.Type().Elem()).Elem()
			(&filler{random, i == 0}).fill(item)
			items.Set(reflect.Append(items, item))
		}
		// A deep copy, because encoding caches texts of quantities.
		line := map[string]any{
			"kind":     kinds[0].Kind,
			"json":     json.RawMessage(encode(asJSON, list.DeepCopyObject())),
			"protobuf": encode(asProtobuf, list),
		}
		if err := output.Encode(line); err != nil {
			panic(err)
		}
	}
}
