//! Objects of programs that schedule or admit pods before or instead of kube-scheduler: Kueue,
//! Volcano, Koordinator and KAI; and requests to evict pods. Only the fields are read that say what a
//! pod waits for.

use super::amount::{Amount, Amounts, Time};
use super::autoscalers::Condition;
use super::meta::ObjectMeta;
use super::record::json_wire;
use super::text::Str;

json_wire! {
    /// An object that represents several pods: a Workload of Kueue, a PodGroup of Volcano,
    /// Koordinator or KAI, a Reservation of Koordinator. Each has some of the fields.
    pub struct Work {
        metadata: ObjectMeta<'a>,
        spec: WorkSpec<'a>,
        status: WorkStatus<'a> ;
    }

    /// `spec` of it.
    pub struct WorkSpec {
        /// Of Kueue: the LocalQueue.
        queue_name: Str<'a>,
        /// Of Volcano and KAI.
        queue: Str<'a>,
        /// Of Kueue: groups of equal pods.
        pod_sets: Vec<PodSet<'a>>,
        /// Of an `EvictionRequest` or an `Eviction`, as the next two.
        target: EvictionTarget<'a>,
        requester: Str<'a>,
        intent: Str<'a> ;
        /// Of Kueue: whether it may run at all.
        active: Option<bool>,
        /// Of Kueue.
        priority: i64,
        min_member: Option<i64>,
    }

    /// `spec.podSets[]` of Kueue.
    pub struct PodSet {
        name: Str<'a>,
        template: PodSetTemplate<'a> ;
        count: i64,
    }

    /// `template` of it.
    pub struct PodSetTemplate {
        spec: PodSetSpec<'a> ;
    }

    /// `spec` of it.
    pub struct PodSetSpec {
        containers: Vec<PodSetContainer<'a>> ;
    }

    /// `containers[]` of it.
    pub struct PodSetContainer {
        resources: PodSetResources<'a> ;
    }

    /// `resources` of it.
    pub struct PodSetResources {
        requests: Amounts<'a> ;
    }

    /// `spec.target` of an `EvictionRequest` or an `Eviction`.
    pub struct EvictionTarget {
        pod: EvictionPod<'a> ;
    }

    /// The pod that should go.
    pub struct EvictionPod {
        name: Str<'a>,
        uid: Str<'a> ;
    }

    /// `status` of it.
    pub struct WorkStatus {
        phase: Str<'a>,
        conditions: Vec<Condition<'a>>,
        /// Of KAI.
        scheduling_conditions: Vec<SchedulingCondition<'a>>,
        /// Of Kueue, as the rest.
        admission_checks: Vec<AdmissionCheck<'a>>,
        requeue_state: RequeueState<'a>,
        admission: Admission<'a>,
        /// What it asks for, as long as it is not admitted.
        resource_requests: Vec<ResourceRequest<'a>>,
        /// Of an Eviction, as the rest.
        requesters: Vec<EvictionRequester<'a>>,
        target_responders: Vec<TargetResponder<'a>>,
        responders: Vec<ResponderStatus<'a>> ;
        running: i64,
    }

    /// `status.resourceRequests[]` of Kueue.
    pub struct ResourceRequest {
        name: Str<'a>,
        resources: Amounts<'a> ;
    }

    /// `status.requesters[]` of an Eviction.
    pub struct EvictionRequester {
        name: Str<'a>,
        intent: Str<'a> ;
    }

    /// `status.targetResponders[]` of an Eviction.
    pub struct TargetResponder {
        name: Str<'a>,
        state: Str<'a> ;
        priority: i64,
    }

    /// `status.responders[]` of an Eviction.
    pub struct ResponderStatus {
        name: Str<'a>,
        start_time: Time<'a>,
        heartbeat_time: Time<'a>,
        expected_completion_time: Time<'a>,
        message: Str<'a> ;
    }

    /// `status.schedulingConditions[]` of KAI.
    pub struct SchedulingCondition {
        #[serde(rename = "type")]
        kind: Str<'a>,
        status: Str<'a>,
        reason: Str<'a>,
        message: Str<'a>,
        reasons: Vec<Explanation<'a>> ;
    }

    /// `reasons[]` of such a condition.
    pub struct Explanation {
        reason: Str<'a>,
        message: Str<'a> ;
    }

    /// `status.admissionChecks[]` of Kueue.
    pub struct AdmissionCheck {
        name: Str<'a>,
        state: Str<'a>,
        message: Str<'a> ;
    }

    /// `status.requeueState` of Kueue.
    pub struct RequeueState {
        requeue_at: Time<'a> ;
    }

    /// `status.admission` of Kueue.
    pub struct Admission {
        cluster_queue: Str<'a> ;
    }

    /// Where work waits: a LocalQueue or ClusterQueue of Kueue, a Queue of Volcano or KAI, an
    /// ElasticQuota.
    pub struct Queue {
        metadata: ObjectMeta<'a>,
        spec: QueueSpec<'a>,
        status: QueueStatus<'a> ;
    }

    /// `spec` of it.
    pub struct QueueSpec {
        /// Of a LocalQueue.
        cluster_queue: Str<'a>,
        /// Of Kueue: `None`, `Hold` or `HoldAndDrain`.
        stop_policy: Str<'a>,
        /// Of a ClusterQueue, as the next: `StrictFIFO` or `BestEffortFIFO`.
        queueing_strategy: Str<'a>,
        resource_groups: Vec<ResourceGroup<'a>>,
        /// With whom it shares quota, in v1beta2 and before.
        cohort_name: Str<'a>,
        cohort: Str<'a>,
        /// Of an ElasticQuota.
        max: Amounts<'a> ;
    }

    /// `status` of it.
    pub struct QueueStatus {
        /// Of Volcano: `Open`, `Closed` or `Closing`.
        state: Str<'a>,
        conditions: Vec<Condition<'a>>,
        /// Of a ClusterQueue: what workloads with quota use.
        flavors_reservation: Vec<FlavorUsage<'a>>,
        /// Of an ElasticQuota.
        used: Amounts<'a> ;
    }

    /// `spec.resourceGroups[]` of a ClusterQueue.
    pub struct ResourceGroup {
        flavors: Vec<FlavorQuotas<'a>> ;
    }

    /// `flavors[]` of it.
    pub struct FlavorQuotas {
        name: Str<'a>,
        resources: Vec<ResourceQuantity<'a>> ;
    }

    /// `resources[]` of it.
    pub struct ResourceQuantity {
        name: Str<'a>,
        nominal_quota: Amount<'a>,
        borrowing_limit: Option<Amount<'a>> ;
    }

    /// `status.flavorsReservation[]` of a ClusterQueue.
    pub struct FlavorUsage {
        name: Str<'a>,
        resources: Vec<ResourceUsage<'a>> ;
    }

    /// `resources[]` of it.
    pub struct ResourceUsage {
        name: Str<'a>,
        total: Amount<'a>,
        borrowed: Amount<'a> ;
    }
}
