//! THE table of version differences: one row per feature gate or behaviour, one field of [`Features`] per row.
//!
//! A rule never looks at a version: it reads a field. Adding a difference is one row here, one branch in the rule, and
//! one scenario that shows it.

use super::gates::Overrides;
use super::version::SchedulerVersion;

/// From here on what alpha gates do is known, too.
const ALPHA_GATES_KNOWN: SchedulerVersion = SchedulerVersion::new(33, 0);

/// One row of the table.
#[derive(Debug)]
pub struct Row {
    /// Name of the field in [`Features`].
    pub field: &'static str,
    /// Feature gate, for what a gate decides.
    pub gate: Option<&'static str>,
    /// What changes.
    pub summary: &'static str,
    /// Where upstream says so.
    pub source: &'static str,
    /// From which version on it has which value; before the first entry it is off.
    pub changes: &'static [(SchedulerVersion, bool)],
    get: fn(&Features) -> bool,
    set: fn(&mut Features, bool),
}

impl Row {
    /// Whether setting the gate in `version` does what the row says. Before it begins, the gate may mean something else:
    /// alpha gates are known as they were from 1.33 on.
    #[must_use]
    pub fn knows(&self, version: SchedulerVersion) -> bool {
        version >= ALPHA_GATES_KNOWN || self.changes.iter().any(|(since, _)| *since <= version)
    }

    /// Its value in `version`.
    #[must_use]
    pub fn at(&self, version: SchedulerVersion) -> bool {
        self.changes.iter().rev().find(|(since, _)| *since <= version).is_some_and(|(_, on)| *on)
    }

    /// Its value among `features`.
    #[must_use]
    pub fn of(&self, features: &Features) -> bool {
        (self.get)(features)
    }

    /// Gives it a value among `features`.
    pub fn set(&self, features: &mut Features, on: bool) {
        (self.set)(features, on);
    }
}

impl Features {
    /// The defaults of `version`.
    #[must_use]
    pub fn of(version: SchedulerVersion) -> Self {
        Self::with(version, &Overrides::new())
    }

    /// What `version` does when its gates are set like that.
    #[must_use]
    pub fn with(version: SchedulerVersion, gates: &Overrides) -> Self {
        let mut features = Self::default();
        for row in HISTORY {
            let set = row.gate.filter(|_| row.knows(version)).and_then(|gate| gates.get(gate)).copied();
            row.set(&mut features, set.unwrap_or_else(|| row.at(version)));
        }
        features
    }
}

