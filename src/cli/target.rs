//! Which pods are meant: `POD`, `pod/POD`, `pod POD…`, or an owner such as `deploy/web`.

use super::question::Question;
use super::{GlobalFlags, output};
use crate::error::Error;
use engine::cluster::Cluster;
use engine::cluster::notes;
use engine::cluster::pod::{OwnerRef, Pod, PodIx};

/// What a resource is called on the command line.
const ALIASES: &[(&str, &[&str])] = &[
    ("Pod", &["pod", "pods", "po"]),
    ("Deployment", &["deployment", "deployments", "deploy", "deployments.apps", "deployment.apps"]),
    ("ReplicaSet", &["replicaset", "replicasets", "rs", "replicasets.apps", "replicaset.apps"]),
    ("StatefulSet", &["statefulset", "statefulsets", "sts", "statefulsets.apps", "statefulset.apps"]),
    ("DaemonSet", &["daemonset", "daemonsets", "ds", "daemonsets.apps", "daemonset.apps"]),
    ("ReplicationController", &["replicationcontroller", "replicationcontrollers", "rc"]),
    ("Job", &["job", "jobs", "jobs.batch", "job.batch"]),
    ("CronJob", &["cronjob", "cronjobs", "cj", "cronjobs.batch", "cronjob.batch"]),
];

/// How a note about an object begins that the decoder gave up.
const LEFT_OUT: &str = "left out: ";

/// How similar a name must be to be suggested.
const SIMILAR: f64 = 0.7;

/// One thing asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// `Pod`, or the kind of an owner.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
}

/// Reads the arguments as kubectl does: `TYPE/NAME …`, `TYPE NAME …`, or pod names.
///
/// # Errors
/// [`Error::Usage`] for an unknown type, or both forms at once.
pub fn parse(arguments: &[String]) -> Result<Vec<Target>, Error> {
    if arguments.iter().any(|a| a.contains('/')) {
        if !arguments.iter().all(|a| a.contains('/')) {
            return Err(Error::usage(
                "there is no need to specify a resource type as a separate argument when passing arguments in \
                 resource/name form (e.g. 'kubectl preempt explain pod/NAME' instead of 'kubectl preempt explain pod \
                 pod/NAME')",
            ));
        }
        return arguments.iter().map(|a| parse_pair(a)).collect();
    }
    match arguments {
        [kind, names @ ..] if !names.is_empty() && kind_of(kind).is_some() => {
            let kind = kind_of(kind).unwrap_or("Pod");
            Ok(names.iter().map(|name| Target { kind, name: name.clone() }).collect())
        }
        names => Ok(names.iter().map(|name| Target { kind: "Pod", name: name.clone() }).collect()),
    }
}

fn parse_pair(argument: &str) -> Result<Target, Error> {
    let (kind, name) = argument.split_once('/').unwrap_or(("", argument));
    if name.is_empty() || name.contains('/') {
        return Err(Error::usage(format!(
            "arguments in resource/name form must have a single resource and name: `{argument}`"
        )));
    }
    let known = kind_of(kind).ok_or_else(|| Error::Usage {
        problem: format!("the resource type `{kind}` has no pods that could be explained"),
        hint: Some("use pod, deploy, rs, sts, ds, rc, job or cronjob".to_owned()),
    })?;
    Ok(Target { kind: known, name: name.to_owned() })
}

/// The kind that is called so on the command line.
pub(super) fn kind_of(alias: &str) -> Option<&'static str> {
    let alias = alias.to_lowercase();
    ALIASES.iter().find(|(_, names)| names.contains(&alias.as_str())).map(|(kind, _)| *kind)
}

/// What the kinds are called, each by one name.
pub(super) fn kinds() -> impl Iterator<Item = &'static str> {
    ALIASES.iter().filter_map(|(_, names)| names.first().copied())
}

/// Whether jobs must be read to find `targets`; the decision itself does without.
#[must_use]
pub fn needs_jobs(targets: &[Target]) -> bool {
    targets.iter().any(|t| t.kind == "CronJob")
}

/// The pods that a target means: the named pod, or the owner's pods that wait for a node (all of them if none does).
///
/// # Errors
/// [`Error::NotFound`] in kubectl's words, with what may be meant instead.
pub fn find(target: &Target, namespace: &str, cluster: &Cluster) -> Result<Vec<PodIx>, Error> {
    if target.kind == "Pod" {
        return cluster
            .find_pod(namespace, &target.name)
            .map(|pod| vec![pod])
            .ok_or_else(|| not_found(target, namespace, cluster));
    }
    let owned: Vec<PodIx> =
        cluster.pod_indices().filter(|ix| is_owned(cluster.pod(*ix), target, namespace, cluster)).collect();
    if owned.is_empty() {
        return Err(not_found(target, namespace, cluster));
    }
    let waiting: Vec<PodIx> = owned.iter().copied().filter(|ix| is_waiting(cluster.pod(*ix))).collect();
    Ok(if waiting.is_empty() { owned } else { waiting })
}

/// The pods that `targets` mean, in order; without targets, those that wait for a node: of the namespace, or `everywhere`,
/// and with the labels that were asked for. `cluster` may be that of the question with something changed in thought.
///
/// # Errors
/// [`Error::NotFound`] for a target that is not there.
pub fn choose(
    targets: &[Target],
    everywhere: bool,
    question: &Question,
    cluster: &Cluster,
    global: &GlobalFlags,
) -> Result<Vec<PodIx>, Error> {
    let Question { namespace, selector, .. } = question;
    let mut pods: Vec<PodIx> = Vec::new();
    for target in targets {
        pods.extend(find(target, namespace, cluster)?);
    }
    if targets.is_empty() {
        pods = pending(everywhere, question, cluster);
        if pods.is_empty() {
            let place = if everywhere { "any namespace".to_owned() } else { format!("{namespace} namespace") };
            let which = if selector.is_empty() { "" } else { " that the selector means" };
            output::say(global, &format!("No pods{which} wait for a node in {place}."));
        }
    }
    pods.sort_unstable();
    pods.dedup();
    Ok(pods)
}

