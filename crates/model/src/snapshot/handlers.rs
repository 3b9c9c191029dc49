//! Objects of programs that schedule or admit pods before or instead of kube-scheduler: Kueue,
//! Volcano, Koordinator and KAI. Only the fields are read that say what a pod waits for.

use super::amount::{Amounts, Time};
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
        queue: Str<'a> ;
        /// Of Kueue: whether it may run at all.
        active: Option<bool>,
        min_member: Option<i64>,
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
        admission: Admission<'a> ;
        running: i64,
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
        /// Of an ElasticQuota.
        max: Amounts<'a> ;
    }

    /// `status` of it.
    pub struct QueueStatus {
        /// Of Volcano: `Open`, `Closed` or `Closing`.
        state: Str<'a>,
        conditions: Vec<Condition<'a>>,
        /// Of an ElasticQuota.
        used: Amounts<'a> ;
    }
}
