//! Budgets, priority classes, namespaces, controllers of pods, services, limit ranges and Events.

use super::amount::Amounts;
use super::meta::{LabelSelector, ObjectMeta};
use super::text::{Map, Str, wire};

wire! {
    /// `policy/v1` PodDisruptionBudget.
    pub struct PodDisruptionBudget {
        metadata: ObjectMeta<'a>,
        spec: BudgetSpec<'a>,
        status: BudgetStatus<'a> ;
    }

    /// `spec` of a budget.
    pub struct BudgetSpec {
        /// `None` matches nothing.
        selector: Option<LabelSelector<'a>> ;
    }

    /// `status` of a budget, which is what preemption reads.
    pub struct BudgetStatus {
        /// Pod name to the time of its eviction.
        disrupted_pods: Map<'a> ;
        disruptions_allowed: i64,
        current_healthy: i64,
        desired_healthy: i64,
        expected_pods: i64,
    }

    /// `scheduling.k8s.io/v1` PriorityClass.
    pub struct PriorityClass {
        metadata: ObjectMeta<'a>,
        preemption_policy: Str<'a> ;
        value: i64,
        global_default: bool,
    }

    /// `scheduling.k8s.io` PodGroup, of which only the name is read.
    pub struct PodGroup {
        metadata: ObjectMeta<'a> ;
    }

    /// A namespace, of which the labels are read.
    pub struct Namespace {
        metadata: ObjectMeta<'a> ;
    }

    /// ReplicaSet, StatefulSet or Job: a controller of pods.
    pub struct Owner {
        metadata: ObjectMeta<'a>,
        spec: OwnerSpec<'a> ;
    }

    /// `spec` of a controller.
    pub struct OwnerSpec {
        selector: Option<LabelSelector<'a>> ;
    }

    /// Service or ReplicationController: both select pods by plain labels.
    pub struct LabelSelecting {
        metadata: ObjectMeta<'a>,
        spec: LabelSelectingSpec<'a> ;
    }

    /// `spec` of a service or replication controller.
    pub struct LabelSelectingSpec {
        /// `None` selects nothing.
        selector: Option<Map<'a>> ;
    }

    /// Event, as far as it tells why a pod was evicted.
    pub struct Event {
        metadata: ObjectMeta<'a>,
        involved_object: ObjectReference<'a>,
        related: ObjectReference<'a>,
        reason: Str<'a>,
        message: Str<'a>,
        reporting_component: Str<'a>,
        source: EventSource<'a>,
        series: EventSeries<'a>,
        /// RFC 3339, as the other times.
        first_timestamp: Str<'a>,
        last_timestamp: Str<'a>,
        event_time: Str<'a> ;
    }

    /// An object that an Event names.
    pub struct ObjectReference {
        kind: Str<'a>,
        namespace: Str<'a>,
        name: Str<'a>,
        uid: Str<'a> ;
    }

    /// `source` of an Event.
    pub struct EventSource {
        component: Str<'a> ;
    }

    /// `series` of an Event.
    pub struct EventSeries {
        last_observed_time: Str<'a> ;
    }

    /// LimitRange: default requests and limits of the containers of a namespace.
    pub struct LimitRange {
        metadata: ObjectMeta<'a>,
        spec: LimitRangeSpec<'a> ;
    }

    /// `spec` of a limit range.
    pub struct LimitRangeSpec {
        limits: Vec<Limits<'a>> ;
    }

    /// `limits[]`.
    pub struct Limits {
        /// `Container`, `Pod` or `PersistentVolumeClaim`.
        #[serde(rename = "type")]
        kind: Str<'a>,
        default: Amounts<'a>,
        default_request: Amounts<'a>,
        min: Amounts<'a>,
        max: Amounts<'a> ;
    }
}
