// Asks Karpenter's provisioner about random clusters: would it make a node for the pod `web`, does it
// expect the pod on a node that it has (in flight or there), or does it leave the pod alone? Each line
// is a case: the objects as the API has them, and what Karpenter decided.
//
//	go run ./situations CASES SEED > situations.jsonl
//
// The cloud is a value of this program: pools have a few sizes each. What Karpenter decides with them
// is its own code, with an API that is held in memory.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"os"
	"strconv"
	"strings"

	"github.com/awslabs/operatorpkg/status"
	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	kwok "sigs.k8s.io/karpenter/kwok/apis/v1alpha1"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/dynamicresources/deviceallocation"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	"sigs.k8s.io/karpenter/pkg/state/virtualpods"
)

// What Karpenter decided about the pod.
type decision struct {
	// The pool of the node that it would make.
	NewNode string `json:"newNode,omitempty"`
	// The node, or the claim of a node in flight, on which it expects the pod.
	Existing string `json:"existing,omitempty"`
	// Why neither.
	Refused string `json:"refused,omitempty"`
	// It does not look at the pod.
	Ignored bool `json:"ignored,omitempty"`
}

type testCase struct {
	Objects []client.Object `json:"objects"`
	Says    decision        `json:"says"`
}

// The cloud: what each pool can be made of.
type cloud struct {
	cloudprovider.CloudProvider
	sizes map[string][]*cloudprovider.InstanceType
}

func (c *cloud) GetInstanceTypes(_ context.Context, pool *v1.NodePool) ([]*cloudprovider.InstanceType, error) {
	return c.sizes[pool.Name], nil
}

func (c *cloud) Name() string { return "test" }

func (c *cloud) GetSupportedNodeClasses() []status.Object {
	return []status.Object{&kwok.KWOKNodeClass{}}
}

func (c *cloud) RepairPolicies() []cloudprovider.RepairPolicy { return nil }

func main() {
	cases, seed := number(1, 2000), number(2, 7)
	random := rand.New(rand.NewSource(int64(seed)))
	klog.SetOutput(io.Discard)
	ctrllog.SetLogger(logr.Discard())
	out := json.NewEncoder(os.Stdout)
	for range cases {
		situation := randomSituation(random)
		says, err := ask(situation)
		if err == nil {
			err = out.Encode(testCase{Objects: situation.objects(), Says: says})
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func number(at, otherwise int) int {
	if len(os.Args) <= at {
		return otherwise
	}
	value, err := strconv.Atoi(os.Args[at])
	if err != nil {
		fmt.Fprintf(os.Stderr, "not a number: %s\n", os.Args[at])
		os.Exit(2)
	}
	return value
}

// Lets the provisioner decide once, with everything in its caches as its watches would have put it there.
func ask(situation *situation) (decision, error) {
	ctx := options.ToContext(context.Background(), &options.Options{
		CPURequests:       1000,
		PreferencePolicy:  options.PreferencePolicyRespect,
		MinValuesPolicy:   options.MinValuesPolicyStrict,
		IgnoreDRARequests: true,
	})
	// Karpenter asks for a volume in the namespace of the pod, which a real client ignores.
	get := func(ctx context.Context, api client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
		if _, isVolume := o.(*corev1.PersistentVolume); isVolume {
			key.Namespace = ""
		}
		return api.Get(ctx, key, o, opts...)
	}
	builder := fake.NewClientBuilder().WithScheme(scheme.Scheme).WithInterceptorFuncs(interceptor.Funcs{Get: get})
	for _, object := range situation.objects() {
		builder = builder.WithObjects(object.DeepCopyObject().(client.Object))
	}
	api := indexed(builder).Build()
	provider := &cloud{sizes: situation.sizes}
	nodes := state.NewCluster(clock.RealClock{}, api, provider)
	for _, claim := range situation.claims {
		nodes.UpdateNodeClaim(claim)
	}
	for _, node := range situation.nodes {
		if err := nodes.UpdateNode(ctx, node); err != nil {
			return decision{}, err
		}
	}
	for _, pod := range situation.pods {
		if err := nodes.UpdatePod(ctx, pod); err != nil {
			return decision{}, err
		}
	}
	recorder := events.NewRecorder(&record.FakeRecorder{})
	provisioner := provisioning.NewProvisioner(api, recorder, provider, nodes, clock.RealClock{},
		deviceallocation.NewController(api), virtualpods.NewVirtualPodCache(api))
	pending, err := provisioner.GetPendingPods(ctx)
	if err != nil {
		return decision{}, err
	}
	looks := false
	for _, pod := range pending {
		looks = looks || pod.Name == "web"
	}
	results, err := provisioner.Schedule(ctx)
	if err != nil {
		return decision{}, err
	}
	return of(results, looks, refusal(ctx, provisioner, situation)), nil
}

// Why the provisioner takes the pod for one that no node can help.
func refusal(ctx context.Context, provisioner *provisioning.Provisioner, situation *situation) string {
	if err := provisioner.Validate(ctx, situation.web()); err != nil {
		return err.Error()
	}
	return ""
}

func of(results scheduling.Results, looks bool, refusal string) decision {
	for pod, err := range results.PodErrors {
		if pod.Name == "web" {
			return decision{Refused: err.Error()}
		}
	}
	for _, claim := range results.NewNodeClaims {
		for _, pod := range claim.Pods {
			if pod.Name == "web" {
				return decision{NewNode: claim.NodePoolName}
			}
		}
	}
	for _, node := range results.ExistingNodes {
		for _, pod := range node.Pods {
			if pod.Name == "web" {
				return decision{Existing: node.Name()}
			}
		}
	}
	if refusal != "" {
		return decision{Refused: refusal}
	}
	if looks {
		return decision{Refused: "no pool is ready"}
	}
	return decision{Ignored: true}
}

// The indexes that the provisioner's questions need.
func indexed(builder *fake.ClientBuilder) *fake.ClientBuilder {
	class := func(field func(*v1.NodeClassReference) string) (client.IndexerFunc, client.IndexerFunc) {
		return func(o client.Object) []string { return []string{field(o.(*v1.NodeClaim).Spec.NodeClassRef)} },
			func(o client.Object) []string {
				return []string{field(o.(*v1.NodePool).Spec.Template.Spec.NodeClassRef)}
			}
	}
	for name, field := range map[string]func(*v1.NodeClassReference) string{
		"group": func(r *v1.NodeClassReference) string { return r.Group },
		"kind":  func(r *v1.NodeClassReference) string { return r.Kind },
		"name":  func(r *v1.NodeClassReference) string { return r.Name },
	} {
		ofClaim, ofPool := class(field)
		builder = builder.
			WithIndex(&v1.NodeClaim{}, "spec.nodeClassRef."+name, ofClaim).
			WithIndex(&v1.NodePool{}, "spec.template.spec.nodeClassRef."+name, ofPool)
	}
	return builder.
		WithIndex(&corev1.Pod{}, "spec.nodeName", func(o client.Object) []string {
			return []string{o.(*corev1.Pod).Spec.NodeName}
		}).
		WithIndex(&corev1.Node{}, "spec.providerID", func(o client.Object) []string {
			return []string{o.(*corev1.Node).Spec.ProviderID}
		}).
		WithIndex(&storagev1.VolumeAttachment{}, "spec.nodeName", func(o client.Object) []string {
			return []string{o.(*storagev1.VolumeAttachment).Spec.NodeName}
		}).
		WithIndex(&v1.NodeClaim{}, "status.providerID", func(o client.Object) []string {
			return []string{strings.TrimSpace(o.(*v1.NodeClaim).Status.ProviderID)}
		})
}
