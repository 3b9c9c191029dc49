//! The status that cluster-autoscaler keeps in a ConfigMap. Upstream:
//! `sigs.k8s.io/cluster-autoscaler` `pkg/clusterstate/api/types.go` (33c3f97b); the same text since
//! 1.30. Before that it is a text for people: `clusterstate/api/utils.go` `GetReadableString` (1.29).

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use model::decode::yaml_value;

/// The most groups that are read; cloud providers allow far fewer.
const MOST_GROUPS: usize = 10_000;

/// The status, as far as it can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AutoscalerStatus {
    Read(Box<AutoscalerReport>),
    /// It is a status of no release: what is wrong with it.
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
        if is_for_people(text) {
            let report = AutoscalerReport::of_lines(text);
            if report.time.is_none() || report.groups.iter().any(|group| group.max.is_none()) {
                return Self::Broken("it is cut off".to_owned());
            }
            return Self::Read(Box::new(report));
        }
        let value = match yaml_value(text) {
            Ok(value) => value,
            Err(error) => return Self::Broken(first_line(&error.to_string())),
        };
        if !matches!(&value, Value::Object(fields) if fields.contains_key("autoscalerStatus")) {
            return Self::Broken("it has no field `autoscalerStatus`".to_owned());
        }
        match serde_json::from_value::<Wire>(value) {
            Ok(wire) => Self::Read(Box::new(AutoscalerReport::of(wire))),
            Err(error) => Self::Broken(first_line(&error.to_string())),
        }
    }
}

/// How the text of a release before 1.30 begins.
const FOR_PEOPLE: &str = "Cluster-autoscaler status at ";

fn is_for_people(text: &str) -> bool {
    text.lines().any(|line| line == "Cluster-wide:") || text.starts_with(FOR_PEOPLE)
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
        Self::sort(&mut groups);
        Self {
            time: wire.time.as_deref().and_then(time),
            is_starting: wire.autoscaler_status.as_deref() == Some("Initializing"),
            is_unhealthy: health.status.as_deref() == Some("Unhealthy"),
            groups,
        }
    }

    /// Reads the text of a release before 1.30: `FIELD: VALUE (KEY=NUMBER …)` in each line, first
    /// about the cluster, then after each `Name:` about a group.
    fn of_lines(text: &str) -> Self {
        let mut report = Self { is_starting: true, ..Self::default() };
        let mut groups: Vec<ReportedGroup> = Vec::new();
        let mut is_about_scale_up = false;
        for line in text.lines().map(str::trim) {
            if let Some(written) = line.strip_prefix(FOR_PEOPLE) {
                report.time = time(written.trim_end_matches(':'));
                continue;
            }
            let Some((field, rest)) = line.split_once(':') else { continue };
            let rest = rest.trim();
            let state = rest.split_whitespace().next().unwrap_or_default();
            // One that is starting has no lines about the cluster yet.
            report.is_starting &= field != "Cluster-wide";
            if field == "Name" && !rest.is_empty() && groups.len() < MOST_GROUPS {
                groups.push(ReportedGroup { name: rest.to_owned(), ..ReportedGroup::default() });
            }
            // The time of the last transition follows the condition that it is about.
            is_about_scale_up = match field {
                "ScaleUp" => true,
                "Name" | "Health" | "ScaleDown" => false,
                _ => is_about_scale_up,
            };
            match (field, groups.last_mut()) {
                ("Health", None) => report.is_unhealthy = state == "Unhealthy",
                ("Health", Some(group)) => group.add_counts(rest),
                ("ScaleUp", Some(group)) => group.scale_up = ScaleUp::of(state, None),
                ("LastTransitionTime", Some(group)) if is_about_scale_up => {
                    group.since = time(rest);
                }
                _ => {}
            }
        }
        Self::sort(&mut groups);
        Self { groups, ..report }
    }

    fn sort(groups: &mut Vec<ReportedGroup>) {
        groups.sort_by(|a, b| a.name.cmp(&b.name));
        groups.dedup_by(|a, b| a.name == b.name);
    }
}

