//! The order of the steps.

use std::time::Duration;

use super::evict::{self, Evicted};
use super::executor::{Executor, StepResult};
use super::journal::{ApplyOutcome, VictimEvent};
use super::options::{DryRunMode, Reservation};
use super::planner::PreemptorStatus;
use super::{ApplyReport, access, confirm, dry_run, finish, hazards, nominate, wait};

/// Default time limit from the confirmation on, in addition to the longest grace period.
const TIMEOUT: Duration = Duration::from_secs(300);

/// Applies the plan of `executor`.
pub(super) async fn run(mut executor: Executor<'_>) -> ApplyReport {
    let end = apply(&mut executor).await;
    finish::finish(executor, end).await
}

async fn apply(executor: &mut Executor<'_>) -> StepResult<ApplyOutcome> {
    // Whatever can be checked without a write comes before the question, so that the user does not
    // confirm a plan that the server would refuse.
    access::identify(executor).await?;
    access::check(executor).await?;
    if let Some(status) = confirm::check(executor).await? {
        return not_needed(executor, &status).await;
    }
    hazards::check(executor)?;
    match executor.session.options.dry_run {
        DryRunMode::Client => {
            dry_run::print_removals(executor);
            return Ok(ApplyOutcome::DryRun);
        }
        DryRunMode::Server => {
            dry_run::try_removals(executor).await?;
            return Ok(ApplyOutcome::DryRun);
        }
        DryRunMode::None => {}
    }
    confirm::check_possible(executor)?;
    dry_run::try_removals(executor).await?;
    confirm::confirm(executor).await?;

    // The user may have taken long to answer, so the cluster is read again.
    start_clock(executor);
    if let Some(status) = confirm::check_node(executor).await? {
        return not_needed(executor, &status).await;
    }

    // From here on the run changes the cluster.
    if executor.session.options.nominate {
        nominate::nominate(executor).await?;
    }
    let evicted = evict::evict_all(executor).await?;
    if executor.session.options.wait {
        wait::wait(executor).await?;
    } else if let Evicted::Enough(PreemptorStatus::Bound(placed)) = &evicted {
        placed.iter().for_each(|placement| wait::preemptor_bound(executor, placement));
    }
    Ok(match evicted {
        Evicted::Enough(_) | Evicted::All if !executor.journal().has_removed_victims() => {
            ApplyOutcome::NotNeeded
        }
        Evicted::Enough(_) | Evicted::All => ApplyOutcome::Applied,
    })
}

fn start_clock(executor: &mut Executor<'_>) {
    let longest = executor
        .plan
        .victims
        .iter()
        .map(|v| u64::try_from(v.grace_seconds).unwrap_or(0))
        .max()
        .unwrap_or(0);
    let is_given = executor.session.options.timeout.is_some();
    let default = TIMEOUT + Duration::from_secs(longest.min(86_400));
    executor.clock.start((!is_given).then_some(default));
}

/// Ends a run whose preemptor needs no removal.
async fn not_needed(
    executor: &mut Executor<'_>,
    status: &PreemptorStatus,
) -> StepResult<ApplyOutcome> {
    let text = status.text(&executor.preemptor_name());
    executor.say(&format!("{text}: nothing else needs evicting"));
    let options = &executor.session.options;
    if let (Reservation::Gated, Some(text)) = (options.reservation, options.unreserved()) {
        executor.warn(&text);
    }
    // Other programs, or an earlier run, have begun to remove these.
    if let PreemptorStatus::Awaits(plan) = status {
        for victim in &plan.victims {
            executor.record_victim(&victim.pod, VictimEvent::SeenTerminating);
        }
    }
    let options = &executor.session.options;
    match status {
        PreemptorStatus::Bound(placed) => {
            placed.iter().for_each(|placement| wait::preemptor_bound(executor, placement));
        }
        PreemptorStatus::Fits(_) | PreemptorStatus::Awaits(_)
            if options.wait && options.dry_run == DryRunMode::None =>
        {
            if !executor.clock.is_started() {
                start_clock(executor);
            }
            wait::wait(executor).await?;
        }
        PreemptorStatus::Fits(_)
        | PreemptorStatus::Awaits(_)
        | PreemptorStatus::NeedsEviction(_)
        | PreemptorStatus::Impossible(_)
        | PreemptorStatus::Terminating
        | PreemptorStatus::Finished(_)
        | PreemptorStatus::Gone => {}
    }
    Ok(ApplyOutcome::NotNeeded)
}
