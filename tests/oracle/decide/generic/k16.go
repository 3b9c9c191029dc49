//go:build k16

package generic

import (
	"sync"
	"time"
	_ "unsafe" // for steps of Preempt that the scheduler keeps to itself

	corev1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/features"
	kube "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/algorithm"
	"k8s.io/kubernetes/pkg/scheduler/algorithm/predicates"
	"k8s.io/kubernetes/pkg/scheduler/algorithm/priorities"
	"k8s.io/kubernetes/pkg/scheduler/algorithmprovider"
	"k8s.io/kubernetes/pkg/scheduler/api"
	"k8s.io/kubernetes/pkg/scheduler/core"
	"k8s.io/kubernetes/pkg/scheduler/factory"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
	"k8s.io/kubernetes/pkg/scheduler/nodeinfo"
	"k8s.io/kubernetes/pkg/scheduler/util"

	"oracle/cases"
	"oracle/world"
)

// Where 1.16 declares what 1.12 has elsewhere.
type (
	fitPredicate      = predicates.FitPredicate
	predicateMetadata = predicates.PredicateMetadata
	failureReason     = predicates.PredicateFailureReason
	priorityConfig    = priorities.PriorityConfig
	nodeInfo          = nodeinfo.NodeInfo
)

type scheduler struct {
	config  *factory.Config
	context *framework.PluginContext
}

// applyFeatureGates is what kube-scheduler does once, before anything else.
var applyFeatureGates = sync.OnceFunc(func() { algorithmprovider.ApplyFeatureGates() })

// start is what kube-scheduler's own start does with its default provider, and an extender that only watches.
func start(q *cases.Question, seen *watch, stop <-chan struct{}) (*scheduler, error) {
	applyFeatureGates()
	informers, err := world.Informers(q.Objects)
	if err != nil {
		return nil, err
	}
	configurator := factory.NewConfigFactory(&factory.ConfigFactoryArgs{
		Client:                         world.Client,
		NodeInformer:                   informers.Core().V1().Nodes(),
		PodInformer:                    informers.Core().V1().Pods(),
		PvInformer:                     informers.Core().V1().PersistentVolumes(),
		PvcInformer:                    informers.Core().V1().PersistentVolumeClaims(),
		ReplicationControllerInformer:  informers.Core().V1().ReplicationControllers(),
		ReplicaSetInformer:             informers.Apps().V1().ReplicaSets(),
		StatefulSetInformer:            informers.Apps().V1().StatefulSets(),
		ServiceInformer:                informers.Core().V1().Services(),
		PdbInformer:                    informers.Policy().V1beta1().PodDisruptionBudgets(),
		StorageClassInformer:           informers.Storage().V1().StorageClasses(),
		CSINodeInformer:                informers.Storage().V1beta1().CSINodes(),
		HardPodAffinitySymmetricWeight: corev1.DefaultHardPodAffinitySymmetricWeight,
		PercentageOfNodesToScore:       100,
		BindTimeoutSeconds:             600,
		StopCh:                         stop,
		Registry:                       framework.NewRegistry(),
	})
	provider, err := factory.GetAlgorithmProvider(factory.DefaultProvider)
	if err != nil {
		return nil, err
	}
	config, err := configurator.CreateFromKeys(provider.FitPredicateKeys, provider.PriorityFunctionKeys, []algorithm.SchedulerExtender{seen})
	if err != nil {
		return nil, err
	}
	kube.AddAllEventHandlers(kube.NewFromConfig(config), corev1.DefaultSchedulerName,
		informers.Core().V1().Nodes(), informers.Core().V1().Pods(), informers.Core().V1().PersistentVolumes(),
		informers.Core().V1().PersistentVolumeClaims(), informers.Core().V1().Services(),
		informers.Storage().V1().StorageClasses(), informers.Storage().V1beta1().CSINodes())
	return &scheduler{config, framework.NewPluginContext()}, nil
}

func (s *scheduler) schedule(pod *corev1.Pod) (string, error) {
	result, err := s.config.Algorithm.Schedule(pod, s.context)
	return result.SuggestedHost, err
}

func (s *scheduler) preempt(pod *corev1.Pod, fit *core.FitError) error {
	_, _, _, err := s.config.Algorithm.Preempt(s.context, pod, fit)
	return err
}

func (s *scheduler) eligible(pod *corev1.Pod) (bool, error) {
	snapshot := nodeinfo.NewSnapshot()
	err := s.config.SchedulerCache.UpdateNodeInfoSnapshot(snapshot)
	neverPreempts := utilfeature.DefaultFeatureGate.Enabled(features.NonPreemptingPriority)
	return podEligibleToPreemptOthers(pod, snapshot.NodeInfoMap, neverPreempts), err
}

func mightHelp(nodes []*corev1.Node, fit *core.FitError) []*corev1.Node {
	return nodesWherePreemptionMightHelp(nodes, fit)
}

func earliestStart(victims *api.Victims) time.Time {
	if len(victims.Pods) == 0 {
		return time.Time{}
	}
	return util.GetEarliestPodStartTime(victims).Time
}

//go:linkname podEligibleToPreemptOthers k8s.io/kubernetes/pkg/scheduler/core.podEligibleToPreemptOthers
func podEligibleToPreemptOthers(*corev1.Pod, map[string]*nodeInfo, bool) bool

//go:linkname nodesWherePreemptionMightHelp k8s.io/kubernetes/pkg/scheduler/core.nodesWherePreemptionMightHelp
func nodesWherePreemptionMightHelp([]*corev1.Node, *core.FitError) []*corev1.Node