/// Pods that wait for a node: of the namespace in question, or of all, that the selector means.
#[must_use]
pub fn pending(everywhere: bool, question: &Question, cluster: &Cluster) -> Vec<PodIx> {
    let here = |ix: &PodIx| {
        let pod = cluster.pod(*ix);
        let there = everywhere || cluster.text(pod.namespace) == question.namespace;
        there && is_waiting(pod) && question.selector.selects(pod, cluster)
    };
    cluster.pod_indices().filter(here).collect()
}

/// Whether a pod waits for a node.
#[must_use]
pub fn is_waiting(pod: &Pod) -> bool {
    pod.is_active() && pod.node_name.is_empty()
}

fn is_owned(pod: &Pod, target: &Target, namespace: &str, cluster: &Cluster) -> bool {
    if cluster.text(pod.namespace) != namespace {
        return false;
    }
    let Some(OwnerRef { kind, name, .. }) = pod.controller else { return false };
    if cluster.text(kind) == target.kind {
        return cluster.text(name) == target.name;
    }
    let owner = cluster.owners.iter().find(|o| o.kind == kind && o.name == name && o.namespace == pod.namespace);
    if let Some(OwnerRef { kind, name, .. }) = owner.and_then(|o| o.controller) {
        return cluster.text(kind) == target.kind && cluster.text(name) == target.name;
    }
    // Without the owners themselves: a Deployment names its ReplicaSets after itself and the pod template's hash, a
    // CronJob its Jobs after itself and the time.
    let by_name = |generated: &str| {
        let rest = generated.strip_prefix(&target.name).and_then(|rest| rest.strip_prefix('-'));
        rest.is_some_and(|rest| !rest.is_empty() && !rest.contains('-'))
    };
    let between = match target.kind {
        "Deployment" => "ReplicaSet",
        "CronJob" => "Job",
        _ => return false,
    };
    owner.is_none() && cluster.text(kind) == between && by_name(cluster.text(name))
}

fn not_found(target: &Target, namespace: &str, cluster: &Cluster) -> Error {
    let (_, aliases) = ALIASES.iter().find(|(kind, _)| *kind == target.kind).copied().unwrap_or(("", &[]));
    let resource = if target.kind == "Pod" {
        "pods".to_owned()
    } else {
        aliases.iter().find(|a| a.contains('.')).or(aliases.get(1)).unwrap_or(&"pods").to_string()
    };
    Error::NotFound { resource, name: target.name.clone(), hint: suggestion(target, namespace, cluster) }
}

fn suggestion(target: &Target, namespace: &str, cluster: &Cluster) -> Option<String> {
    let name = &target.name;
    if target.kind != "Pod" {
        return Some(format!("namespace {namespace} has no pod owned by {} {name}", target.kind));
    }
    let written = if namespace == "default" { ["", "default"] } else { [namespace; 2] };
    let about = written.map(|namespace| notes::subject("Pod", namespace, name));
    if let Some(note) = cluster.notes.iter().find(|n| about.contains(&n.subject) && n.text.starts_with(LEFT_OUT)) {
        return Some(format!("the input has it, but it was {}", note.text));
    }
    let elsewhere = cluster.pods.iter().find(|p| *p.name == **name).map(|p| cluster.text(p.namespace));
    if let Some(other) = elsewhere {
        return Some(format!("there is a pod {name} in namespace {other}: add -n {other}"));
    }
    let here = cluster.pods.iter().filter(|p| cluster.text(p.namespace) == namespace);
    let scored = here.map(|p| (strsim::jaro_winkler(name, &p.name), is_waiting(p), &p.name));
    let best = scored.filter(|(score, ..)| *score > SIMILAR).max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    match best {
        Some((_, _, similar)) => Some(format!("did you mean {similar}?")),
        None if !cluster.pods.iter().any(|p| cluster.text(p.namespace) == namespace) => {
            Some(format!("namespace {namespace} has no pods here; -n names another"))
        }
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Target, parse};

    fn parsed(arguments: &[&str]) -> Vec<(String, String)> {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        parse(&arguments).unwrap().into_iter().map(|Target { kind, name }| (kind.to_owned(), name)).collect()
    }

    #[test]
    fn forms_that_kubectl_takes() {
        let pod = |name: &str| ("Pod".to_owned(), name.to_owned());
        assert_eq!(parsed(&["web"]), [pod("web")]);
        assert_eq!(parsed(&["pod/web", "po/db"]), [pod("web"), pod("db")]);
        assert_eq!(parsed(&["pods", "web", "db"]), [pod("web"), pod("db")]);
        assert_eq!(parsed(&["web", "db"]), [pod("web"), pod("db")]);
        assert_eq!(parsed(&["pod"]), [pod("pod")]);
        assert_eq!(parsed(&["deploy/web"]), [("Deployment".to_owned(), "web".to_owned())]);
        assert_eq!(parsed(&["sts", "db"]), [("StatefulSet".to_owned(), "db".to_owned())]);
    }

    #[test]
    fn forms_that_it_refuses() {
        for arguments in [&["pod", "pod/web"][..], &["svc/web"], &["pod/"], &["a/b/c"]] {
            let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
            assert!(parse(&arguments).is_err(), "{arguments:?}");
        }
    }
}
