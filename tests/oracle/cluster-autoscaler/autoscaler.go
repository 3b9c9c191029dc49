package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"k8s.io/autoscaler/cluster-autoscaler/cloudprovider"
	cloud "k8s.io/autoscaler/cluster-autoscaler/cloudprovider/test"
	"k8s.io/autoscaler/cluster-autoscaler/clusterstate/scaleupfailures"
	clusterstate "k8s.io/autoscaler/cluster-autoscaler/clusterstate/utils"
	"k8s.io/autoscaler/cluster-autoscaler/config"
	ca "k8s.io/autoscaler/cluster-autoscaler/context"
	"k8s.io/autoscaler/cluster-autoscaler/core"
	coreoptions "k8s.io/autoscaler/cluster-autoscaler/core/options"
	"k8s.io/autoscaler/cluster-autoscaler/core/podlistprocessor"
	"k8s.io/autoscaler/cluster-autoscaler/debuggingsnapshot"
	"k8s.io/autoscaler/cluster-autoscaler/processors"
	"k8s.io/autoscaler/cluster-autoscaler/processors/nodeinfosprovider"
	"k8s.io/autoscaler/cluster-autoscaler/processors/pods"
	"k8s.io/autoscaler/cluster-autoscaler/processors/status"
	"k8s.io/autoscaler/cluster-autoscaler/simulator/framework"
	"k8s.io/autoscaler/cluster-autoscaler/simulator/options"
	"k8s.io/autoscaler/cluster-autoscaler/simulator/scheduling"
	kubeutil "k8s.io/autoscaler/cluster-autoscaler/utils/kubernetes"
)

const namespace, statusName = "kube-system", "cluster-autoscaler-status"

// A cluster-autoscaler that looks at a situation.
type autoscaler struct {
	situation *situation
	loops     core.Autoscaler
	client    *fake.Clientset
	cloud     *cloud.TestCloudProvider
	nodes     *kubeutil.TestNodeLister
	ready     *kubeutil.TestNodeLister
	pods      *podLister
	seen      *watcher
	events    *recorder
	end       context.CancelFunc
}

// The most loops after which the pod has to be decided about.
const mostLoops = 6

// No pod is left for longer because it is new.
const delays = 6 * time.Minute

// Lets cluster-autoscaler run one loop before the pod is there, and then as many as it needs.
func ask(s *situation) (*testCase, error) {
	a, err := newAutoscaler(s)
	if err != nil {
		return nil, err
	}
	defer a.end()

	// The first loops find earlier pods, for which nodes may be on their way afterwards.
	if err := a.run(0); err != nil {
		return nil, err
	}
	s.later(a)
	a.show()
	if err := a.run(0); err != nil {
		return nil, err
	}
	s.pods = append(s.pods, s.late...)
	answered := &testCase{Objects: s.objects()}
	if answered.Before, err = a.written(); err != nil {
		return nil, err
	}
	a.show()
	for loop := range mostLoops {
		a.seen.clear()
		// A pod that is left until it is older has its turn in the second loop.
		if err := a.run(delays * time.Duration(min(loop, 1))); err != nil {
			return nil, err
		}
		if loop == 0 {
			if answered.After, err = a.written(); err != nil {
				return nil, err
			}
		}
		answered.Says = a.seen.decision(s, loop)
		answered.Says.Loop = loop
		if answered.Says.Web != "waits" {
			break
		}
	}
	return answered, nil
}

func (a *autoscaler) run(in time.Duration) error {
	if err := a.loops.RunOnce(time.Now().Add(in)); err != nil {
		return fmt.Errorf("the loop failed: %w", err)
	}
	return nil
}

// What has been written so far: the status, and the Events.
func (a *autoscaler) written() (writing, error) {
	status, err := a.client.CoreV1().ConfigMaps(namespace).Get(context.Background(), statusName, metav1.GetOptions{})
	if err != nil {
		return writing{}, err
	}
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}
	objects := []runtime.Object{status.DeepCopy()}
	for _, event := range a.events.all {
		objects = append(objects, event)
	}
	return writing{Now: time.Now().UTC(), Objects: objects}, nil
}

// Puts the nodes and pods of the situation into the lists that the loops read.
func (a *autoscaler) show() {
	var ready []*corev1.Node
	for _, node := range a.situation.nodes {
		if kubeutil.IsNodeReadyAndSchedulable(node) {
			ready = append(ready, node)
		}
	}
	a.nodes.SetNodes(a.situation.nodes)
	a.ready.SetNodes(ready)
	a.pods.pods = a.situation.pods
}