impl ScaleUp {
    fn of(state: &str, backoff: Option<BackoffInfo>) -> Self {
        match state {
            "InProgress" => Self::InProgress,
            "Backoff" => {
                let BackoffInfo { error_code, error_message } = backoff.unwrap_or_default();
                Self::Backoff {
                    code: error_code.unwrap_or_default(),
                    message: error_message.unwrap_or_default(),
                }
            }
            "Unhealthy" => Self::Unhealthy,
            _ => Self::Idle,
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
            scale_up: ScaleUp::of(
                scale_up.status.as_deref().unwrap_or_default(),
                scale_up.backoff_info,
            ),
        }
    }

    /// Adds the numbers of a group's health, as `Healthy (ready=1 … (minSize=0, maxSize=5))`.
    fn add_counts(&mut self, text: &str) {
        for word in text.split(|c: char| c.is_whitespace() || "(),".contains(c)) {
            let Some((key, number)) = word.split_once('=') else { continue };
            let Ok(number) = number.parse::<i64>() else { continue };
            match key {
                "ready" | "unready" | "longNotStarted" | "longUnregistered" => {
                    self.come = self.come.saturating_add(number);
                }
                "notStarted" => self.not_started = number,
                "cloudProviderTarget" => self.target = number,
                "minSize" => self.min = number,
                "maxSize" => self.max = Some(number),
                _ => {}
            }
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

    /// As 1.29 writes it.
    const FOR_PEOPLE_TEXT: &str = "Cluster-autoscaler status at 2024-01-01 00:00:00 +0000 UTC:
Cluster-wide:
  Health:      Healthy (ready=3 unready=0 (resourceUnready=0) notStarted=1 registered=4)
               LastTransitionTime: 2023-01-01 00:00:00 +0000 UTC m=+1
  ScaleUp:     InProgress (ready=3 registered=4)

NodeGroups:
  Name:        https://x/zones/eu-b/instanceGroups/gke-c-grp
  Health:      Healthy (ready=3 unready=1 (resourceUnready=1) notStarted=1 longNotStarted=0 registered=5 longUnregistered=0 cloudProviderTarget=7 (minSize=1, maxSize=9))
               LastTransitionTime: 2023-01-01 00:00:00 +0000 UTC m=+1
  ScaleUp:     InProgress (ready=3 cloudProviderTarget=7)
               LastTransitionTime: 2023-12-31 23:58:00 +0000 UTC m=+1
  ScaleDown:   NoCandidates (candidates=0)
               LastTransitionTime: 2023-01-01 00:00:00 +0000 UTC m=+1

  Name:        asg
  Health:      Healthy (ready=0 cloudProviderTarget=0 (minSize=0, maxSize=0))
  ScaleUp:     Backoff (ready=0 cloudProviderTarget=0)
";

    #[test]
    fn status_of_1_29_is_read_with_its_groups_by_name() {
        let AutoscalerStatus::Read(report) = AutoscalerStatus::read(FOR_PEOPLE_TEXT) else {
            panic!("not read")
        };
        assert_eq!(report.time, "2024-01-01T00:00:00Z".parse().ok());
        assert!(!report.is_starting && !report.is_unhealthy);
        let [asg, gke] = report.groups.as_slice() else { panic!("{:?}", report.groups) };
        assert_eq!((gke.min, gke.max, gke.target), (1, Some(9), 7));
        assert_eq!((gke.come, gke.not_started, gke.missing()), (4, 1, 3));
        assert_eq!(gke.scale_up, ScaleUp::InProgress);
        assert_eq!(gke.since, "2023-12-31T23:58:00Z".parse().ok());
        assert_eq!(asg.name, "asg");
        assert!(asg.is_full());
        assert_eq!(asg.scale_up, ScaleUp::of("Backoff", None));

        let starting = "Cluster-autoscaler status at 2024-01-01 00:00:00 +0000 UTC:\nInitializing";
        let AutoscalerStatus::Read(report) = AutoscalerStatus::read(starting) else {
            panic!("not read")
        };
        assert!(report.is_starting && report.groups.is_empty());
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
