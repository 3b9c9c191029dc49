//! Budgets, priority classes, namespaces, controllers of pods, services, limit ranges and Events.

use super::amount::{Amounts, IntOrPercent, Time};
use super::meta::{LabelSelector, ObjectMeta, OwnerReference};
use super::record::{json_wire, wire};
use super::text::{Entries, Map, Str};

wire! {
    /// `policy/v1` PodDisruptionBudget.
    pub struct PodDisruptionBudget {
        metadata: BudgetMeta<'a> = 1,
        spec: BudgetSpec<'a> = 2,
        status: BudgetStatus<'a> = 3 ;
    }

    /// `metadata` of a budget.
    pub struct BudgetMeta {
        name: Str<'a> = 1,
        namespace: Str<'a> = 3,
        uid: Str<'a> = 5,
        resource_version: Str<'a> = 6,
        /// RFC 3339.
        creation_timestamp: Time<'a> = 8,
        labels: Map<'a> = 11,
        owner_references: Vec<OwnerReference<'a>> = 13 ;
        /// Counts changes of the spec; the eviction API compares it with what its controller saw.
        generation: i64 = 7,
    }

    /// `spec` of a budget.
    pub struct BudgetSpec {
        /// `None` matches nothing.
        selector: Option<LabelSelector<'a>> = 2,
        min_available: IntOrPercent<'a> = 1,
        max_unavailable: IntOrPercent<'a> = 3,
        /// `IfHealthyBudget` or `AlwaysAllow`; only the eviction API reads it.
        unhealthy_pod_eviction_policy: Str<'a> = 4 ;
    }

    /// `status` of a budget, which is what preemption and evictions read.
    pub struct BudgetStatus {
        /// Pod name to the time of its eviction.
        disrupted_pods: Entries<'a, Time<'a>> = 2,
        conditions: Vec<BudgetCondition<'a>> = 7 ;
        observed_generation: i64 = 1,
        disruptions_allowed: i64 = 3,
        current_healthy: i64 = 4,
        desired_healthy: i64 = 5,
        expected_pods: i64 = 6,
    }

    /// `status.conditions[]` of a budget.
    pub struct BudgetCondition {
        #[serde(rename = "type")]
        kind: Str<'a> = 1,
        status: Str<'a> = 2,
        reason: Str<'a> = 5,
        message: Str<'a> = 6 ;
    }

    /// `scheduling.k8s.io/v1` PriorityClass.
    pub struct PriorityClass {
        metadata: ObjectMeta<'a> = 1,
        preemption_policy: Str<'a> = 5 ;
        value: i64 = 2,
        global_default: bool = 3,
    }

    /// A namespace: only its labels.
    pub struct Namespace {
        metadata: ObjectMeta<'a> = 1 ;
    }

    /// ReplicaSet: a controller of pods.
    pub struct ReplicaSet {
        metadata: ObjectMeta<'a> = 1,
        spec: OwnerSpec<'a> = 2,
        status: ReplicaSetStatus<'a> = 3 ;
    }

    /// `status` of a replica set.
    pub struct ReplicaSetStatus {
        conditions: Vec<ReplicaSetCondition<'a>> = 6 ;
    }

    /// `status.conditions[]` of a replica set.
    pub struct ReplicaSetCondition {
        #[serde(rename = "type")]
        kind: Str<'a> = 1,
        status: Str<'a> = 2,
        reason: Str<'a> = 4,
        message: Str<'a> = 5 ;
    }

    /// StatefulSet: a controller of pods.
    pub struct Owner {
        metadata: ObjectMeta<'a> = 1,
        spec: OwnerSpec<'a> = 2 ;
    }

    /// `spec` of a controller.
    pub struct OwnerSpec {
        selector: Option<LabelSelector<'a>> = 2 ;
        /// Absent as 1.
        replicas: Option<i64> = 1,
    }

    /// Job: a controller of pods.
    pub struct Job {
        metadata: ObjectMeta<'a> = 1,
        spec: JobSpec<'a> = 2,
        status: JobStatus<'a> = 3 ;
    }

    /// `spec` of a job.
    pub struct JobSpec {
        selector: Option<LabelSelector<'a>> = 4 ;
        suspend: bool = 10,
        parallelism: Option<i64> = 1,
        completions: Option<i64> = 2,
    }

    /// `status` of a job.
    pub struct JobStatus {
        conditions: Vec<JobCondition<'a>> = 1 ;
        succeeded: i64 = 5,
    }

    /// `status.conditions[]` of a job.
    pub struct JobCondition {
        #[serde(rename = "type")]
        kind: Str<'a> = 1,
        status: Str<'a> = 2,
        reason: Str<'a> = 5,
        message: Str<'a> = 6 ;
    }

    /// Service or ReplicationController: both select pods by plain labels.
    pub struct LabelSelecting {
        metadata: ObjectMeta<'a> = 1,
        spec: LabelSelectingSpec<'a> = 2 ;
    }

    /// `spec` of a service or replication controller.
    pub struct LabelSelectingSpec {
        /// `None` selects nothing.
        selector: Option<Map<'a>> = 2 ;
    }

    /// LimitRange: default requests and limits of the containers of a namespace.
    pub struct LimitRange {
        metadata: ObjectMeta<'a> = 1,
        spec: LimitRangeSpec<'a> = 2 ;
    }

    /// `spec` of a limit range.
    pub struct LimitRangeSpec {
        limits: Vec<Limits<'a>> = 1 ;
    }

    /// `limits[]`.
    pub struct Limits {
        /// `Container`, `Pod` or `PersistentVolumeClaim`.
        #[serde(rename = "type")]
        kind: Str<'a> = 1,
        default: Amounts<'a> = 4,
        default_request: Amounts<'a> = 5,
        min: Amounts<'a> = 3,
        max: Amounts<'a> = 2,
        max_limit_request_ratio: Amounts<'a> = 6 ;
    }

    /// `ResourceQuota`: what the pods of a namespace may request together.
    pub struct ResourceQuota {
        metadata: ObjectMeta<'a> = 1,
        spec: ResourceQuotaSpec<'a> = 2,
        status: ResourceQuotaStatus<'a> = 3 ;
    }

    /// `spec` of a resource quota.
    pub struct ResourceQuotaSpec {
        hard: Amounts<'a> = 1,
        scopes: Vec<Str<'a>> = 2,
        scope_selector: ScopeSelector<'a> = 3 ;
    }

    /// `status` of a resource quota.
    pub struct ResourceQuotaStatus {
        hard: Amounts<'a> = 1,
        used: Amounts<'a> = 2 ;
    }

    /// `spec.scopeSelector` of a resource quota.
    pub struct ScopeSelector {
        match_expressions: Vec<ScopeTerm<'a>> = 1 ;
    }

    /// `spec.scopeSelector.matchExpressions[]` of a resource quota.
    pub struct ScopeTerm {
        scope_name: Str<'a> = 1,
        operator: Str<'a> = 2,
        values: Vec<Str<'a>> = 3 ;
    }
}

json_wire! {
    /// Event: the fields that say why a pod was evicted, of `v1`, or of `events.k8s.io/v1`, where
    /// some fields have other names.
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
        event_time: Str<'a>,
        regarding: ObjectReference<'a>,
        note: Str<'a>,
        reporting_controller: Str<'a>,
        deprecated_source: EventSource<'a>,
        deprecated_first_timestamp: Str<'a>,
        deprecated_last_timestamp: Str<'a> ;
        count: i64,
        deprecated_count: i64,
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
        count: i64,
    }
}
