//! The pods that a question is about: a pod, an owner such as `deploy/web`, a group such as
//! `podgroup/train`, or every pending pod; and how people write them.

mod resource;

use crate::error::{AnswerError, CommandHint, Hint};
use crate::notes;
use crate::similar::{SUGGESTED, did_you_mean, misspelt_name, similar_names};
use engine::cluster::gang_workload::parts;
use engine::cluster::notes::LEFT_OUT;
use engine::cluster::pod::OwnerRef;
use engine::cluster::selector::Selector;
use engine::cluster::{AnyGroup, Cluster, CompositeIx, Pod, PodIx};
use engine::groups::made;
use engine::notes::Subject;
use engine::snapshot::Kind;
use resource::{RESOURCES, TYPES, is_without_pods};
pub use resource::{Resource, find_resource, resources};

/// A pod, or an owner of pods, by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// `Pod`, or the kind of an owner.
    pub kind: &'static str,
    pub name: String,
    /// The namespace, if it is named with the pod, as in `NAMESPACE/POD`.
    pub namespace: Option<String>,
}

impl Target {
    fn new(kind: &'static str, name: &str) -> Self {
        Self { kind, name: name.to_owned(), namespace: None }
    }

    /// Whether it is a PodGroup, a CompositePodGroup or a Workload.
    pub fn is_group(&self) -> bool {
        ["PodGroup", "Workload"].contains(&self.kind) || self.is_composite()
    }

    pub fn is_composite(&self) -> bool {
        self.kind == Kind::CompositePodGroup.name()
    }
}

/// The pods that a question is about if no target is named.
#[derive(Debug, Clone, Copy)]
pub struct PodFilter<'a> {
    /// The namespace, which also applies to targets.
    pub namespace: &'a str,
    /// Selects pods of every namespace, whatever `namespace` is.
    pub all_namespaces: bool,
    /// The labels that a pod has to have.
    pub selector: &'a Selector,
}

impl PodFilter<'_> {
    fn selects(self, pod: &Pod, cluster: &Cluster) -> bool {
        (self.all_namespaces || cluster.text(pod.namespace) == self.namespace)
            && self.selector.matches(cluster.labels(pod.labels))
    }

    /// That no pod waits for a node, if none of these does.
    pub fn nothing_waits(self) -> String {
        let place = if self.all_namespaces {
            "any namespace".to_owned()
        } else {
            format!("{} namespace", self.namespace)
        };
        let which = if self.selector.is_everything() { "" } else { " with these labels" };
        format!("No pods{which} wait for a node in {place}.")
    }
}

/// Parses the arguments like kubectl: `TYPE/NAME …`, `TYPE NAME …`, or pod names; also
/// `NAMESPACE/POD`.
///
/// # Errors
/// [`AnswerError::Usage`] for an unknown type, or both forms at once.
pub fn parse(arguments: &[String]) -> Result<Vec<Target>, AnswerError> {
    if arguments.iter().any(|a| a.contains('/')) {
        if !arguments.iter().all(|a| a.contains('/')) {
            return Err(AnswerError::usage(
                "there is no need to specify a resource type as a separate argument when passing arguments in \
                 resource/name form (e.g. 'pod/NAME' instead of 'pod pod/NAME')",
            ));
        }
        return arguments.iter().map(|a| parse_pair(a)).collect();
    }
    match arguments {
        [kind, names @ ..] if !names.is_empty() && find_resource(kind).is_some() => {
            let kind = find_resource(kind).map_or("Pod", |resource| resource.kind);
            Ok(names.iter().map(|name| Target::new(kind, name)).collect())
        }
        names => Ok(names.iter().map(|name| Target::new("Pod", name)).collect()),
    }
}

