//! What the Events of autoscalers about a pod say. A text whose form is not known says nothing: it
//! is shown as it is, and no verdict rests on it.
//!
//! Upstream: `sigs.k8s.io/cluster-autoscaler` `pkg/processors/status/eventing_scale_up_processor.go`
//! (33c3f97b); `sigs.k8s.io/karpenter` `pkg/controllers/provisioning/scheduling/events.go` (1.0 to
//! 1.15).

use jiff::Timestamp;

use super::outlook::{AutoscalerAnswer, AutoscalerKind, AutoscalerRefusal, Growth, Says};
use model::cluster::Cluster;
use model::cluster::event::Event;

/// The most causes of one answer that are kept.
const MOST_CAUSES: usize = 200;

/// Who writes Events under a component's name.
pub(super) fn author(component: &str) -> Option<AutoscalerKind> {
    AutoscalerKind::ALL.into_iter().find(|kind| kind.event_component() == Some(component))
}

/// Whether an Event about a claim says that the cloud gave no instance for it.
pub(super) fn is_failure(reason: &str) -> bool {
    ["InsufficientCapacityError", "NodeClassNotReady", "LaunchFailed"].contains(&reason)
}

/// What such an Event says, without the beginning that names the claim.
pub(super) fn failure_text(event: &Event, cluster: &Cluster) -> String {
    let message = event.message.split_once(" event: ").map_or(&*event.message, |(_, text)| text);
    format!("{}: {message}", cluster.text(event.reason))
}

/// The answer in an Event; `None` if it answers nothing about a node for the pod.
pub(super) fn answer(
    event: &Event,
    cluster: &Cluster,
    now: Timestamp,
    marked: Option<Timestamp>,
) -> Option<AutoscalerAnswer> {
    let by = author(cluster.text(event.component))?;
    let reason = cluster.text(event.reason);
    let says = match by {
        AutoscalerKind::ClusterAutoscaler => of_cluster_autoscaler(reason, &event.message)?,
        _ => of_karpenter(reason, &event.message)?,
    };
    Some(AutoscalerAnswer {
        by,
        reason: reason.to_owned(),
        text: event.message.to_string(),
        age: event.time.map(|time| now.as_second() - time.as_second()),
        is_stale: match (event.time, marked) {
            // Times of conditions and Events have no fractions.
            (Some(time), Some(marked)) => time.as_second() < marked.as_second(),
            _ => false,
        },
        says,
    })
}

fn of_cluster_autoscaler(reason: &str, text: &str) -> Option<Says> {
    const REFUSED: &str = "pod didn't trigger scale-up: ";
    Some(match reason {
        "TriggeredScaleUp" => growths(text).map_or(Says::Unknown, Says::Grows),
        "NotTriggerScaleUp" => match text.strip_prefix(REFUSED).or_else(|| of_gke(text)) {
            Some(list) => Says::Refuses(counted(list)),
            // The list may be empty, and white space at the end is lost.
            None if text.trim_end() == REFUSED.trim_end() => Says::Refuses(Vec::new()),
            None => Says::Unknown,
        },
        "FailedScaleUp" => {
            let causes = text.split_once(" failed: ").map(|(_, causes)| causes);
            let causes = causes.map(|causes| {
                let end = causes.find(" Pod is at risk").unwrap_or(causes.len());
                causes.get(..end).unwrap_or(causes).trim_end_matches('.').to_owned()
            });
            causes.map_or(Says::Unknown, |causes| Says::Failed(vec![causes]))
        }
        "" => {
            let request = text.split_once("it's consuming ProvisioningRequest ");
            request.map_or(Says::Unknown, |(_, name)| Says::LeftToRequest(name.to_owned()))
        }
        // Concerns the removal of a node.
        "ScaleDown" | "ScaleDownFailed" => return None,
        _ => Says::Unknown,
    })
}

/// The list of causes in GKE's form: `… (it wouldn't fit if a new node is added): 3 Insufficient cpu`.
fn of_gke(text: &str) -> Option<&str> {
    let rest =
        text.strip_prefix("pod didn't trigger scale-up (it wouldn't fit if a new node is added)")?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix(": ") }
}

