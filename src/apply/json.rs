//! The result of `simulate --apply` as JSON, from a journal at any time of a run.

use jiff::Timestamp;
use json::apply::{
    ApplyResult, Attempt as JsonAttempt, Cluster, Landing as JsonLanding, LandingState, Member,
    Nomination as JsonNomination, Outcome, Plan, Preemptor, User as JsonUser, Victim,
};
use json::{ApiVersion, kind};

use crate::apply::journal::{
    ApplyOutcome, Journal, Landing, PreemptorRecord, RecordedNomination, RequestAttempt, User,
    VictimRecord,
};
use crate::apply::server::request::seconds;
use engine::simulation::plan::PreemptorId;
use to_json::pod_id;

/// The JSON of a run; before its end, `outcome` is `Running`.
pub fn apply_result(journal: &Journal) -> ApplyResult {
    let (header, end) = (journal.header(), journal.end());
    let alone = header.preemptor.pod().is_some();
    let preemptors = journal.preemptors();
    let own = preemptors.first();
    ApplyResult {
        api_version: ApiVersion::default(),
        kind: kind::ApplyResult::default(),
        outcome: outcome(end.map(|end| end.outcome)),
        exit_code: journal.exit().code(),
        reason: end.and_then(|end| end.problem.clone()),
        cluster: Cluster {
            context: header.context.clone(),
            server: header.server.clone(),
            version: journal.version().map(str::to_owned),
        },
        user: journal.user().map(user),
        mode: header.mode.name().into(),
        dry_run: header.dry_run.name().into(),
        plan: Plan {
            hash: header.plan_hash.clone(),
            node: own.filter(|_| alone).map(|pod| pod.node.clone()),
            preemptor: preemptor(&header.preemptor),
        },
        victims: journal.victims().iter().map(victim).collect(),
        nomination: alone
            .then(|| nomination(own.map_or(&RecordedNomination::default(), |pod| &pod.nomination))),
        landing: alone.then(|| landing(own.map_or(&Landing::default(), |pod| &pod.landing))),
        members: if alone { Vec::new() } else { preemptors.iter().map(member).collect() },
        started_at: seconds(header.started_at),
        confirmed_at: journal.confirmation().map(|confirmation| seconds(confirmation.at)),
        finished_at: end.map(|end| seconds(end.at)),
        warnings: journal.warnings().to_vec(),
    }
}

fn outcome(outcome: Option<ApplyOutcome>) -> Outcome {
    match outcome {
        None => Outcome::Running,
        Some(ApplyOutcome::Applied) => Outcome::Applied,
        Some(ApplyOutcome::NotNeeded) => Outcome::NotNeeded,
        Some(ApplyOutcome::Impossible) => Outcome::Impossible,
        Some(ApplyOutcome::DryRun) => Outcome::DryRun,
        Some(ApplyOutcome::Refused) => Outcome::Refused,
        Some(ApplyOutcome::Stopped) => Outcome::Stopped,
        Some(ApplyOutcome::Interrupted(_)) => Outcome::Interrupted,
    }
}

fn user(user: &User) -> JsonUser {
    let User { name, uid, groups } = user.clone();
    JsonUser { name, uid, groups }
}

fn victim(victim: &VictimRecord) -> Victim {
    let time = |time: Option<Timestamp>| time.map(seconds);
    Victim {
        pod: pod_id(&victim.pod),
        priority: victim.priority,
        state: victim.state,
        reason: victim.reason.as_ref().map(ToString::to_string),
        status: victim.last_status(),
        accepted_at: time(victim.accepted_at),
        gone_at: time(victim.gone_at),
        attempts: victim.attempts.iter().map(attempt).collect(),
    }
}

fn attempt(attempt: &RequestAttempt) -> JsonAttempt {
    JsonAttempt {
        request: attempt.request.name().into(),
        dry_run: attempt.dry_run,
        sent_at: seconds(attempt.sent_at),
        outcome: attempt.outcome.name().into(),
        status: attempt.status,
        message: Some(attempt.outcome.text().to_owned()).filter(|text| !text.is_empty()),
    }
}

fn preemptor(id: &PreemptorId) -> Preemptor {
    let kind = match id {
        PreemptorId::Pod(_) => "Pod".into(),
        PreemptorId::Group(_) => "PodGroup".into(),
    };
    let (namespace, name) = (id.namespace().to_owned(), id.name().to_owned());
    Preemptor { kind, namespace, name, uid: id.uid().to_owned() }
}

fn member(record: &PreemptorRecord) -> Member {
    Member {
        pod: pod_id(&record.pod),
        node: record.node.clone(),
        nomination: nomination(&record.nomination),
        landing: landing(&record.landing),
    }
}

fn nomination(nomination: &RecordedNomination) -> JsonNomination {
    let reason = nomination.reason.as_ref().map(ToString::to_string);
    JsonNomination { state: nomination.state, reason }
}

fn landing(landing: &Landing) -> JsonLanding {
    let (state, seen) = match landing {
        Landing::NotAwaited => (LandingState::NotAwaited, None),
        Landing::Waiting => (LandingState::Waiting, None),
        Landing::Bound { node, at } => (LandingState::Bound, Some((node, at))),
        Landing::Gone => (LandingState::Gone, None),
    };
    JsonLanding {
        state,
        node: seen.map(|(node, _)| node.clone()),
        at: seen.map(|(_, at)| seconds(*at)),
    }
}

#[cfg(test)]
mod tests;