macro_rules! history {
    ($($(#[doc = $summary:literal])+ $field:ident $(gate $gate:literal)? from $source:literal
        { $(($minor:literal, $patch:literal) => $on:literal),+ $(,)? })+) => {
        /// What the scheduler of one version does; computed once, then only read.
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        pub struct Features {
            $($(#[doc = $summary])+ pub $field: bool,)+
        }

        /// All rows, in the order of the scheduling cycle.
        pub static HISTORY: &[Row] = &[$(Row {
            field: stringify!($field),
            gate: history!(@gate $($gate)?),
            summary: concat!($($summary),+),
            source: $source,
            changes: &[$((SchedulerVersion::new($minor, $patch), $on)),+],
            get: |features| features.$field,
            set: |features, on| features.$field = on,
        }),+];
    };
    (@gate) => { None };
    (@gate $gate:literal) => { Some($gate) };
}

history! {
    // --- Which plugins run, and how the cycle goes on. ---

    /// Filters and scores are plugins of the scheduling framework; before, they were predicates and priorities.
    framework_filters from "pkg/scheduler/framework/plugins/default_registry.go (1.17)" { (17, 0) => true }

    /// One list of plugins for all extension points, with new weights; before, each point had its own.
    multi_point from "pkg/scheduler/apis/config/v1beta3/default_plugins.go (1.23)" { (23, 0) => true }

    /// Scheduling gates hold a pod back.
    scheduling_gates gate "PodSchedulingReadiness" from "pkg/features/kube_features.go (1.27)"
        { (26, 0) => false, (27, 0) => true }

    /// One list of default plugins has PreFilter, too; before, the cycle began with filtering.
    pre_filters from "pkg/scheduler/algorithmprovider/registry.go (1.18)" { (18, 0) => true }

    /// Of what a plugin has against a node only one reason is told.
    one_reason_per_node from "pkg/scheduler/framework/plugins/migration/utils.go (1.17)"
        { (17, 0) => true, (18, 0) => false }

    /// A claim that is missing or being deleted ends the cycle with an error before anything else is looked at.
    claims_checked_first from "pkg/scheduler/core/generic_scheduler.go (1.19)" { (12, 0) => true, (20, 0) => false }

    /// Errors of all nodes end the cycle together; later, one of them does.
    node_errors_counted from "pkg/scheduler/core/generic_scheduler.go (1.17)" { (12, 0) => true, (17, 0) => false }

    /// The best score of a plugin is 100; before, 10.
    scores_to_hundred from "kubernetes/kubernetes#81215" { (17, 0) => true }

    /// The node that a pod is nominated to is tried first, and taken if it fits.
    nominated_node_first gate "PreferNominatedNode" from "pkg/features/kube_features.go (1.22)"
        { (21, 0) => false, (22, 0) => true }

    /// Every filter is asked about every node, and all their reasons are told.
    filters_all_run from "kubernetes/kubernetes#114518"
        { (24, 0) => true, (24, 10) => false, (25, 0) => true, (25, 6) => false, (26, 0) => true, (26, 1) => false }

    /// A pod that PreFilter refuses counts as one that no node takes, and may preempt; before, it was an error.
    pre_filter_refusal_is_no_fit from "pkg/scheduler/core/generic_scheduler.go (1.19)" { (19, 0) => true }

    /// What PreFilter says is told once; before, it was told of each node.
    pre_filter_message from "kubernetes/kubernetes#110894" { (26, 0) => true }

    /// A pod that PreFilter refuses is tried on every node by preemption, which then lacks what PreFilter prepares.
    pre_filter_refusal_forgotten from "kubernetes/kubernetes#119778"
        { (26, 0) => true, (26, 9) => false, (27, 0) => true, (27, 6) => false, (28, 0) => true, (28, 2) => false }

    /// Nodes that PreFilter has excluded are tried by preemption.
    narrowed_nodes_potential from "kubernetes/kubernetes#119779"
        { (24, 0) => true, (27, 14) => false, (28, 0) => true, (28, 10) => false, (29, 0) => true, (29, 5) => false }

    /// Nodes that PreFilter has excluded are told with a reason of their own.
    narrowed_nodes_filtered_out from "kubernetes/kubernetes#125197"
        { (27, 14) => true, (27, 15) => false, (28, 10) => true, (28, 11) => false, (29, 5) => true, (29, 6) => false,
          (30, 0) => true, (30, 2) => false }

    /// Nodes that PreFilter has excluded are told with the plugins that did it.
    narrowed_nodes_told from "kubernetes/kubernetes#125345" { (32, 0) => true }

    /// A pod that asks for a node which does not exist ends its cycle with an error.
    narrowing_to_missing_node_fails from "kubernetes/kubernetes#124559"
        { (24, 0) => true, (27, 14) => false, (28, 0) => true, (28, 10) => false, (29, 0) => true, (29, 5) => false }

    /// Plugins that leave no node at all refuse the pod for good.
    pre_filter_empty_unresolvable from "pkg/scheduler/framework/runtime/framework.go (1.30)" { (30, 0) => true }

    /// An error of PreFilter, PreScore or Score does not name the pod.
    plugin_errors_short from "pkg/scheduler/framework/runtime/framework.go (1.20)" { (20, 0) => true }

    /// An error of PreFilter is not told.
    pre_filter_error_lost from "kubernetes/kubernetes#112029" { (24, 0) => true, (25, 12) => false }

    /// An error of Filter does not name the pod.
    filter_errors_short from "pkg/scheduler/framework/runtime/framework.go (1.21)" { (21, 0) => true }

    /// InterPodAffinity has no score where nobody prefers anything; before, 0 for every node.
    affinity_score_skips from "pkg/scheduler/framework/plugins/interpodaffinity/scoring.go (1.28)" { (28, 0) => true }

    /// PodTopologySpread has no score without constraints; before, 100 for every node.
    spread_score_skips from "pkg/scheduler/framework/plugins/podtopologyspread/scoring.go (1.28)" { (28, 0) => true }

    /// NodeAffinity has no score without preferences; before, 0 for every node.
    node_affinity_score_skips from "pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go (1.30)" { (30, 0) => true }

    /// VolumeBinding has no score where it has nothing to bind; before, 0 for every node.
    volume_binding_score_skips from "pkg/scheduler/framework/plugins/volumebinding/volume_binding.go (1.30)"
        { (30, 0) => true }

    /// NodeResourcesBalancedAllocation has no score for pods that ask for nothing; before, that of the node as it is.
    balance_score_skips from "kubernetes/kubernetes#130260" { (33, 0) => true }

    /// A pod's nomination reserves room while scheduling gates still hold the pod.
    gated_nominations from "kubernetes/kubernetes#139057" { (37, 0) => true }

    /// The share of nodes that is looked for goes down with their number; before, it was 50 % unless a configuration said
    /// otherwise.
    nodes_to_score_adapt from "kubernetes/kubernetes#72140" { (14, 0) => true }

    /// Without any score the first node that takes the pod ends the search.
    first_node_without_scores from "kubernetes/kubernetes#123384" { (30, 0) => true }

    /// The scheduler keeps nodes that are gone as long as pods are on them.
    gone_nodes_kept from "pkg/scheduler/cache/cache.go (1.12)" { (12, 0) => true, (14, 0) => false }

    // --- Plugins. ---

    /// Nodes that cannot hold the pod's disk count are refused by a plugin for each cloud.
    cloud_disk_limits from "kubernetes/kubernetes#124500" { (12, 0) => true, (31, 0) => false }

    /// Init containers of pods on nodes count.
    init_containers_on_nodes from "kubernetes/kubernetes#90378"
        { (16, 10) => true, (17, 0) => false, (17, 6) => true, (18, 0) => false, (18, 3) => true }

    /// Overhead counts.
    pod_overhead gate "PodOverhead" from "pkg/features/kube_features.go (1.18)" { (16, 0) => false, (18, 0) => true }

    /// A scalar resource of which only init containers ask, and for nothing, is asked for.
    init_zero_scalars_count from "pkg/scheduler/framework/plugins/noderesources/fit.go (1.20)" { (20, 0) => true }

    /// Requests are rounded when the pod's sum is known; before, container by container.
    requests_rounded_once from "pkg/scheduler/framework/types.go (1.27)" { (27, 0) => true }

    /// Scores count overhead of cpu in thousandths; before, whole cores counted for thousandths.
    score_overhead_in_thousandths from "pkg/scheduler/framework/plugins/noderesources/resource_allocation.go (1.27)"
        { (27, 0) => true }

    /// NodeResourcesFit scores count the incoming pod's overhead.
    fit_score_overhead from "pkg/scheduler/framework/plugins/noderesources/fit.go (1.24)"
        { (16, 0) => true, (22, 0) => false, (24, 0) => true }

    /// Sidecars of pods on nodes count in NodeResourcesFit scores as they count in filtering.
    sidecars_score from "pkg/scheduler/framework/types.go (1.32)" { (32, 0) => true }

    /// Resources that a node lacks take no part in scores; before, they counted as used up.
    absent_resources_unscored from "pkg/scheduler/framework/plugins/noderesources/resource_allocation.go (1.22)"
        { (22, 0) => true }

    /// NodeResourcesBalancedAllocation counts by standard deviation, and lets full nodes have a score.
    balance_by_deviation from "kubernetes/kubernetes#101946" { (22, 0) => true }

    /// It counts what pods ask for; before, containers that ask for nothing counted for a little.
    balance_as_asked from "pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go (1.22.6)"
        { (22, 3) => true }

    /// Taints and node affinity are looked at before resources.
    taints_before_resources from "kubernetes/kubernetes#91450" { (20, 0) => true }

    /// PodTopologySpread runs before InterPodAffinity, and SelectorSpread bears its own name.
    spread_before_affinity from "pkg/scheduler/algorithmprovider/registry.go (1.19)" { (19, 0) => true }

    /// PodTopologySpread runs.
    pods_spread gate "EvenPodsSpread" from "pkg/features/kube_features.go (1.18)" { (16, 0) => false, (18, 0) => true }

    /// Pods of some controllers are kept away from nodes that ask for it.
    avoid_pods from "kubernetes/kubernetes#103072" { (12, 0) => true, (22, 0) => false }

    /// NodeResourcesFit scores; before, NodeResourcesLeastAllocated did.
    fit_scores from "kubernetes/kubernetes#101822" { (22, 0) => true }

    /// VolumeBinding looks at claims in PreFilter.
    volume_binding_pre_filter from "pkg/scheduler/algorithmprovider/registry.go (1.19)" { (19, 0) => true }

    /// NodeAffinity has a PreFilter and a PreScore.
    node_affinity_pre_filter from "pkg/scheduler/algorithmprovider/registry.go (1.21)" { (21, 0) => true }

    /// The reason for another node than the named one speaks of its node name, not of its hostname.
    node_name_text from "kubernetes/kubernetes#97841" { (21, 0) => true }

    /// The message of an untolerated taint names the taint.
    taint_named from "kubernetes/kubernetes#87503" { (18, 0) => true }

    /// It calls the taint untolerated.
    taint_untolerated from "kubernetes/kubernetes#107850" { (24, 0) => true }

    /// The reason of NodeAffinity speaks of affinity.
    node_affinity_text from "pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go (1.20)" { (20, 0) => true }

    /// And of the node selector.
    node_affinity_selector_text from "pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go (1.21)"
        { (21, 0) => true }

    /// Terms that conflict refuse the pod only if no term is left; before, one was enough.
    affinity_conflict_of_all_terms from "pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go (1.27)"
        { (27, 0) => true }

    /// Preferred terms look at fields of nodes.
    preferred_node_fields from "pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go (1.20)" { (20, 0) => true }

    /// Flaws of preferred terms are told with their path, all of them; before, the first one.
    node_term_errors_with_path from "component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go (1.21)"
        { (21, 0) => true }

    /// NodeAffinity says in PreFilter which nodes a pod asks for by name.
    node_affinity_narrows from "kubernetes/kubernetes#109877" { (24, 0) => true }

    /// A full node says `Too many pods`; before, `Insufficient pods`.
    too_many_pods_text from "pkg/scheduler/framework/plugins/noderesources/fit.go (1.18)" { (18, 0) => true }

    /// Only what the pod asks for can be short; before, a pod that asked for anything also failed where something else
    /// was overcommitted.
    fit_ignores_zero_requests from "pkg/scheduler/framework/plugins/noderesources/fit.go (1.28)" { (28, 0) => true }

    /// A scalar resource of which the pod asks for nothing is never short.
    fit_ignores_zero_scalars from "pkg/scheduler/framework/plugins/noderesources/fit.go (1.26)" { (26, 0) => true }

    /// `restartPolicy` of init containers is known.
    sidecars_known from "component-helpers/resource/helpers.go (1.28)" { (28, 0) => true }

    /// A pod with a sidecar that must not have one is refused in PreFilter; before, by each node.
    sidecars_refused_in_pre_filter from "pkg/scheduler/framework/plugins/noderesources/fit.go (1.30)" { (30, 0) => true }

    /// Init containers with `restartPolicy: Always` run beside the others.
    sidecars gate "SidecarContainers" from "pkg/features/kube_features.go (1.29)" { (28, 0) => false, (29, 0) => true }

    /// Init containers with `restartPolicy: Always` may hold host ports.
    sidecar_ports from "kubernetes/kubernetes#132040" { (33, 6) => true }

    /// The general reason speaks of rules.
    affinity_reason_rules from "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.21)" { (21, 0) => true }

    /// What running pods object to is looked at behind the pod's own terms.
    existing_anti_affinity_last from "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.19)"
        { (19, 0) => true }

    /// The first pod of a series needs nodes with its topology keys.
    self_affinity_needs_key from "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.19)" { (19, 0) => true }

    /// Nominated pods count for the pod's own terms.
    nominated_pods_in_own_terms from "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.19)"
        { (19, 0) => true }

    /// A pod put back counts for the terms that it matches; before, for all anti-affinity terms if it matches one.
    readded_by_term from "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.18)" { (18, 0) => true }

    /// Namespaces of affinity terms may be selected by label.
    affinity_namespace_selector gate "PodAffinityNamespaceSelector" from "pkg/features/kube_features.go (1.22)"
        { (21, 0) => false, (22, 0) => true }

    /// A namespace selector that does not count yet keeps its term from being about the pod's own namespace.
    namespace_selector_known from "pkg/scheduler/framework/types.go (1.21)" { (21, 0) => true }

    /// The score of InterPodAffinity spans its least and its most; before, also 0.
    affinity_score_spans_extremes from "pkg/scheduler/framework/plugins/interpodaffinity/scoring.go (1.21)"
        { (21, 0) => true }

    /// Each container may hold images worth the maximum; before, one maximum was for all.
    image_maximum_per_container from "pkg/scheduler/framework/plugins/imagelocality/image_locality.go (1.19)"
        { (19, 0) => true }

    /// Images of init containers count.
    init_images_score from "pkg/scheduler/framework/plugins/imagelocality/image_locality.go (1.30)" { (30, 0) => true }

    /// All nodes agree how many have an image; before, a node remembered how many had it when it was added.
    image_spread_live from "pkg/scheduler/internal/cache/cache.go (1.29)" { (29, 0) => true }

    /// PodTopologySpread counts pods of the nodes that the pod may go to; before, of all nodes in their domains.
    spread_counts_eligible_nodes from "pkg/scheduler/framework/plugins/podtopologyspread/filtering.go (1.24)"
        { (24, 0) => true }

    /// Pods that come and go count only on nodes that count.
    spread_update_checks_node from "pkg/scheduler/framework/plugins/podtopologyspread/filtering.go (1.25)"
        { (23, 8) => true, (24, 0) => false, (24, 3) => true }

    /// Pods that come and go where no pods are counted make the scheduler panic.
    spread_update_panics from "pkg/scheduler/framework/plugins/podtopologyspread/filtering.go (1.19)"
        { (19, 0) => true, (23, 8) => false }

    /// A constraint on a key that no node has keeps the pod away; before, it was ignored.
    spread_unknown_key_refuses from "pkg/scheduler/framework/plugins/podtopologyspread/filtering.go (1.20)"
        { (18, 20) => true, (19, 0) => false, (20, 0) => true }

    /// A node without the label of a constraint is refused for good.
    spread_missing_key_unresolvable from "pkg/scheduler/framework/plugins/podtopologyspread/filtering.go (1.19)"
        { (19, 0) => true }

    /// Scores of PodTopologySpread weigh domains and skew; before, they were plain counts.
    spread_score_weighted from "pkg/scheduler/framework/plugins/podtopologyspread/scoring.go (1.19)" { (19, 0) => true }

    /// They are rounded; before, cut off.
    spread_score_rounds from "pkg/scheduler/framework/plugins/podtopologyspread/scoring.go (1.24)" { (24, 0) => true }

    /// Pods without constraints are spread by default constraints.
    spread_system_defaults gate "DefaultPodTopologySpread" from "pkg/features/kube_features.go (1.20)"
        { (19, 0) => false, (20, 0) => true }

    /// Default constraints do without labels that a node lacks.
    spread_defaults_lenient from "pkg/scheduler/framework/plugins/podtopologyspread/scoring.go (1.22.6)"
        { (20, 15) => true, (21, 0) => false, (21, 14) => true, (22, 0) => false, (22, 3) => true }

    /// A constraint may ask for a number of domains.
    spread_min_domains gate "MinDomainsInPodTopologySpread" from "pkg/features/kube_features.go (1.27)"
        { (24, 0) => false, (27, 0) => true }

    /// A constraint says itself whether node affinity and taints exclude nodes from counting.
    spread_node_inclusion gate "NodeInclusionPolicyInPodTopologySpread" from "pkg/features/kube_features.go (1.26)"
        { (25, 0) => false, (26, 0) => true }

    /// Default constraints and SelectorSpread ask the pod's controller; before, every one that selects the pod.
    default_selector_by_owner from "pkg/scheduler/framework/plugins/helper/spread.go (1.22)" { (22, 0) => true }

    /// SelectorSpread leaves pods with constraints of their own alone.
    selector_spread_yields from "pkg/scheduler/framework/plugins/defaultpodtopologyspread (1.18)" { (18, 0) => true }

    /// SelectorSpread counts pods that everything selects which selects the pod; before, that anything does.
    selector_spread_by_all from "pkg/scheduler/algorithm/priorities/selector_spreading.go (1.14)" { (14, 0) => true }

    /// VolumeZone looks at claims in PreFilter.
    volume_zone_pre_filter from "pkg/scheduler/framework/plugins/volumezone/volume_zone.go (1.27)" { (27, 0) => true }

    /// The status of a lookup that VolumeZone cannot make refuses the node; before, it ended the cycle with an error.
    zone_lookups_refuse from "kubernetes/kubernetes#102306"
        { (19, 12) => true, (20, 0) => false, (20, 8) => true, (21, 0) => false, (21, 2) => true }

    /// VolumeZone knows the labels that are not beta.
    zone_stable_labels from "pkg/scheduler/framework/plugins/volumezone/volume_zone.go (1.19)" { (19, 0) => true }

    /// A node's label that is not beta stands in where a volume has the beta one and the node has not.
    zone_labels_stand_in from "pkg/scheduler/framework/plugins/volumezone/volume_zone.go (1.29)" { (29, 0) => true }

    /// Only one pod may use a `ReadWriteOncePod` claim.
    read_write_once_pod gate "ReadWriteOncePod" from "pkg/features/kube_features.go (1.27)"
        { (22, 0) => false, (27, 0) => true }

    /// Evicting the pod that uses a `ReadWriteOncePod` claim frees it; before, the pod was refused in PreFilter.
    claims_in_use_by_node from "pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go (1.27)"
        { (27, 0) => true }

    /// VolumeRestrictions passes over pods it has nothing to say about, even if a nominated pod shares a claim.
    volume_restrictions_skips from "pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go (1.28)"
        { (28, 0) => true }

    /// PodTopologySpread passes over pods without constraints.
    spread_skips from "pkg/scheduler/framework/plugins/podtopologyspread/filtering.go (1.28)" { (28, 0) => true }

    /// InterPodAffinity gives one reason; before, a general one came first.
    affinity_one_reason from "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.22)" { (22, 0) => true }

    /// InterPodAffinity passes over pods it has nothing to say about, even if a nominated pod objects to them.
    affinity_skips from "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.27)" { (27, 0) => true }

    /// NodeName is the first filter, before NodeUnschedulable.
    node_name_first from "pkg/scheduler/apis/config/v1/default_plugins.go (1.37)" { (37, 0) => true }

    /// NodeName narrows the nodes in PreFilter.
    node_name_narrows from "pkg/scheduler/framework/plugins/nodename/node_name.go (1.37)" { (37, 0) => true }

    /// The message of an untolerated taint does not name the taint.
    taint_unnamed from "kubernetes/kubernetes#134740" { (34, 2) => true }

    /// Tolerations know the operators Lt and Gt.
    toleration_comparison gate "TaintTolerationComparisonOperators" from "pkg/features/kube_features.go (1.35)"
        { (35, 0) => false }

    /// Requests of `spec.resources` replace the sum of the containers.
    pod_level_resources gate "PodLevelResources" from "pkg/features/kube_features.go (1.34)" { (34, 0) => true }

    /// Pods on nodes count what the kubelet has allocated.
    in_place_resize gate "InPlacePodVerticalScaling" from "pkg/features/kube_features.go (1.33)" { (33, 0) => true }

    /// Pods on nodes count pod-level amounts that the kubelet has allocated.
    in_place_pod_level_resize gate "InPlacePodLevelResourcesVerticalScaling"
        from "pkg/features/kube_features.go (1.36)" { (36, 0) => true }

    /// What is allocated is compared with the spec for the whole pod, not container by container.
    whole_pod_footprint from "kubernetes/kubernetes#140047" { (37, 0) => true }

    /// A request above the node's allocatable amount cannot be helped by preemption.
    fit_beyond_allocatable_unresolvable from "pkg/scheduler/framework/plugins/noderesources/fit.go (1.34)"
        { (34, 0) => true }

    /// The reason for a claim in use says that no node will do, not that this one has the pod.
    claim_in_use_on_any_node from "pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go (1.34)"
        { (34, 0) => true }

    /// A node's room for the disks of a cloud, or for the volumes of a CSI driver, may be among its allocatable resources.
    attach_limits gate "AttachVolumeLimit" from "pkg/features/kube_features.go (1.13)" { (12, 0) => false, (13, 0) => true }

    /// A claim or volume that is not there, or not bound, counts as a disk of every cloud; later, by its class alone.
    unknown_disks_count from "pkg/scheduler/algorithm/predicates/predicates.go (1.16)" { (12, 0) => true, (16, 0) => false }

    /// The type of a node's machine may be told by the label that is not beta.
    stable_instance_type from "pkg/scheduler/algorithm/predicates/predicates.go (1.17)" { (17, 0) => true }

    /// Limits on disks and volumes count those of generic ephemeral volumes.
    limits_count_ephemeral from "pkg/scheduler/framework/plugins/nodevolumelimits/csi.go (1.23)" { (23, 0) => true }

    /// Limits on disks and volumes need the pod's claims to be there; before, a claim that was not did not count.
    limits_need_claims from "pkg/scheduler/framework/plugins/nodevolumelimits/csi.go (1.23)" { (23, 0) => true }

    /// A claim that is not there refuses the node; before, it ended the cycle with an error.
    limits_refuse_without_claims from "pkg/scheduler/framework/plugins/nodevolumelimits/csi.go (1.30)" { (30, 0) => true }

    /// NodeVolumeLimits looks at the node's allocatable resources.
    csi_limits_of_nodes from "kubernetes/kubernetes#127757" { (12, 0) => true, (32, 0) => false }

    /// NodeVolumeLimits looks at the CSINode.
    csi_limits_of_csi_nodes from "pkg/scheduler/algorithm/predicates/csi_volume_predicate.go (1.16)" { (16, 0) => true }

    /// Volumes that are attached to the node count, whether or not a pod uses them.
    csi_limits_count_attached from "pkg/scheduler/framework/plugins/nodevolumelimits/csi.go (1.32)" { (32, 0) => true }

    /// Volumes that are to be made count, by the provisioner of their class.
    csi_limits_count_unmade from "pkg/scheduler/algorithm/predicates/csi_volume_predicate.go (1.15)" { (15, 0) => true }

    /// That class may be told by an annotation.
    csi_limits_know_class_annotation from "pkg/scheduler/algorithm/predicates/csi_volume_predicate.go (1.16)"
        { (16, 0) => true }

    /// Volumes of two drivers are two, though their handles be the same.
    csi_limits_by_driver from "pkg/scheduler/algorithm/predicates/csi_volume_predicate.go (1.16)" { (16, 0) => true }

    /// Migrated volumes count that a pod uses without a claim.
    csi_limits_count_inline from "pkg/scheduler/framework/plugins/nodevolumelimits/csi.go (1.25)" { (25, 0) => true }

    /// Volumes of in-tree plugins may be a CSI driver's.
    csi_migration gate "CSIMigration" from "pkg/features/kube_features.go (1.17)" { (16, 0) => false, (17, 0) => true }

    /// Those of EBS may.
    aws_volumes_migrate gate "CSIMigrationAWS" from "pkg/features/kube_features.go (1.23)"
        { (16, 0) => false, (23, 0) => true }

    /// GCE disks may.
    gce_volumes_migrate gate "CSIMigrationGCE" from "pkg/features/kube_features.go (1.23)"
        { (16, 0) => false, (23, 0) => true }

    /// Azure disks may.
    azure_volumes_migrate gate "CSIMigrationAzureDisk" from "pkg/features/kube_features.go (1.23)"
        { (16, 0) => false, (23, 0) => true }

    /// Cinder volumes may.
    cinder_volumes_migrate gate "CSIMigrationOpenStack" from "pkg/features/kube_features.go (1.21)"
        { (16, 0) => false, (21, 0) => true }

    /// Portworx volumes may.
    portworx_volumes_migrate gate "CSIMigrationPortworx" from "pkg/features/kube_features.go (1.31)"
        { (23, 0) => false, (31, 0) => true }

    /// Cinder volumes count as CSI volumes on every node with a CSINode, not only where the CSINode lists the plugin.
    cinder_migrated_on_every_csi_node from "pkg/scheduler/framework/plugins/nodevolumelimits/utils.go (1.24)"
        { (24, 0) => true }

    /// So do EBS volumes and Azure disks.
    disks_migrated_on_every_csi_node from "pkg/scheduler/framework/plugins/nodevolumelimits/utils.go (1.27)"
        { (27, 0) => true }

    /// So do GCE disks.
    gce_migrated_on_every_csi_node from "pkg/scheduler/framework/plugins/nodevolumelimits/utils.go (1.28)"
        { (28, 0) => true }

    /// Portworx volumes count as CSI volumes on every node with a CSINode, as those of other in-tree plugins did before,
    /// not only where the CSINode lists the plugin.
    portworx_migrated_on_every_csi_node from "pkg/scheduler/framework/plugins/nodevolumelimits/utils.go (1.36)"
        { (36, 0) => true }

    /// Pods keep away from nodes that lack the CSI driver of one of their volumes.
    volume_limit_scaling gate "VolumeLimitScaling" from "pkg/features/kube_features.go (1.37)"
        { (35, 0) => false, (37, 0) => true }

    /// They do so only for drivers that ask for it.
    missing_driver_is_opt_in from "pkg/scheduler/framework/plugins/nodevolumelimits/csi.go (1.36)"
        { (36, 0) => true }

    /// The claim of a generic ephemeral volume is one of the pod's.
    ephemeral_volumes gate "GenericEphemeralVolume" from "pkg/features/kube_features.go (1.21)" { (21, 0) => true }

    /// VolumeBinding tells apart why the claim of a generic ephemeral volume cannot be used.
    ephemeral_claims_explained from "pkg/scheduler/framework/plugins/volumebinding/volume_binding.go (1.23)"
        { (23, 0) => true }

    /// A claim whose volume is lost refuses the pod.
    lost_claims_refused from "kubernetes/kubernetes#105245" { (23, 0) => true }

    /// A claim that should have been bound before the pod refuses it; before, it ended the cycle with an error.
    unbound_claims_refused from "kubernetes/kubernetes#93892" { (18, 9) => true }

    /// A claim that is being provisioned for a node waits for the pod; before, it should have been bound.
    provisioning_claims_wait from "pkg/controller/volume/scheduling/scheduler_binder.go (1.14)" { (14, 0) => true }

    /// A claim whose volume is not there refuses the node; before, it ended the cycle with an error.
    missing_volumes_refused from "kubernetes/kubernetes#95541"
        { (18, 13) => true, (19, 0) => false, (19, 5) => true }

    /// The reason speaks of nodes.
    missing_volumes_text from "pkg/scheduler/framework/plugins/volumebinding/binder.go (1.23)" { (23, 0) => true }

    /// The reason for a volume's node affinity says that the node did not match it.
    volume_affinity_text from "pkg/scheduler/framework/plugins/volumebinding/binder.go (1.33)" { (33, 0) => true }

    /// VolumeBinding says in PreFilter which nodes have the volumes of bound claims, as far as these name hosts.
    bound_volumes_narrow from "kubernetes/kubernetes#109877"
        { (27, 0) => true, (29, 11) => false, (30, 0) => true, (30, 7) => false, (31, 0) => true, (31, 3) => false }

    /// Only volumes whose phase is Available are bound to a claim.
    volumes_must_be_available from "component-helpers/storage/volume/pv_helpers.go (1.13)" { (13, 0) => true }

    /// The volumes of a claim's class are looked for by its annotation, too; before, by its spec alone.
    volumes_by_class_annotation from "pkg/controller/volume/scheduling/scheduler_binder.go (1.16)" { (16, 0) => true }

    /// Storage that is left limits the volumes that can be made.
    storage_capacity gate "CSIStorageCapacity" from "pkg/features/kube_features.go (1.21)" { (21, 0) => true }

    /// VolumeBinding knows volume attributes classes.
    volume_attributes_class_known from "component-helpers/storage/volume/pv_helpers.go (1.31)" { (31, 0) => true }

    /// Claims and volumes of different volume attributes classes do not match.
    volume_attributes_class gate "VolumeAttributesClass" from "pkg/features/kube_features.go (1.34)"
        { (34, 0) => true }

    /// Pods of a group are scheduled and evicted together.
    pod_groups gate "GenericWorkload" from "pkg/features/kube_features.go (1.37)" { (35, 0) => false }

    /// Extended resources that a DeviceClass stands for are left to DynamicResources.
    dra_extended_resources gate "DRAExtendedResource" from "pkg/features/kube_features.go (1.36)" { (36, 0) => true }

    /// `matchLabelKeys` of a spread constraint narrow its selector.
    spread_match_label_keys gate "MatchLabelKeysInPodTopologySpread" from "pkg/features/kube_features.go (1.27)"
        { (25, 0) => false, (27, 0) => true }

    /// `labelSelector: {}` of a spread constraint counts every pod of the namespace.
    spread_counts_everything from "kubernetes/kubernetes#141340" { (16, 0) => true, (27, 0) => false, (38, 0) => true }

    /// A namespace selector of the pod's own terms also matches every namespace if it matches no labels at all.
    namespace_selector_bug from "kubernetes/kubernetes#141526" { (34, 0) => true, (37, 0) => false }

    /// Terms on `kubernetes.io/hostname` are about the node's own pods, not about all nodes with its host name.
    affinity_by_node gate "InterPodAffinityHostnameFastPath" from "kubernetes/kubernetes#138198" { (37, 0) => false }

    /// Nodes must declare the features that a pod's spec needs.
    node_declared_features gate "NodeDeclaredFeatures" from "pkg/features/kube_features.go (1.36)" { (36, 0) => true }

    /// `bindMountOptions` need a declared feature.
    bind_mount_options_feature from "component-helpers/nodedeclaredfeatures/features/volumebindmountoptions (1.37)"
        { (37, 0) => true }

    /// DynamicResources is one of the plugins.
    dynamic_resources gate "DynamicResourceAllocation" from "pkg/features/kube_features.go (1.34)" { (34, 0) => true }

    /// PostFilter of DynamicResources is about pods without claims, too, and fails when PreFilter stopped before it.
    dra_post_filter from "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.34)" { (34, 0) => true }

    /// A request may list alternatives.
    dra_prioritized_list gate "DRAPrioritizedList" from "pkg/features/kube_features.go (1.34)" { (34, 0) => true }

    /// A request may look at devices in use without using them up.
    dra_admin_access gate "DRAAdminAccess" from "pkg/features/kube_features.go (1.34)" { (34, 0) => true }

    /// Devices may share counters, and say for themselves on which nodes they are.
    dra_partitionable_devices gate "DRAPartitionableDevices" from "pkg/features/kube_features.go (1.36)"
        { (36, 0) => true }

    /// Taints of devices keep claims away.
    dra_device_taints gate "DRADeviceTaints" from "pkg/features/kube_features.go (1.36)" { (36, 0) => true }

    /// DeviceTaintRules taint devices.
    dra_device_taint_rules gate "DRADeviceTaintRules" from "pkg/features/kube_features.go (1.37)" { (37, 0) => true }

    /// Claims may share a device and take parts of its capacity.
    dra_consumable_capacity gate "DRAConsumableCapacity" from "pkg/features/kube_features.go (1.36)"
        { (36, 0) => true }

    /// Ranges of capacity may be fractional.
    dra_fractional_capacity gate "DRAFractionalCapacityRange" from "pkg/features/kube_features.go (1.37)"
        { (37, 0) => false }

    /// Devices may have conditions that must hold before a pod is bound.
    dra_binding_conditions gate "DRADeviceBindingConditions" from "pkg/features/kube_features.go (1.36)"
        { (36, 0) => true }

    /// Drivers may report on the devices that claims hold.
    dra_device_status gate "DRAResourceClaimDeviceStatus" from "pkg/features/kube_features.go (1.33)"
        { (33, 0) => true }

    /// Reports on devices alone make the scheduler choose the experimental allocator.
    dra_status_is_experimental from "dynamic-resource-allocation/structured/allocator.go (1.34)"
        { (34, 0) => true, (35, 0) => false }

    /// The incubating allocator knows of capacity and of `distinctAttribute`; before, only the experimental one did.
    dra_incubating_capacity from "dynamic-resource-allocation/structured/internal/incubating (1.36)" { (36, 0) => true }

    /// An alternative that asks for capacity in vain is named itself, not the request that lists it.
    dra_refused_alternative_named from "dynamic-resource-allocation/structured/internal/experimental (1.35)"
        { (35, 0) => true }

    /// `distinctAttribute` compares values; before, it compared where they are stored, which differs for each device.
    dra_distinct_by_value from "dynamic-resource-allocation/structured/internal/experimental/constraint.go (1.35)"
        { (35, 0) => true }

    /// Slices with counters have no devices and count for their pool; before, they were slices like any other, with
    /// counters for their own devices.
    dra_counters_per_pool from "dynamic-resource-allocation/structured/internal/incubating/pools_incubating.go (1.35)"
        { (35, 0) => true }

    /// Slices of a pool are tried by name; before, those with binding conditions came last.
    dra_slices_by_name from "dynamic-resource-allocation/structured/internal/incubating/pools_incubating.go (1.36)"
        { (36, 0) => true }

    /// Whether a pool is complete is asked of all its slices; incomplete pools are passed over, invalid ones are no error.
    dra_whole_pools from "dynamic-resource-allocation/structured/internal/incubating/pools_incubating.go (1.35)"
        { (35, 0) => true }

    /// An alternative that wants all devices is looked for on its own; before, it got mixed up with the first.
    dra_alternatives_apart from "dynamic-resource-allocation/structured/internal/incubating (1.36)" { (36, 0) => true }

    /// Shared counters count per driver and pool, not per pool name, and slices with counters need not be for the node.
    dra_counters_per_driver from "kubernetes/kubernetes#140431" { (37, 0) => true }

    /// `distinctAttribute` compares devices, not requests.
    dra_distinct_devices from "kubernetes/kubernetes#140437" { (37, 0) => true }

    /// Amounts that cannot be counted are errors, and all devices are those that could ever hold the amount.
    dra_strict_capacity from "kubernetes/kubernetes#140600" { (37, 0) => true }

    /// The limit on devices of a claim is reported by request.
    dra_limit_per_request from "dynamic-resource-allocation/structured/internal/incubating (1.37)" { (37, 0) => true }

    /// Errors of selectors name the device.
    dra_errors_name_device from "dynamic-resource-allocation/structured/internal/incubating (1.37)" { (37, 0) => true }

    /// Slices with compatibility groups are passed over.
    dra_compatibility_groups_skipped from "dynamic-resource-allocation/structured/internal/incubating (1.37)"
        { (37, 0) => true }

    /// Allocations that skip node operations need a node that declares it can.
    dra_node_operations from "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.37)"
        { (37, 0) => true }

    /// A search for devices that takes too long is an error of the cycle.
    dra_timeout_is_error from "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.36)"
        { (36, 0) => true }

    /// Claims that were allocated before have a score, too; before, they made scoring fail.
    dra_scores_held_claims from "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.36)"
        { (36, 0) => true }

    /// DynamicResources adds `no new claims to deallocate` to the message.
    dra_post_filter_text from "kubernetes/kubernetes#140222" { (34, 0) => true, (37, 0) => false }

    /// VolumeBinding scores nodes by the storage that is left.
    storage_capacity_scoring gate "StorageCapacityScoring" from "pkg/features/kube_features.go (1.37)" { (33, 0) => false, (37, 0) => true }

    /// Scores of extended resources count the devices that stand for them.
    dra_extended_resources_score from "pkg/scheduler/framework/plugins/noderesources/resource_allocation.go (1.35)"
        { (35, 0) => true }

    /// DynamicResources scores nodes by the alternatives that they offer.
    dra_scores from "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.35)" { (35, 0) => true }

    /// Extenders that are not ignorable are asked before the others; before, all were asked in the order of the file.
    extenders_ignorable_last from "pkg/scheduler/factory/factory.go (1.15)" { (15, 0) => true }

    /// An extender can say of a node that no eviction helps there.
    extender_unresolvable from "pkg/scheduler/core/generic_scheduler.go (1.21)" { (21, 0) => true }

    /// What an extender says of a node replaces what was known of it; before, it came on top.
    extender_replaces_status from "pkg/scheduler/schedule_one.go (1.32)" { (32, 0) => true }

    /// Nodes that nobody says anything of are tried by preemption.
    absent_nodes_potential from "kubernetes/kubernetes#119779"
        { (12, 0) => true, (27, 14) => false, (28, 0) => true, (28, 10) => false, (29, 0) => true, (29, 5) => false }

    /// The number of budgets that an extender says its victims violate counts; before, none did.
    extender_violations_kept from "pkg/scheduler/extender.go (1.24)" { (24, 0) => true }

    /// NodeResourcesBalancedAllocation scores how much the pod improves the balance, not the balance it leaves.
    balance_improvement from "pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go (1.36)" { (36, 0) => true }

    /// Images mounted as volumes count in ImageLocality.
    image_volumes_score from "pkg/scheduler/framework/plugins/imagelocality/image_locality.go (1.36)" { (36, 0) => true }

    /// Images mounted as volumes raise the amount that makes the best score.
    image_volumes_raise_maximum from "kubernetes/kubernetes#138951" { (37, 0) => true }

    /// A pod that has not started counts as started when the dry run begins, not when two pods are compared.
    unstarted_keep_order from "pkg/scheduler/framework/preemption/types.go (1.37)" { (37, 0) => true }

    /// A pod violates at the first exhausted budget; budgets behind it are not counted down.
    budgets_stop_at_first from "pkg/scheduler/framework/preemption/util.go (1.37)"
        { (18, 0) => true, (19, 0) => false, (37, 0) => true }

    /// A budget with `selector: {}` protects every pod of its namespace, and pods without labels may be protected.
    budgets_select_everything from "kubernetes/kubernetes#141785" { (38, 0) => true }

    /// The message tells which node was found and how many victims it costs.
    success_message from "kubernetes/kubernetes#140180" { (37, 0) => true }

    // --- What the message tells. ---

    /// The message tells what preemption found out.
    message_tells_preemption from "pkg/scheduler/schedule_one.go (1.24)" { (24, 0) => true }

    /// The message is made of sentences; before, of one with all reasons, were there any or not.
    message_in_sentences from "kubernetes/kubernetes#110894" { (26, 0) => true }

    /// A full stop follows what preemption found out, whatever it ends with.
    message_ends_with_stop from "kubernetes/kubernetes#120021" { (26, 0) => true, (29, 0) => false }

    /// An error of preemption is told.
    message_tells_preemption_error from "pkg/scheduler/schedule_one.go (1.27)" { (27, 0) => true }

    // --- When a pod is tried again. ---

    /// Plugins say upon which events a pod that they refused is worth another try; before, any event would do.
    plugins_await_events from "pkg/scheduler/framework/interface.go (1.22)" { (22, 0) => true }

    /// A refused pod is tried again after some time even without an event.
    queue_flushes from "pkg/scheduler/internal/queue/scheduling_queue.go (1.14)" { (14, 0) => true }

    /// That time is 5 minutes; before, 1.
    late_flush from "kubernetes/kubernetes#108761" { (24, 0) => true }

    /// A pod waits up to 10 seconds between attempts; before, up to a minute.
    short_backoff from "pkg/scheduler/internal/queue/scheduling_queue.go (1.15)" { (15, 0) => true }

    // --- Preemption. ---

    /// A pod with `preemptionPolicy: Never` evicts nobody.
    never_policy gate "NonPreemptingPriority" from "pkg/features/kube_features.go (1.19)"
        { (15, 0) => false, (19, 0) => true }

    /// A pod whose nominated node can no longer be helped may preempt again.
    hopeless_nomination_preempts from "pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (1.19)"
        { (19, 0) => true }

    /// So may one whose nominated node has no status of its own.
    absent_nomination_preempts from "kubernetes/kubernetes#125345" { (32, 0) => true }

    /// Only pods that leave for a preemption make their preemptor wait; before, any that leave.
    only_preempted_pods_block from "kubernetes/kubernetes#113898" { (27, 0) => true }

    /// Nodes without pods of lower priority are no candidates; before, they were filtered again, and a node where all may
    /// stay was taken at once.
    nobody_to_evict_is_no_candidate from "kubernetes/kubernetes#92604" { (19, 0) => true }

    /// A node where all pods may stay is no candidate.
    nobody_evicted_is_no_candidate from "kubernetes/kubernetes#101560" { (22, 0) => true }

    /// Nodes without pods of lower priority say so without their name.
    no_victims_unnamed from "pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (1.24)"
        { (24, 0) => true }

    /// Of pods with one priority the older is the more important.
    start_time_orders_victims from "kubernetes/kubernetes#73568" { (15, 0) => true }

    /// Budgets are counted down over the pods of a node; before, a budget that allowed one eviction allowed all.
    budgets_count_down from "pkg/scheduler/core/generic_scheduler.go (1.18)" { (18, 0) => true }

    /// Pods whose eviction a budget has counted already do not violate it.
    budgets_know_disrupted from "kubernetes/kubernetes#91342" { (19, 0) => true }

    /// Victims are put in order again when some violate budgets and some do not.
    victims_sorted_again from "kubernetes/kubernetes#128307"
        { (29, 11) => true, (30, 0) => false, (30, 7) => true, (31, 0) => false, (31, 3) => true }

    /// The node whose most important victims began last wins a tie.
    start_time_breaks_ties from "kubernetes/kubernetes#74974" { (15, 0) => true }

    /// Preemption stops looking once it has enough candidates.
    preemption_samples from "kubernetes/kubernetes#94814" { (20, 0) => true }

    /// Potential nodes are tried in random order; before, in that of the scheduler's nodes.
    potential_nodes_in_any_order from "pkg/scheduler/framework/types.go (1.32)" { (32, 0) => true }
}