fn parse_pair(argument: &str) -> Result<Target, AnswerError> {
    let (kind, name) = argument.split_once('/').unwrap_or(("", argument));
    let resource = find_resource(kind);
    // A part of a Workload is podgroup/WORKLOAD/GROUP, or podgroup/WORKLOAD/GROUP/KEY.
    let parts = if resource.is_some_and(|resource| resource.kind == "PodGroup") { 3 } else { 1 };
    let is_name = name.split('/').all(|part| !part.is_empty()) && name.split('/').count() <= parts;
    if kind.is_empty() || !is_name {
        return Err(AnswerError::usage_hint(
            format!(
                "arguments in resource/name form must have a single resource and name: `{argument}`"
            ),
            "write it as TYPE/NAME or NAMESPACE/POD",
        ));
    }
    if let Some(resource) = resource {
        return Ok(Target::new(resource.kind, name));
    }
    if is_namespace(kind) {
        return Ok(Target { namespace: Some(kind.to_owned()), ..Target::new("Pod", name) });
    }
    Err(without_pods(kind, name))
}

/// The error for a type that has no pods.
fn without_pods(kind: &str, name: &str) -> AnswerError {
    let problem = format!("the resource type `{kind}` has no pods");
    if ["no", "node", "nodes"].contains(&kind) {
        let hint = CommandHint::new(&["node", name], "shows whether it can be drained");
        return AnswerError::usage_hint(problem, vec![hint]);
    }
    AnswerError::usage_hint(problem, format!("use {TYPES}, or NAMESPACE/POD"))
}

/// Rejects names together with `-A`.
///
/// # Errors
/// [`AnswerError::Usage`] if there are both.
pub fn check_all_namespaces(targets: &[Target], all_namespaces: bool) -> Result<(), AnswerError> {
    if all_namespaces && !targets.is_empty() {
        return Err(AnswerError::usage(
            "a pod cannot be named together with --all-namespaces; -n names its namespace",
        ));
    }
    Ok(())
}

/// Rejects pods with a namespace other than that of `-n`.
///
/// # Errors
/// [`AnswerError::Usage`] names the first of them.
pub fn check_namespace(targets: &[Target], namespace: &str) -> Result<(), AnswerError> {
    let mut named = targets.iter().filter_map(|target| Some((target, target.namespace.as_ref()?)));
    let Some((Target { name, .. }, named)) = named.find(|(_, named)| *named != namespace) else {
        return Ok(());
    };
    if is_without_pods(named) {
        return Err(without_pods(named, name));
    }
    let hint = similar_type(named).map_or_else(
        || "leave one of them out".to_owned(),
        |kind| format!("did you mean {kind}/{name}?"),
    );
    Err(AnswerError::usage_hint(
        format!("{named}/{name} is in namespace {named}, and -n names {namespace}"),
        hint,
    ))
}

/// The type that a misspelt one resembles.
fn similar_type(typed: &str) -> Option<&'static str> {
    let names = RESOURCES.iter().flat_map(|resource| [resource.singular, resource.plural]);
    misspelt_name(typed, names)
}

