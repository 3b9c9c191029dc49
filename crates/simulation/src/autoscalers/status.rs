//! The status that cluster-autoscaler keeps in a ConfigMap. Upstream:
//! `sigs.k8s.io/cluster-autoscaler` `pkg/clusterstate/api/types.go` (33c3f97b); the same text since
//! 1.30.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use model::decode::yaml_value;

/// The most groups that are read; cloud providers allow far fewer.
const MOST_GROUPS: usize = 10_000;

/// The status, as far as it can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AutoscalerStatus {
    /// It is a status of 1.30 or later.
    Read(Box<AutoscalerReport>),
    /// It is a text for people, as up to 1.29.
    OldFormat,
    /// It is neither: what is wrong with it.
    Broken(String),
}

/// What cluster-autoscaler reports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct AutoscalerReport {
    /// When it was written.
    pub(super) time: Option<Timestamp>,
    /// Whether it is only starting.
    pub(super) is_starting: bool,
    /// Whether too many nodes are unready, so that it does nothing.
    pub(super) is_unhealthy: bool,
    /// Its groups of nodes, by name.
    pub(super) groups: Vec<ReportedGroup>,
}

/// A group of nodes that it scales.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ReportedGroup {
    /// The cloud provider's name of it.
    pub(super) name: String,
    /// How many nodes it should have now.
    pub(super) target: i64,
    /// The fewest nodes.
    pub(super) min: i64,
    /// The most nodes; `None` if the status does not say.
    pub(super) max: Option<i64>,
    /// Its nodes that have come: they are ready, unready, or have not registered for too long.
    pub(super) come: i64,
    /// Its nodes that have registered and are not ready yet.
    pub(super) not_started: i64,
    /// Since when its scale-up is in this state.
    pub(super) since: Option<Timestamp>,
    /// Whether it can grow.
    pub(super) scale_up: ScaleUp,
}

