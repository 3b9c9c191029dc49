//! `scheduling.k8s.io`: groups of pods, and groups of such groups. The fields are those of v1beta1
//! and, of groups of groups, of v1alpha3 (1.37), and those of v1alpha2 (1.36) and v1alpha1 (1.35)
//! where they differ.

use serde::{Serialize, Serializer};

use super::json::{Choice, Fill, Input, Refused};
use super::meta::ObjectMeta;
use super::pod::{Condition, Presence, ResourceClaimStatus};
use super::record::json_wire;
use super::record::record;
use super::text::Str;

json_wire! {
    /// PodGroup.
    pub struct PodGroup {
        metadata: ObjectMeta<'a>,
        spec: PodGroupSpec<'a>,
        status: PodGroupStatus<'a> ;
    }

    /// `spec` of a group.
    pub struct PodGroupSpec {

        priority_class_name: Str<'a>,
        preemption_policy: Str<'a>,
        scheduling_constraints: Option<SchedulingConstraints<'a>>,
        resource_claims: Vec<GroupClaim<'a>>,
        parent_composite_pod_group_name: Str<'a>,
        workload_ref: WorkloadReference<'a>,
        pod_group_template_ref: TemplateReference<'a> ;
        scheduling_policy: SchedulingPolicy,
        disruption_mode: DisruptionMode,
        priority: Option<i32>,
    }

    /// CompositePodGroup: a group of groups.
    pub struct CompositePodGroup {
        metadata: ObjectMeta<'a>,
        spec: CompositePodGroupSpec<'a> ;
    }

    /// `spec` of a group of groups.
    pub struct CompositePodGroupSpec {
        priority_class_name: Str<'a>,
        preemption_policy: Str<'a>,
        scheduling_constraints: Option<SchedulingConstraints<'a>>,
        parent_composite_pod_group_name: Str<'a>,
        workload_ref: WorkloadReference<'a> ;
        scheduling_policy: CompositePolicy,
        disruption_mode: DisruptionMode,
        priority: Option<i32>,
    }

    /// `spec.schedulingConstraints`.
    pub struct SchedulingConstraints {
        topology: Vec<TopologyConstraint<'a>> ;
    }

    /// `topology[]`.
    pub struct TopologyConstraint {
        key: Str<'a> ;
    }

    /// `spec.resourceClaims[]`.
    pub struct GroupClaim {
        name: Str<'a>,
        resource_claim_name: Option<Str<'a>>,
        resource_claim_template_name: Option<Str<'a>> ;
    }

    /// `spec.workloadRef`.
    pub struct WorkloadReference {
        workload_name: Str<'a>,
        template_name: Str<'a> ;
    }

    /// `spec.podGroupTemplateRef`, which v1alpha2 has instead.
    pub struct TemplateReference {
        workload: WorkloadTemplateReference<'a> ;
    }

    /// `podGroupTemplateRef.workload`.
    pub struct WorkloadTemplateReference {
        workload_name: Str<'a>,
        pod_group_template_name: Str<'a> ;
    }

    /// `status` of a group.
    pub struct PodGroupStatus {
        conditions: Vec<Condition<'a>>,
        resource_claim_statuses: Vec<ResourceClaimStatus<'a>> ;
    }

    pub struct Workload {
        metadata: ObjectMeta<'a>,
        spec: WorkloadSpec<'a> ;
    }

    /// `spec` of a Workload: templates of groups, and in v1alpha1 the groups themselves.
    pub struct WorkloadSpec {
        pod_group_templates: Vec<PodGroupTemplate<'a>>,
        composite_pod_group_templates: Vec<CompositePodGroupTemplate<'a>>,
        pod_groups: Vec<WorkloadPodGroup<'a>> ;
    }

    /// `podGroupTemplates[]`.
    pub struct PodGroupTemplate {
        name: Str<'a> ;
        scheduling_policy: SchedulingPolicy,
    }

    /// `compositePodGroupTemplates[]`.
    pub struct CompositePodGroupTemplate {
        pod_group_templates: Vec<PodGroupTemplate<'a>>,
        composite_pod_group_templates: Vec<CompositePodGroupTemplate<'a>> ;
    }

    /// `podGroups[]` of v1alpha1.
    pub struct WorkloadPodGroup {
        name: Str<'a> ;
        policy: SchedulingPolicy,
    }
}

/// `spec.schedulingPolicy`: a gang, or basic if there is none.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct SchedulingPolicy {
    /// `gang`.
    pub gang: Option<GangPolicy>,
}

record!(SchedulingPolicy { gang });

/// `spec.schedulingPolicy.gang`.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct GangPolicy {
    /// `minCount`.
    pub min_count: i64,
}

record!(GangPolicy { min_count });

/// `spec.schedulingPolicy` of a group of groups: a gang, or basic if there is none.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct CompositePolicy {
    /// `gang`.
    pub gang: Option<CompositeGangPolicy>,
}

record!(CompositePolicy { gang });

/// `spec.schedulingPolicy.gang` of a group of groups.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct CompositeGangPolicy {
    /// `minGroupCount`.
    pub min_group_count: i64,
}

record!(CompositeGangPolicy { min_group_count });

/// `spec.disruptionMode`: whether the pods of the group are evicted one by one or all together.
/// v1beta1 has an object with one field, v1alpha2 a text.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum DisruptionMode {
    /// One by one, since the field is not set.
    #[default]
    Unset,
    /// One by one.
    Single,
    /// All together.
    All,
}

impl<'a> Fill<'a> for DisruptionMode {
    fn fill(&mut self, input: &mut dyn Input<'a>) -> Result<(), Refused> {
        input.choice(self)
    }
}

impl Choice for DisruptionMode {
    fn expected(&self) -> &'static str {
        "an object with `single` or `all`, or the text `Pod` or `PodGroup`"
    }

    fn take_text(&mut self, text: &str) -> bool {
        *self = match text {
            "" => Self::Unset,
            "Pod" => Self::Single,
            "PodGroup" => Self::All,
            _ => return false,
        };
        true
    }

    fn take_field(&mut self, name: &str) -> bool {
        *self = match name {
            "all" => Self::All,
            "single" => Self::Single,
            _ => return false,
        };
        true
    }
}

impl Serialize for DisruptionMode {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        let field = match self {
            Self::Unset => None,
            Self::Single => Some("single"),
            Self::All => Some("all"),
        };
        output.collect_map(field.map(|field| (field, Presence {})))
    }
}