/// Whether this is a valid name of a namespace, a DNS label, and so not the group of a resource
/// type.
fn is_namespace(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// Whether Jobs must be read to find the pods of `targets`, or why there are none. The decision
/// itself does not use them.
pub fn needs_jobs(targets: &[Target]) -> bool {
    targets.iter().any(|t| ["CronJob", "Job", "JobSet"].contains(&t.kind))
}

/// Whether a target is a PodGroup, a CompositePodGroup or a Workload, which the scheduler may
/// schedule as a whole.
pub fn name_groups(targets: &[Target]) -> bool {
    targets.iter().any(Target::is_group)
}

/// All pods of a target: the named pod, or those of the owner or group.
///
/// # Errors
/// [`AnswerError::NotFound`] for a target that is not in the cluster.
pub fn all(target: &Target, namespace: &str, cluster: &Cluster) -> Result<Vec<PodIx>, AnswerError> {
    let namespace = target.namespace.as_deref().unwrap_or(namespace);
    let found: Vec<PodIx> = match target.kind {
        "Pod" => cluster.find_pod(namespace, &target.name).into_iter().collect(),
        _ if target.is_group() => {
            let groups =
                [false, true].map(|by_parts| groups(target, namespace, cluster, by_parts)).concat();
            cluster
                .pod_indices()
                .filter(|ix| is_member(cluster.pod(*ix), &groups, namespace, cluster))
                .collect()
        }
        _ => cluster
            .pod_indices()
            .filter(|ix| is_owned(cluster.pod(*ix), target, namespace, cluster))
            .collect(),
    };
    if found.is_empty() { Err(not_found(target, namespace, cluster)) } else { Ok(found) }
}

/// The pods of a target: the named pod, or the owner's pending pods (all of its pods if none is
/// pending).
///
/// # Errors
/// [`AnswerError::NotFound`] in kubectl's words; its hint suggests another name or namespace.
pub fn find(
    target: &Target,
    namespace: &str,
    cluster: &Cluster,
) -> Result<Vec<PodIx>, AnswerError> {
    let owned = all(target, namespace, cluster)?;
    let waiting: Vec<PodIx> =
        owned.iter().copied().filter(|ix| cluster.pod(*ix).is_waiting()).collect();
    Ok(if waiting.is_empty() { owned } else { waiting })
}

/// The pods of `targets`, in order; without targets, the pending pods that `filter` selects.
/// `cluster` may have changed since it was read, as in `simulate`.
///
/// # Errors
/// [`AnswerError::NotFound`] for a target that is not in the cluster.
pub fn choose(
    targets: &[Target],
    filter: PodFilter<'_>,
    cluster: &Cluster,
) -> Result<Vec<PodIx>, AnswerError> {
    let mut pods: Vec<PodIx> = Vec::new();
    for target in targets {
        pods.extend(find(target, filter.namespace, cluster)?);
    }
    if targets.is_empty() {
        pods = waiting(filter, cluster);
    }
    pods.sort_unstable();
    pods.dedup();
    Ok(pods)
}

/// The pending pods that `filter` selects.
pub fn waiting(filter: PodFilter<'_>, cluster: &Cluster) -> Vec<PodIx> {
    let waiting = cluster.pod_indices().filter(|ix| cluster.pod(*ix).is_waiting());
    waiting.filter(|ix| filter.selects(cluster.pod(*ix), cluster)).collect()
}

/// The bound pods that `filter` selects.
pub fn running(filter: PodFilter<'_>, cluster: &Cluster) -> Vec<PodIx> {
    let running = cluster.pod_indices().filter(|ix| cluster.pod(*ix).is_running());
    running.filter(|ix| filter.selects(cluster.pod(*ix), cluster)).collect()
}

/// The names of the groups of a target: the PodGroup, those in the tree of the CompositePodGroup,
/// or those of the Workload. They are PodGroups, or parts of Workloads if `by_parts`, as in 1.35.
pub fn groups<'c>(
    target: &'c Target,
    namespace: &str,
    cluster: &'c Cluster,
    by_parts: bool,
) -> Vec<&'c str> {
    if target.kind == Kind::Workload.name() {
        return made::groups_of(cluster, namespace, &target.name, by_parts);
    }
    if target.is_composite() {
        let found = cluster.find_composite_group(namespace, &target.name);
        return found.map_or_else(Vec::new, |composite| groups_of_tree(composite, cluster));
    }
    if parts(&target.name).is_some() == by_parts { vec![&target.name] } else { Vec::new() }
}

/// The names of the pod groups in the tree of a CompositePodGroup, in the order in which they are
/// tried.
fn groups_of_tree(composite: CompositeIx, cluster: &Cluster) -> Vec<&str> {
    let root =
        cluster.ancestors(AnyGroup::Groups(composite)).known.last().copied().unwrap_or(composite);
    let of_pods = cluster.groups_below(root).into_iter().filter_map(|group| match group {
        AnyGroup::Pods(ix) => Some(cluster.text(cluster.pod_group(ix).name)),
        AnyGroup::Groups(_) => None,
    });
    of_pods.collect()
}

fn is_member(pod: &Pod, groups: &[&str], namespace: &str, cluster: &Cluster) -> bool {
    let group = cluster.text(cluster.template(pod).group);
    !group.is_empty() && groups.contains(&group) && cluster.text(pod.namespace) == namespace
}

