//! Fields that do not affect decisions but that the scheduler validates: `leaderElection`,
//! `clientConnection` and so on.
//!
//! Upstream: `component-base/config/v1alpha1/types.go`,
//! `component-base/config/validation/validation.go`,
//! `pkg/scheduler/apis/config/validation/validation.go` (1.37).

use super::context::Context;
use super::error::{ConfigError, Problems};
use super::wire::{self, Configuration, Duration, LeaderElection};

/// From this release on the lock of a leader election must be a Lease.
const LEASES_ALONE: u16 = 24;

/// Checks the top-level fields of the file.
pub(super) fn check(raw: &Configuration, context: &Context, problems: &mut Problems) {
    let burst = raw.client_connection.burst;
    if burst < 0 {
        problems.add(ConfigError::invalid("clientConnection.burst", burst, "must be non-negative"));
    }
    problems.keep(check_election(&raw.leader_election, context));
}

fn check_election(raw: &LeaderElection, context: &Context) -> Result<(), ConfigError> {
    // Whether or not leaders are elected, an invalid duration cannot be decoded.
    let lease = seconds(&raw.lease_duration, "leaseDuration", 15)?;
    let renew = seconds(&raw.renew_deadline, "renewDeadline", 10)?;
    let retry = seconds(&raw.retry_period, "retryPeriod", 2)?;
    if raw.leader_elect == Some(false) {
        return Ok(());
    }
    for (nanos, field) in
        [(lease, "leaseDuration"), (renew, "renewDeadline"), (retry, "retryPeriod")]
    {
        if nanos <= 0 {
            return Err(ConfigError::invalid(
                at(field),
                wire::duration_text(nanos),
                "must be greater than zero",
            ));
        }
    }
    if lease <= renew {
        let problem = "must be greater than `RenewDeadline`";
        return Err(ConfigError::invalid(at("leaseDuration"), wire::duration_text(renew), problem));
    }
    let lock = raw.resource_lock.as_str();
    if context.minor() >= LEASES_ALONE && !matches!(lock, "" | "leases") {
        return Err(ConfigError::invalid(
            at("resourceLock"),
            lock,
            "resourceLock value must be \"leases\"",
        ));
    }
    Ok(())
}

fn at(field: &str) -> String {
    format!("leaderElection.{field}")
}

/// Nanoseconds; absent and 0 mean the default in seconds.
fn seconds(raw: &Duration, field: &str, default: i64) -> Result<i64, ConfigError> {
    let nanos = raw.0.as_deref().map_or(Ok(0), |text| wire::nanos(text, &at(field)))?;
    Ok(if nanos == 0 { default * 1_000_000_000 } else { nanos })
}
