//! Which other versions of the scheduler write the message of a pod's condition.

use crate::input::LoadedInput;
use engine::decision;
use engine::decision::verify::{Verification, VerificationResult};
use engine::framework::cluster_view::ClusterView;
use engine::profile::{Profile, SchedulerVersion, VersionSource};

/// Looks for the scheduler versions that write the differing messages: the newest, and its
/// consecutive predecessors. A cluster may run a scheduler of a version other than its API
/// server's.
pub fn try_other_versions(found: &mut [&mut Verification], input: &LoadedInput) {
    if !found.iter().any(|f| f.verdict == VerificationResult::Different) {
        return;
    }
    // Verifications whose range of versions may still grow.
    let mut open: Vec<&mut Verification> = found
        .iter_mut()
        .map(|found| &mut **found)
        .filter(|found| found.verdict == VerificationResult::Different)
        .collect();
    for minor in (SchedulerVersion::OLDEST.minor..=SchedulerVersion::NEWEST.minor).rev() {
        if minor == input.profile.version.minor {
            // This version does not write the message: a started range ends here.
            open.retain(|found| found.written_by.is_none());
            continue;
        }
        if open.is_empty() {
            return;
        }
        let version = SchedulerVersion::new(minor, u16::MAX);
        let profile = Profile::new(version, VersionSource::Default);
        let view = ClusterView::new(&input.cluster, &profile);
        open.retain_mut(|found| {
            if !found.is_what_writes(&decision::decide(&view, found.pod, input.now)) {
                return found.written_by.is_none();
            }
            found.written_by.get_or_insert_with(|| version.to_string());
            found.written_since = Some(version.to_string());
            true
        });
    }
}