fn is_owned(pod: &Pod, target: &Target, namespace: &str, cluster: &Cluster) -> bool {
    if cluster.text(pod.namespace) != namespace {
        return false;
    }
    let Some(OwnerRef { kind, name, .. }) = pod.controller else { return false };
    if cluster.text(kind) == target.kind {
        return cluster.text(name) == target.name;
    }
    let owner = cluster
        .owners
        .iter()
        .find(|o| o.name == name && o.namespace == pod.namespace && o.is(kind, cluster));
    if let Some(OwnerRef { kind, name, .. }) = owner.and_then(|o| o.controller) {
        return cluster.text(kind) == target.kind && cluster.text(name) == target.name;
    }
    // The input may lack the owner in between: a Deployment names its ReplicaSets NAME-HASH (of the
    // pod template), a CronJob its Jobs NAME-TIME.
    let between = match target.kind {
        "Deployment" => "ReplicaSet",
        "CronJob" => "Job",
        _ => return false,
    };
    let rest =
        cluster.text(name).strip_prefix(&target.name).and_then(|rest| rest.strip_prefix('-'));
    owner.is_none()
        && cluster.text(kind) == between
        && rest.is_some_and(|rest| !rest.is_empty() && !rest.contains('-'))
}

/// The error for a target that is not in the cluster.
pub fn not_found(target: &Target, namespace: &str, cluster: &Cluster) -> AnswerError {
    let resource = RESOURCES.iter().find(|resource| resource.kind == target.kind);
    if let Some(resource) = resource.filter(|_| exists(target, namespace, cluster)) {
        let object = format!("{}/{}", resource.singular, target.name);
        let hint = CommandHint::new(&["explain", &object, "-n", namespace], "says why");
        let problem = format!("{} {namespace}/{} has no pods", target.kind, target.name);
        return AnswerError::usage_hint(problem, vec![hint]);
    }
    // What looks like a namespace may be a type that the pods of the input have no namespace for.
    if let Some(kind) = target.namespace.as_deref()
        && is_without_pods(kind)
        && !has_pods(kind, cluster)
    {
        return without_pods(kind, &target.name);
    }
    let resource = resource.map_or_else(|| "pods".to_owned(), Resource::full_name);
    AnswerError::NotFound {
        resource,
        name: target.name.clone(),
        hint: Some(suggestion(target, namespace, cluster)),
    }
}

/// Whether a workload is in the input, or something that it has made.
fn exists(target: &Target, namespace: &str, cluster: &Cluster) -> bool {
    let is_named = cluster.pod_controller(target.kind, namespace, &target.name).is_some();
    is_named
        || cluster.pod_controllers.iter().any(|one| {
            cluster.text(one.namespace) == namespace
                && one.controller.is_some_and(|by| {
                    cluster.text(by.kind) == target.kind && cluster.text(by.name) == target.name
                })
        })
}

fn suggestion(target: &Target, namespace: &str, cluster: &Cluster) -> Hint {
    let name = &target.name;
    let absent = match target.kind {
        "Pod" => return suggestion_for_pod(target, namespace, cluster),
        "PodGroup" => format!("PodGroup {name}, and no pod that names it"),
        "CompositePodGroup" => format!("CompositePodGroup {name} with groups of pods"),
        "Workload" => format!("Workload {name}, and no PodGroup or pod that names it"),
        kind => format!("pod owned by {kind} {name}"),
    };
    let unread = cluster.header.programs.iter().flat_map(|all| &all.unread_controllers);
    let resource = RESOURCES.iter().find(|resource| resource.kind == target.kind);
    for unread in unread {
        if resource.is_some_and(|resource| resource.full_name() == unread.resource) {
            let (what, reason) = (&unread.resource, &unread.reason);
            return format!(
                "namespace {namespace} has no {absent}; {what} could not be read: {reason}"
            )
            .into();
        }
    }
    format!("namespace {namespace} has no {absent}").into()
}