/// Groups that grow: `pod triggered scale-up: [{GROUP 3->4 (max: 10)} …]`.
fn growths(text: &str) -> Option<Vec<Growth>> {
    let list = text.strip_prefix("pod triggered scale-up: [")?.strip_suffix(']')?;
    let mut all = Vec::new();
    for part in list.split_inclusive('}') {
        let part = part.trim().strip_prefix('{')?.strip_suffix('}')?;
        let (group, rest) = part.split_once(' ')?;
        let (sizes, max) = rest.split_once(" (max: ")?;
        let (from, to) = sizes.split_once("->")?;
        all.push(Growth {
            group: group.to_owned(),
            from: from.parse().ok()?,
            to: to.parse().ok()?,
            max: Some(max.strip_suffix(')')?.parse().ok()?),
        });
        if all.len() == MOST_CAUSES {
            break;
        }
    }
    (!all.is_empty()).then_some(all)
}

/// Counted causes: `3 node(s) had untolerated taint(s), 1 max node group size reached`. A cause may
/// have commas itself, so it ends only where a comma stands outside quotes and a number follows.
fn counted(list: &str) -> Vec<AutoscalerRefusal> {
    let (mut causes, mut start, mut in_quotes) = (Vec::new(), 0, false);
    let bytes = list.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'"' => in_quotes = !in_quotes,
            b',' if !in_quotes && starts_count(list.get(at + 1..).unwrap_or_default()) => {
                causes.extend(list.get(start..at).and_then(one_counted));
                start = at + 1;
            }
            _ => {}
        }
        if causes.len() == MOST_CAUSES {
            return causes;
        }
    }
    causes.extend(list.get(start..).and_then(one_counted));
    causes
}

/// Whether a text begins with a space, a number and a space.
fn starts_count(text: &str) -> bool {
    text.strip_prefix(' ').is_some_and(|rest| {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && rest.as_bytes().get(digits) == Some(&b' ')
    })
}

fn one_counted(text: &str) -> Option<AutoscalerRefusal> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    let counted = text.split_once(' ').and_then(|(count, cause)| {
        let groups: u64 = count.parse().ok()?;
        Some((groups, cause))
    });
    let (groups, cause) = counted.map_or((None, text), |(groups, cause)| (Some(groups), cause));
    Some(AutoscalerRefusal { groups, pool: None, cause: cause.to_owned() })
}

fn of_karpenter(reason: &str, text: &str) -> Option<Says> {
    Some(match reason {
        "Nominated" => match text.strip_prefix("Pod should schedule on: ") {
            Some(places) => nominated(places),
            None => Says::Unknown,
        },
        "FailedScheduling" => match text.strip_prefix("Failed to schedule pod, ") {
            Some(errors) => Says::Refuses(errors_of(errors)),
            None => Says::Unknown,
        },
        // They are about disruptions of the pod.
        "Evicted"
        | "Disrupted"
        | "InvalidDoNotDisruptAnnotation"
        | "DoNotDisruptUntil"
        | "DoNotDisruptGracePeriodElapsed" => return None,
        _ => Says::Unknown,
    })
}

/// `nodeclaim/C, node/N`, or one of them.
fn nominated(places: &str) -> Says {
    let (mut claim, mut node) = (None, None);
    for place in places.split(", ") {
        match place.split_once('/') {
            Some(("nodeclaim", name)) if !name.is_empty() => claim = Some(name.to_owned()),
            Some(("node", name)) if !name.is_empty() => node = Some(name.to_owned()),
            _ => return Says::Unknown,
        }
    }
    Says::Nominated { claim, node }
}

/// One cause for each pool, in the order in which pools are tried. They are separated by `; `
/// outside brackets and quotes.
fn errors_of(text: &str) -> Vec<AutoscalerRefusal> {
    let (mut errors, mut start) = (Vec::new(), 0);
    let (mut depth, mut in_quotes) = (0_usize, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' => in_quotes = !in_quotes,
            _ if in_quotes => {}
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b';' if depth == 0 && text.get(at + 1..).is_some_and(|rest| rest.starts_with(' ')) => {
                errors.extend(text.get(start..at).map(one_error));
                start = at + 2;
            }
            _ => {}
        }
        if errors.len() == MOST_CAUSES {
            return errors;
        }
    }
    errors.extend(text.get(start..).map(one_error));
    errors
}

