//! The JSON of a journal, at any time of a run.

use jiff::Timestamp;

use super::{
    JsonApplyOutcome, JsonApplyResult, JsonAttempt, JsonCluster, JsonLanding, JsonLandingState, JsonMemberResult,
    JsonNomination, JsonNominationState, JsonPlanId, JsonPreemptor, JsonUser, JsonVictimResult, JsonVictimState,
};
use crate::apply::journal::{
    ApplyOutcome, Attempt, Journal, Landing, Nomination, NominationState, PreemptorRecord, User, VictimRecord,
    VictimState,
};
use crate::apply::server::request::seconds;
use engine::simulation::plan::PreemptorId;
use engine::snapshot::API_VERSION;

impl JsonApplyResult {
    /// The JSON of a run at the moment: before its end, `outcome` is `Running`.
    #[must_use]
    pub fn new(journal: &Journal) -> Self {
        let (header, end) = (journal.header(), journal.end());
        let alone = header.preemptor.pod().is_some();
        let preemptors = journal.preemptors();
        let own = preemptors.first();
        Self {
            api_version: API_VERSION,
            kind: "ApplyResult",
            outcome: end.map(|end| end.outcome).into(),
            exit_code: journal.exit().code(),
            reason: end.and_then(|end| end.problem.clone()),
            cluster: JsonCluster {
                context: header.context.clone(),
                server: header.server.clone(),
                version: journal.version().map(str::to_owned),
            },
            user: journal.user().map(JsonUser::new),
            mode: header.mode.name(),
            dry_run: header.dry_run.name(),
            plan: JsonPlanId {
                hash: header.plan_hash.clone(),
                node: own.filter(|_| alone).map(|pod| pod.node.clone()),
                preemptor: JsonPreemptor::new(&header.preemptor),
            },
            victims: journal.victims().iter().map(JsonVictimResult::new).collect(),
            nomination: alone.then(|| JsonNomination::new(own.map_or(&Nomination::default(), |pod| &pod.nomination))),
            landing: alone.then(|| JsonLanding::new(own.map_or(&Landing::default(), |pod| &pod.landing))),
            members: if alone { Vec::new() } else { preemptors.iter().map(JsonMemberResult::new).collect() },
            started_at: seconds(header.started_at),
            confirmed_at: journal.confirmation().map(|confirmation| seconds(confirmation.at)),
            finished_at: end.map(|end| seconds(end.at)),
            warnings: journal.warnings().to_vec(),
        }
    }
}

impl From<Option<ApplyOutcome>> for JsonApplyOutcome {
    fn from(outcome: Option<ApplyOutcome>) -> Self {
        match outcome {
            None => Self::Running,
            Some(ApplyOutcome::Applied) => Self::Applied,
            Some(ApplyOutcome::NotNeeded) => Self::NotNeeded,
            Some(ApplyOutcome::Impossible) => Self::Impossible,
            Some(ApplyOutcome::DryRun) => Self::DryRun,
            Some(ApplyOutcome::Refused) => Self::Refused,
            Some(ApplyOutcome::Stopped) => Self::Stopped,
            Some(ApplyOutcome::Interrupted(_)) => Self::Interrupted,
        }
    }
}

impl JsonUser {
    fn new(user: &User) -> Self {
        let User { name, uid, groups } = user.clone();
        Self { name, uid, groups }
    }
}

impl JsonVictimResult {
    fn new(victim: &VictimRecord) -> Self {
        let time = |time: Option<Timestamp>| time.map(seconds);
        Self {
            pod: (&victim.pod).into(),
            priority: victim.priority,
            state: victim.state.into(),
            reason: victim.reason.as_ref().map(ToString::to_string),
            status: victim.last_status(),
            accepted_at: time(victim.accepted_at),
            gone_at: time(victim.gone_at),
            attempts: victim.attempts.iter().map(JsonAttempt::new).collect(),
        }
    }
}

impl From<VictimState> for JsonVictimState {
    fn from(state: VictimState) -> Self {
        match state {
            VictimState::NotStarted => Self::NotStarted,
            VictimState::DryRunPassed => Self::DryRunPassed,
            VictimState::DryRunRefused => Self::DryRunRefused,
            VictimState::Refused => Self::Refused,
            VictimState::Unknown => Self::Unknown,
            VictimState::Accepted => Self::Accepted,
            VictimState::AlreadyTerminating => Self::AlreadyTerminating,
            VictimState::Terminating => Self::Terminating,
            VictimState::GoneByItself => Self::GoneByItself,
            VictimState::Gone => Self::Gone,
        }
    }
}

impl JsonAttempt {
    fn new(attempt: &Attempt) -> Self {
        Self {
            request: attempt.request.name(),
            dry_run: attempt.dry_run,
            sent_at: seconds(attempt.sent_at),
            outcome: attempt.outcome.name(),
            status: attempt.status,
            message: Some(attempt.outcome.text().to_owned()).filter(|text| !text.is_empty()),
        }
    }
}

impl JsonPreemptor {
    fn new(id: &PreemptorId) -> Self {
        let kind = match id {
            PreemptorId::Pod(_) => "Pod",
            PreemptorId::Group(_) => "PodGroup",
        };
        let (namespace, name) = (id.namespace().to_owned(), id.name().to_owned());
        Self { kind, namespace, name, uid: id.uid().to_owned() }
    }
}

impl JsonMemberResult {
    fn new(record: &PreemptorRecord) -> Self {
        Self {
            pod: (&record.pod).into(),
            node: record.node.clone(),
            nomination: JsonNomination::new(&record.nomination),
            landing: JsonLanding::new(&record.landing),
        }
    }
}

impl JsonNomination {
    fn new(nomination: &Nomination) -> Self {
        let state = match nomination.state {
            NominationState::NotSet => JsonNominationState::NotSet,
            NominationState::AlreadySet => JsonNominationState::AlreadySet,
            NominationState::Refused => JsonNominationState::Refused,
            NominationState::Set => JsonNominationState::Set,
            NominationState::Cleared => JsonNominationState::Cleared,
            NominationState::Unknown => JsonNominationState::Unknown,
        };
        Self { state, reason: nomination.reason.as_ref().map(ToString::to_string) }
    }
}

impl JsonLanding {
    fn new(landing: &Landing) -> Self {
        let (state, seen) = match landing {
            Landing::NotAwaited => (JsonLandingState::NotAwaited, None),
            Landing::Waiting => (JsonLandingState::Waiting, None),
            Landing::Bound { node, at } => (JsonLandingState::Bound, Some((node, at))),
            Landing::Gone => (JsonLandingState::Gone, None),
        };
        Self { state, node: seen.map(|(node, _)| node.clone()), at: seen.map(|(_, at)| seconds(*at)) }
    }
}