fn suggestion_for_pod(target: &Target, namespace: &str, cluster: &Cluster) -> Hint {
    let name = &target.name;
    // What was typed may mean something else; if not, the pod may be there and not be read.
    if let Some(other) = meant_instead(target, cluster) {
        return other.into();
    }
    let written = if namespace == "default" { ["", "default"] } else { [namespace; 2] };
    let pod = written.map(|namespace| Subject::object(Kind::Pod, namespace, name));
    let left_out = cluster.notes.iter().filter(|note| note.doc == &LEFT_OUT);
    if let Some(note) =
        left_out.into_iter().find(|note| pod.iter().any(|pod| note.objects.contains(pod)))
    {
        return format!("the input has it, but it was {}", note.text).into();
    }
    if let Some(note) = cluster.notes_on_lists().next() {
        return format!("it may be one that could not be read: {}", notes::sentence(note)).into();
    }

    // A wrong namespace is likelier than a wrong name.
    let elsewhere =
        cluster.pods.iter().find(|p| *p.name == **name).map(|p| cluster.text(p.namespace));
    if let Some(other) = elsewhere {
        return format!("there is a pod {name} in namespace {other}: add -n {other}").into();
    }
    if let Some(hint) = did_you_mean(&similar(name, cluster)) {
        return hint.into();
    }
    // An owner may have been named without its type.
    for resource in &RESOURCES {
        let owner = Target { kind: resource.kind, ..target.clone() };
        if owner.is_group() || owner.kind == "Pod" {
            continue;
        }
        if cluster.pods.iter().any(|pod| is_owned(pod, &owner, namespace, cluster)) {
            return format!("did you mean {}/{name}?", resource.singular).into();
        }
    }
    let named_namespace = target.namespace.as_deref();
    if named_namespace.is_some_and(|named| !has_pods(named, cluster)) {
        return format!(
            "there is no namespace {namespace} with pods here; types of owners are {TYPES}"
        )
        .into();
    }
    if !has_pods(namespace, cluster) {
        return format!("namespace {namespace} has no pods here; -n names another").into();
    }
    vec![
        CommandHint::new(&["pending", "-n", namespace], "lists pending pods"),
        CommandHint::new(&["why-evicted", name, "-n", namespace], "says if it was evicted"),
    ]
    .into()
}

/// The hint if the argument is not a pod but a type, a misspelt type, or a pod followed by its
/// namespace.
fn meant_instead(Target { name, namespace, .. }: &Target, cluster: &Cluster) -> Option<String> {
    let Some(namespace) = namespace else {
        find_resource(name)?;
        return Some(format!(
            "{name} is a type: write {name}/NAME, or leave it out for all pending pods"
        ));
    };
    if cluster.find_pod(name, namespace).is_some() {
        return Some(format!("did you mean {name}/{namespace}?"));
    }
    let kind = similar_type(namespace).filter(|_| !has_pods(namespace, cluster))?;
    Some(format!("did you mean {kind}/{name}?"))
}

fn has_pods(namespace: &str, cluster: &Cluster) -> bool {
    cluster.pods.iter().any(|pod| cluster.text(pod.namespace) == namespace)
}

/// Pending pods of all namespaces with similar names as `NAMESPACE/NAME`, the most similar first.
fn similar(name: &str, cluster: &Cluster) -> Vec<String> {
    let waiting = || cluster.pod_indices().filter(|ix| cluster.pod(*ix).is_waiting());
    // A pattern is not matched, but says how the names begin.
    let typed = name.trim_end_matches(['*', '-']);
    let names = similar_names(typed, waiting().map(|ix| &*cluster.pod(ix).name));
    let pods =
        names.iter().flat_map(|name| waiting().filter(|ix| *cluster.pod(*ix).name == **name));
    pods.take(SUGGESTED).map(|ix| cluster.pod_name(ix)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Target, parse};

    fn parsed(arguments: &[&str]) -> Vec<(String, String)> {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        parse(&arguments)
            .unwrap()
            .into_iter()
            .map(|Target { kind, name, .. }| (kind.to_owned(), name))
            .collect()
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
        assert_eq!(parsed(&["Jobs.batch/a"]), [("Job".to_owned(), "a".to_owned())]);
    }

    #[test]
    fn a_pod_as_it_is_printed() {
        let arguments = ["shop/web-1".to_owned()];
        let named = Target { namespace: Some("shop".to_owned()), ..Target::new("Pod", "web-1") };
        assert_eq!(parse(&arguments).unwrap(), [named]);
    }

    #[test]
    fn invalid_forms_are_rejected() {
        for arguments in [
            &["pod", "pod/web"][..],
            &["Svc/web"],
            &["jobs.apps/a"],
            &["/web"],
            &["pod/"],
            &["a/b/c"],
        ] {
            let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
            assert!(parse(&arguments).is_err(), "{arguments:?}");
        }
    }
}