fn between<'t>(text: &'t str, before: &str, end: char) -> Option<&'t str> {
    let (_, rest) = text.split_once(before)?;
    let (name, _) = rest.split_once(end)?;
    Some(name).filter(|name| !name.is_empty())
}

fn one_error(text: &str) -> AutoscalerRefusal {
    // Up to 1.4 in quotes, since then as a pair in brackets.
    let pool = between(text, "nodepool \"", '"')
        .or_else(|| between(text, "nodepool: \"", '"'))
        .or_else(|| between(text, "NodePool=", ')'))
        .map(|name| name.split(',').next().unwrap_or_default().to_owned());
    AutoscalerRefusal { groups: None, pool, cause: text.trim().to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn causes(says: Option<Says>) -> Vec<(Option<u64>, Option<String>, String)> {
        match says {
            Some(Says::Refuses(all)) => {
                all.into_iter().map(|one| (one.groups, one.pool, one.cause)).collect()
            }
            other => panic!("{other:?}"),
        }
    }

    fn refused(list: &str) -> Vec<(u64, String)> {
        let text = format!("pod didn't trigger scale-up: {list}");
        causes(of_cluster_autoscaler("NotTriggerScaleUp", &text))
            .into_iter()
            .map(|(groups, _, cause)| (groups.unwrap_or_default(), cause))
            .collect()
    }

    #[test]
    fn every_cause_of_cluster_autoscaler_is_taken_apart_with_its_count() {
        for cause in [
            "max node group size reached",
            "in backoff after failed scale-up",
            "not ready for scale-up",
            "max cluster cpu, memory limit reached",
            "exceeded quota: \"cluster-wide\", resources: cpu, memory",
            "exceeded quota: \"CapacityQuota/a, 3 b\", resources: nodes",
            "not all pods would fit and scale-up is using all-or-nothing strategy",
            "expansion options filtered out and no longer considered",
            "scale-up execution failed",
            "Insufficient cpu",
            "node(s) had untolerated taint(s)",
            "node(s) didn't match Pod's node affinity/selector",
        ] {
            let list = format!("2 {cause}, 10 Insufficient memory");
            assert_eq!(
                refused(&list),
                [(2, cause.to_owned()), (10, "Insufficient memory".to_owned())]
            );
        }
    }

    #[test]
    fn refusal_without_a_group_has_no_causes() {
        assert!(refused("").is_empty());
        assert_eq!(
            of_cluster_autoscaler("NotTriggerScaleUp", "pod didn't trigger scale-up:"),
            Some(Says::Refuses(Vec::new()))
        );
        assert_eq!(
            refused("max total nodes in cluster reached"),
            [(0, "max total nodes in cluster reached".to_owned())]
        );
    }

    #[test]
    fn text_of_unknown_form_says_nothing() {
        let other = "pod didn't trigger scale-up (it is Monday)";
        assert_eq!(of_cluster_autoscaler("NotTriggerScaleUp", other), Some(Says::Unknown));
        assert_eq!(of_cluster_autoscaler("TriggeredScaleUp", "grows"), Some(Says::Unknown));
        assert_eq!(of_cluster_autoscaler("Other", "x"), Some(Says::Unknown));
        assert_eq!(of_karpenter("Nominated", "on moon/1"), Some(Says::Unknown));
        assert_eq!(
            of_karpenter("Nominated", "Pod should schedule on: moon/1"),
            Some(Says::Unknown)
        );
        assert_eq!(of_karpenter("FailedScheduling", "no"), Some(Says::Unknown));
        assert_eq!(of_cluster_autoscaler("ScaleDown", "deleting pod"), None);
    }

    #[test]
    fn refusal_in_the_form_of_gke_has_its_causes() {
        let text = "pod didn't trigger scale-up (it wouldn't fit if a new node is added)";
        let with = format!("{text}: 3 Insufficient cpu, 1 max node group size reached");
        let counts = causes(of_cluster_autoscaler("NotTriggerScaleUp", &with));
        let counts: Vec<_> = counts.iter().map(|(n, _, cause)| (*n, cause.as_str())).collect();
        assert_eq!(
            counts,
            [(Some(3), "Insufficient cpu"), (Some(1), "max node group size reached")]
        );
        let none = of_cluster_autoscaler("NotTriggerScaleUp", text);
        assert_eq!(none, Some(Says::Refuses(Vec::new())));
    }

    #[test]
    fn groups_that_grow_are_read_with_their_sizes() {
        let text = "pod triggered scale-up: [{asg-a 3->4 (max: 10)} {https://x/y 0->2 (max: 5)}]";
        let Some(Says::Grows(all)) = of_cluster_autoscaler("TriggeredScaleUp", text) else {
            panic!("not read")
        };
        let sizes: Vec<_> = all.iter().map(|g| (g.group.as_str(), g.from, g.to, g.max)).collect();
        assert_eq!(sizes, [("asg-a", 3, 4, Some(10)), ("https://x/y", 0, 2, Some(5))]);
    }

    #[test]
    fn failed_scale_up_of_gke_is_read_with_its_causes() {
        let text = "Node scale up in zones europe-west1-b associated with this pod failed: GCE out of \
                    resources. Pod is at risk of not being scheduled.";
        assert_eq!(
            of_cluster_autoscaler("FailedScaleUp", text),
            Some(Says::Failed(vec!["GCE out of resources".to_owned()]))
        );
    }

    #[test]
    fn nominations_of_karpenter_name_claim_and_node() {
        let of = |text: &str| of_karpenter("Nominated", &format!("Pod should schedule on: {text}"));
        let says = |claim: Option<&str>, node: Option<&str>| {
            Some(Says::Nominated { claim: claim.map(str::to_owned), node: node.map(str::to_owned) })
        };
        assert_eq!(of("nodeclaim/general-x7k"), says(Some("general-x7k"), None));
        assert_eq!(of("nodeclaim/c, node/n"), says(Some("c"), Some("n")));
        assert_eq!(of("node/n"), says(None, Some("n")));
    }

    #[test]
    fn errors_of_karpenter_are_taken_apart_and_named_by_their_pool() {
        let old = "Failed to schedule pod, incompatible with nodepool \"gpu\", daemonset \
                   overhead={\"cpu\":\"1; 2\"}, did not tolerate gpu=true:NoSchedule; incompatible with \
                   nodepool \"general\", daemonset overhead={}, no instance type satisfied resources";
        let found = causes(of_karpenter("FailedScheduling", old));
        let pools: Vec<_> = found.iter().map(|(_, pool, _)| pool.as_deref()).collect();
        assert_eq!(pools, [Some("gpu"), Some("general")]);
        let new = "Failed to schedule pod, all available instance types exceed limits for nodepool \
                   (NodePool=general); did not tolerate taint (taint=gpu=true:NoSchedule)";
        let found = causes(of_karpenter("FailedScheduling", new));
        let pools: Vec<_> = found.iter().map(|(_, pool, _)| pool.as_deref()).collect();
        assert_eq!(pools, [Some("general"), None]);
    }

    #[test]
    fn hostile_texts_are_read_without_panic_and_in_bounds() {
        let huge = "1 a, ".repeat(100_000);
        assert_eq!(refused(&huge).len(), MOST_CAUSES);
        for text in ["{[(\";", "\u{202e}ü; ü", "((((((((", "; ; ;", "\"", "]}])"] {
            of_karpenter("FailedScheduling", &format!("Failed to schedule pod, {text}"));
            of_cluster_autoscaler(
                "NotTriggerScaleUp",
                &format!("pod didn't trigger scale-up: {text}"),
            );
            of_cluster_autoscaler("TriggeredScaleUp", &format!("pod triggered scale-up: [{text}]"));
        }
    }
}
