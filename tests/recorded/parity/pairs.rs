//! Two recorded schedulers of the same cluster and pod, with their versions, configurations and
//! gates, in one comparison: each side is what that scheduler decided.

use answers::input::{InputFlags, LoadedInput, Wishes};
use answers::origin::InputOrigin;
use answers::questions::compare::{CompareRequest, ComparedSide, compare_sides};
use answers::scheduler::{ConfigSource, SchedulerChoice};
use answers::target::Target;
use engine::profile::SchedulerVersion;
use engine::snapshot::meta::LabelSelector;
use serde_json::Value;
use to_json::ToJson as _;

use super::compare::{Case, Difference, differences};

/// Whether two cases are about the same pod of the same cluster at the same time, and a comparison
/// answers for both.
pub fn are_comparable(one: &Case, other: &Case) -> bool {
    let is_plain = |case: &Case| {
        !case.pod.is_empty()
            && case.failed.is_empty()
            && case.unspecified.is_empty()
            && case.extenders.is_empty()
            && case.expect["sampled"].is_null()
    };
    let about = |case: &Case| (case.cluster.get().to_owned(), case.pod.clone(), case.now.clone());
    is_plain(one) && is_plain(other) && about(one) == about(other)
}

/// The scheduler of a case.
fn side(case: &Case) -> Result<ComparedSide, String> {
    let gates = &case.scheduler.gates;
    let config = case.scheduler.config.map(|config| ConfigSource::read(config.get(), "config"));
    Ok(ComparedSide {
        label: Some(case.id.clone()),
        choice: SchedulerChoice {
            feature_gates: gates.iter().map(|(name, on)| format!("{name}={on}")).collect(),
            config: config.transpose().map_err(|error| error.to_string())?,
            ..SchedulerChoice::default()
        },
        version: SchedulerVersion::parse(&case.scheduler.version),
        ..ComparedSide::default()
    })
}

/// Where a comparison of two cases differs from what each scheduler decided.
///
/// # Errors
/// Why they cannot be compared.
pub fn compare(one: &Case, other: &Case) -> Result<Vec<Difference>, String> {
    let now = one.now()?;
    let (scheduler, flags) = (SchedulerChoice::default(), InputFlags::default());
    let wishes = Wishes {
        scheduler: &scheduler,
        now: Some(now),
        present: now,
        selector: &LabelSelector::default(),
        flags: &flags,
    };
    // Files without nodes would be refused.
    let place = InputOrigin::Cluster(one.id.clone());
    let input = LoadedInput::of_cluster(&mut one.load()?, None, place, "default".into(), &wishes)
        .map_err(|error| error.to_string())?;
    let (namespace, name) = one.pod.split_once('/').ok_or("not a namespace/name")?;
    let target = Target { kind: "Pod", name: name.into(), namespace: Some(namespace.into()) };
    let request = CompareRequest { targets: vec![target], ..CompareRequest::default() };
    let sides = [side(one)?, side(other)?];
    let json = compare_sides(&input, &sides, &request, |report| {
        serde_json::to_value(report.json()).map_err(|error| error.to_string())
    })
    .map_err(|error| error.to_string())??;
    let mut wrong = Vec::new();
    for (at, case) in [one, other].into_iter().enumerate() {
        let decided: &Value = &json["items"][at];
        if decided.is_null() {
            return Err(format!("{}: it has no decision", case.id));
        }
        wrong.extend(differences(&case.expect, decided));
    }
    Ok(wrong)
}