/// Whether a group can grow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum ScaleUp {
    /// Nothing is under way.
    #[default]
    Idle,
    /// Nodes are on their way.
    InProgress,
    /// It waits after a failed attempt: the code and the text of the failure.
    Backoff {
        code: String,
        /// The text.
        message: String,
    },
    /// It is not ready to grow.
    Unhealthy,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Wire {
    time: Option<String>,
    autoscaler_status: Option<String>,
    cluster_wide: Option<ClusterWide>,
    node_groups: Option<Vec<WireGroup>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ClusterWide {
    health: Option<Health>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct WireGroup {
    name: String,
    health: Option<Health>,
    scale_up: Option<WireScaleUp>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Health {
    status: Option<String>,
    cloud_provider_target: Option<i64>,
    min_size: Option<i64>,
    max_size: Option<i64>,
    node_counts: Option<NodeCounts>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct NodeCounts {
    registered: Option<Registered>,
    long_unregistered: Option<i64>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Registered {
    ready: Option<i64>,
    not_started: Option<i64>,
    unready: Option<Unready>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Unready {
    total: Option<i64>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct WireScaleUp {
    status: Option<String>,
    last_transition_time: Option<String>,
    backoff_info: Option<BackoffInfo>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct BackoffInfo {
    error_code: Option<String>,
    error_message: Option<String>,
}

impl AutoscalerStatus {
    pub(super) fn read(text: &str) -> Self {
        let value = match yaml_value(text) {
            Ok(value) => value,
            // The text for people is no YAML: its lines are indented as a table.
            Err(_) if is_for_people(text) => return Self::OldFormat,
            Err(error) => return Self::Broken(first_line(&error.to_string())),
        };
        if !matches!(&value, Value::Object(fields) if fields.contains_key("autoscalerStatus")) {
            return if is_for_people(text) || matches!(value, Value::String(_)) {
                Self::OldFormat
            } else {
                Self::Broken("it has no field `autoscalerStatus`".to_owned())
            };
        }
        match serde_json::from_value::<Wire>(value) {
            Ok(wire) => Self::Read(Box::new(AutoscalerReport::of(wire))),
            Err(error) => Self::Broken(first_line(&error.to_string())),
        }
    }
}

/// Whether it is the text of a release before 1.30. One that is starting has no lines about the
/// cluster yet.
fn is_for_people(text: &str) -> bool {
    text.contains("Cluster-wide:") || text.starts_with("Cluster-autoscaler status at ")
}

fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

impl AutoscalerReport {
    fn of(wire: Wire) -> Self {
        let health = wire.cluster_wide.and_then(|all| all.health).unwrap_or_default();
        let mut groups: Vec<ReportedGroup> = wire
            .node_groups
            .unwrap_or_default()
            .into_iter()
            .take(MOST_GROUPS)
            .filter(|group| !group.name.is_empty())
            .map(ReportedGroup::of)
            .collect();
        groups.sort_by(|a, b| a.name.cmp(&b.name));
        groups.dedup_by(|a, b| a.name == b.name);
        Self {
            time: wire.time.as_deref().and_then(time),
            is_starting: wire.autoscaler_status.as_deref() == Some("Initializing"),
            is_unhealthy: health.status.as_deref() == Some("Unhealthy"),
            groups,
        }
    }
}

impl ReportedGroup {
    fn of(wire: WireGroup) -> Self {
        let health = wire.health.unwrap_or_default();
        let scale_up = wire.scale_up.unwrap_or_default();
        // Counts of zero are left out; where all are, a group that does not grow is complete.
        let is_counted =
            health.node_counts.is_some() || scale_up.status.as_deref() == Some("InProgress");
        let target = health.cloud_provider_target.unwrap_or_default();
        let counts = health.node_counts.unwrap_or_default();
        let registered = counts.registered.unwrap_or_default();
        let unready = registered.unready.and_then(|unready| unready.total);
        let come = [registered.ready, unready, counts.long_unregistered];
        let backoff = scale_up.backoff_info.unwrap_or_default();
        Self {
            name: wire.name,
            target,
            min: health.min_size.unwrap_or_default(),
            max: health.max_size,
            come: if is_counted {
                come.into_iter().flatten().fold(0, i64::saturating_add)
            } else {
                target
            },
            not_started: registered.not_started.unwrap_or_default(),
            since: scale_up.last_transition_time.as_deref().and_then(time),
            scale_up: match scale_up.status.as_deref() {
                Some("InProgress") => ScaleUp::InProgress,
                Some("Backoff") => ScaleUp::Backoff {
                    code: backoff.error_code.unwrap_or_default(),
                    message: backoff.error_message.unwrap_or_default(),
                },
                Some("Unhealthy") => ScaleUp::Unhealthy,
                _ => ScaleUp::Idle,
            },
        }
    }

    /// How many nodes are wanted that have not come.
    ///
    /// Upstream: `pkg/clusterstate/clusterstate.go` `GetUpcomingNodes` (33c3f97b).
    pub(super) fn missing(&self) -> i64 {
        self.target.saturating_sub(self.come).max(0)
    }

    /// Whether it has as many nodes as it may have.
    pub(super) fn is_full(&self) -> bool {
        self.max.is_some_and(|max| self.target >= max)
    }
}

/// Reads `2025-06-01 12:00:00.123456789 +0000 UTC`, as Go prints a time, or RFC 3339.
fn time(text: &str) -> Option<Timestamp> {
    if let Ok(time) = text.parse() {
        return Some(time);
    }
    let mut parts = text.split_whitespace();
    let (date, clock, offset) = (parts.next()?, parts.next()?, parts.next()?);
    let (sign, digits) = offset.split_at_checked(1)?;
    let (hours, minutes) = digits.split_at_checked(2)?;
    format!("{date}T{clock}{sign}{hours}:{minutes}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "time: 2026-06-01 12:00:00.5 +0000 UTC
autoscalerStatus: Running
clusterWide:
  health:
    status: Healthy
nodeGroups:
- name: asg-b
  health:
    status: Healthy
    cloudProviderTarget: 10
    minSize: 0
    maxSize: 10
    nodeCounts:
      registered:
        total: 10
        ready: 9
  scaleUp:
    status: Backoff
    backoffInfo:
      errorCode: QUOTA_EXCEEDED
      errorMessage: no more
- name: asg-a
  scaleUp: {status: InProgress}
";

    #[test]
    fn yaml_status_is_read_with_its_groups_by_name() {
        let AutoscalerStatus::Read(report) = AutoscalerStatus::read(TEXT) else {
            panic!("not read")
        };
        assert_eq!(report.time, "2026-06-01T12:00:00.5Z".parse().ok());
        assert!(!report.is_starting && !report.is_unhealthy);
        let [a, b] = report.groups.as_slice() else { panic!("{:?}", report.groups) };
        assert_eq!((a.name.as_str(), &a.scale_up, a.max), ("asg-a", &ScaleUp::InProgress, None));
        assert!(b.is_full());
        assert_eq!((b.target, b.max, b.come, b.missing()), (10, Some(10), 9, 1));
        let backoff = ScaleUp::Backoff { code: "QUOTA_EXCEEDED".into(), message: "no more".into() };
        assert_eq!(b.scale_up, backoff);
    }

    #[test]
    fn status_of_1_29_is_reported_as_old_format() {
        let old = "Cluster-autoscaler status at 2024-01-01 00:00:00 +0000 UTC:\nCluster-wide:\n  \
                   Health:      Healthy (ready=3 unready=0)\n\nNodeGroups:\n  Name:        asg\n";
        assert_eq!(AutoscalerStatus::read(old), AutoscalerStatus::OldFormat);
    }

    #[test]
    fn status_cut_off_at_any_byte_never_panics_and_is_no_other_group() {
        for end in 0..TEXT.len() {
            let Some(text) = TEXT.get(..end) else { continue };
            if let AutoscalerStatus::Read(report) = AutoscalerStatus::read(text) {
                for group in &report.groups {
                    assert!(
                        "asg-b".starts_with(&group.name)
                            || group.name == "asg-a"
                            || group.name == "asg-"
                    );
                }
            }
        }
    }

    #[test]
    fn status_that_is_no_map_is_broken() {
        assert!(matches!(AutoscalerStatus::read("[1, 2]"), AutoscalerStatus::Broken(_)));
        assert!(matches!(AutoscalerStatus::read("{a: 1}"), AutoscalerStatus::Broken(_)));
        let wrong = "autoscalerStatus: Running\nnodeGroups: 5\n";
        assert!(matches!(AutoscalerStatus::read(wrong), AutoscalerStatus::Broken(_)));
    }
}