type podLister struct{ pods []*corev1.Pod }

func (l *podLister) List() ([]*corev1.Pod, error) { return l.pods, nil }

func newAutoscaler(s *situation) (*autoscaler, error) {
	ctx, end := context.WithCancel(context.Background())
	a := &autoscaler{situation: s, end: end, client: fake.NewClientset(s.listed()...),
		nodes: kubeutil.NewTestNodeLister(nil), ready: kubeutil.NewTestNodeLister(nil),
		pods: &podLister{}, seen: &watcher{}, events: &recorder{}}
	a.show()
	a.addGroups()

	settings := s.settings()
	factory := informers.NewSharedInformerFactory(a.client, 0)
	handle, err := framework.NewHandle(ctx, factory, nil, settings.DynamicResourceAllocationEnabled, false)
	if err != nil {
		return nil, err
	}
	log, err := clusterstate.NewStatusMapRecorder(a.client, namespace, a.events, true, statusName)
	if err != nil {
		return nil, err
	}
	daemons, err := kubeutil.NewTestDaemonSetLister(s.daemons)
	if err != nil {
		return nil, err
	}
	listers := kubeutil.NewListerRegistry(a.nodes, a.ready, a.pods, kubeutil.NewTestPodDisruptionBudgetLister(nil),
		daemons, nil, nil, nil, nil)
	loops, failure := core.NewAutoscaler(ctx, coreoptions.AutoscalerOptions{
		AutoscalingOptions: settings, KubeClient: a.client, InformerFactory: factory,
		AutoscalingKubeClients: &ca.AutoscalingKubeClients{ListerRegistry: listers, ClientSet: a.client,
			Recorder: a.events, LogRecorder: log},
		CloudProvider: a.cloud, FrameworkHandle: handle, Processors: a.processors(settings),
		ScaleUpFailuresRegistry: scaleupfailures.NewRegistry(),
		DebuggingSnapshotter:    debuggingsnapshot.NewDebuggingSnapshotter(false),
		DeleteOptions:           options.NewNodeDeleteOptions(settings),
	}, factory)
	if failure != nil {
		return nil, failure
	}
	a.loops = loops
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return a, nil
}

// Those that cluster-autoscaler's own program has, and beside them one that watches.
func (a *autoscaler) processors(settings config.AutoscalingOptions) *processors.AutoscalingProcessors {
	all := processors.DefaultProcessors(settings)
	all.TemplateNodeInfoProvider = nodeinfosprovider.NewDefaultTemplateNodeInfoProvider(
		&settings.NodeInfoCacheExpireTime, settings.ForceDaemonSets)
	a.seen.inner = podlistprocessor.NewDefaultPodListProcessor(scheduling.ScheduleAnywhere)
	all.PodListProcessor = a.seen
	all.ScaleUpStatusProcessor = status.NewCombinedScaleUpStatusProcessor(
		[]status.ScaleUpStatusProcessor{all.ScaleUpStatusProcessor, results{a.seen}})
	return all
}

func (a *autoscaler) addGroups() {
	s := a.situation
	templates := map[string]*framework.NodeInfo{}
	for _, group := range s.groups {
		template := group.template.DeepCopy()
		templates[group.id] = framework.NewNodeInfo(template, s.slicesOf(group, template.Name))
	}
	a.cloud = cloud.NewTestCloudProviderBuilder().WithMachineTemplates(templates).WithOnScaleUp(
		func(id string, _ int) error {
			if s.group(id).isBroken {
				return fmt.Errorf("the cloud has no more of %s", id)
			}
			return nil
		}).Build()
	a.cloud.SetResourceLimiter(cloudprovider.NewResourceLimiter(map[string]int64{}, s.most()))
	for _, group := range s.groups {
		a.cloud.AddNodeGroup(group.id, group.min, group.max, group.target)
	}
	for _, node := range s.nodes {
		if id := s.groupOf[node.Name]; id != "" {
			a.cloud.AddNode(id, node)
		}
	}
}

// Sees which pods a loop starts from, which it wants to help, and what came of it.
type watcher struct {
	inner      pods.PodListProcessor
	from, left []*corev1.Pod
	on         map[string]string
	results    []*status.ScaleUpStatus
}

func (w *watcher) clear() { w.from, w.left, w.on, w.results = nil, nil, map[string]string{}, nil }

func (w *watcher) Process(autoscaling *ca.AutoscalingContext, unschedulable []*corev1.Pod) ([]*corev1.Pod, error) {
	w.from = append([]*corev1.Pod{}, unschedulable...)
	left, err := w.inner.Process(autoscaling, unschedulable)
	w.left = append([]*corev1.Pod{}, left...)
	infos, listErr := autoscaling.ClusterSnapshot.ListNodeInfos()
	if listErr != nil {
		return left, listErr
	}
	w.on = map[string]string{}
	for _, info := range infos {
		for _, pod := range info.Pods() {
			w.on[string(pod.UID)] = info.Node().Name
		}
	}
	return left, err
}

func (w *watcher) CleanUp() { w.inner.CleanUp() }

// The same as a processor of what came of loops.
type results struct{ *watcher }

func (r results) Process(_ *ca.AutoscalingContext, result *status.ScaleUpStatus) {
	r.watcher.results = append(r.watcher.results, result)
}

func (r results) CleanUp() {}

func has(pods []*corev1.Pod, name string) bool {
	for _, pod := range pods {
		if pod.Name == name {
			return true
		}
	}
	return false
}

func (w *watcher) decision(s *situation, loop int) decision {
	web := s.web()
	if !has(w.from, web.Name) {
		return decision{Web: "ignored"}
	}
	if web.OwnerReferences[0].Kind == "DaemonSet" {
		return decision{Web: "ignored"}
	}
	if !has(w.left, web.Name) {
		if on := w.on[string(web.UID)]; on != "" {
			return decision{Web: "placed", On: on}
		}
		return decision{Web: "ignored"}
	}
	if s.isPatient() && loop == 0 {
		return decision{Web: "waits"}
	}
	for _, result := range w.results {
		said := decision{Result: result.Result.String()}
		if has(result.PodsTriggeredScaleUp, web.Name) {
			said.Web = "failed"
			if result.Result == status.ScaleUpSuccessful {
				said.Web = "added"
				said.Grows = map[string]int{}
				for _, info := range result.ScaleUpInfos {
					said.Grows[info.Group.Id()] = info.NewSize - info.CurrentSize
				}
			}
			return said
		}
		for _, remains := range result.PodsRemainUnschedulable {
			if remains.Pod.Name == web.Name {
				said.Web = "refused"
				said.Reasons = map[string][]string{}
				for _, reasons := range []map[string]status.Reasons{remains.RejectedNodeGroups, remains.SkippedNodeGroups} {
					for id, reason := range reasons {
						said.Reasons[id] = append(said.Reasons[id], reason.Reasons()...)
					}
				}
				return said
			}
		}
		if result.Result == status.ScaleUpNoOptionsAvailable {
			said.Web = "refused"
			return said
		}
	}
	return decision{Web: "waits"}
}

// Keeps Events as the API would.
type recorder struct{ all []*corev1.Event }

func (r *recorder) Event(object runtime.Object, kind, reason, message string) {
	reference := corev1.ObjectReference{}
	switch about := object.(type) {
	case *corev1.Pod:
		reference = corev1.ObjectReference{Kind: "Pod", Namespace: about.Namespace, Name: about.Name, UID: about.UID}
	case *corev1.Node:
		reference = corev1.ObjectReference{Kind: "Node", Name: about.Name, UID: about.UID}
	case *corev1.ConfigMap:
		reference = corev1.ObjectReference{Kind: "ConfigMap", Namespace: about.Namespace, Name: about.Name, UID: about.UID}
	default:
		return
	}
	now := metav1.Now()
	in := reference.Namespace
	if in == "" {
		in = "default"
	}
	r.all = append(r.all, &corev1.Event{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Event"},
		ObjectMeta:     metav1.ObjectMeta{Namespace: in, Name: fmt.Sprintf("%s.%d", strings.ToLower(reference.Name), len(r.all))},
		InvolvedObject: reference, Type: kind, Reason: reason, Message: message, Count: 1,
		Source: corev1.EventSource{Component: "cluster-autoscaler"}, FirstTimestamp: now, LastTimestamp: now})
}

func (r *recorder) Eventf(object runtime.Object, kind, reason, format string, args ...interface{}) {
	r.Event(object, kind, reason, fmt.Sprintf(format, args...))
}

func (r *recorder) AnnotatedEventf(object runtime.Object, _ map[string]string, kind, reason, format string, args ...interface{}) {
	r.Event(object, kind, reason, fmt.Sprintf(format, args...))
}
