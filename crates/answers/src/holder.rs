//! Which program holds a pod that kube-scheduler does not schedule, in words. The reasons are the
//! program's own, so they are quoted and cut.

use engine::cluster::{Cluster, PodIx};
use engine::decision::handlers::{Handler, HeldBy, PodHandler};
use engine::decision::{Decision, Outcome, QueueGate};

use crate::holder_words::{HolderLine, HolderWords};
use crate::pod_report::PodReport;
use crate::{not_running, words};

/// Maximum number of characters of a reason or a name in the first line.
const SHORT: usize = 48;
/// The most gates of a pod that are named.
const GATES: usize = 4;
/// The most characters of a message.
const MESSAGE: usize = 300;

/// `waits for Kueue: WaitingForQuota (ClusterQueue team-a)`; `None` if no known program holds the
/// pod.
pub fn clause(decision: &Decision) -> Option<String> {
    let holder = decision.holder().filter(|holder| holder.by != HeldBy::Quota)?;
    holder.handler?;
    let cluster = decision.view.cluster;
    // Without a reason from its program, only the pod's gates are known.
    let gates = gates(decision.pod, cluster);
    if !gates.is_empty() && holder.reason.is_unknown() {
        let (name, place) = (short(holder.name(decision.pod, cluster)), place(&holder));
        let why = if holder.is_unread() {
            "its reason is not in the input: see the note"
        } else {
            "it gives no reason"
        };
        return Some(format!("waits for {name}{place}, {}; {why}", short(&gates)));
    }
    Some(held(&holder, decision.pod, cluster))
}

/// The scheduling gates of a pod: `gate a`, `gates a and b`; empty without one.
fn gates(pod: PodIx, cluster: &Cluster) -> String {
    let gates = &cluster.template(cluster.pod(pod)).gates;
    let names: Vec<&str> = gates.iter().map(|gate| cluster.text(*gate)).collect();
    match names.as_slice() {
        [] => String::new(),
        [only] => format!("gate {only}"),
        several => format!("gates {}", crate::words::list(several, GATES)),
    }
}

/// What the pod waits in or with, in brackets after a space; empty if that is not known.
fn place(holder: &PodHandler) -> String {
    match short(&holder.reason.place) {
        place if place.is_empty() => place,
        place => format!(" ({place})"),
    }
}

/// The same about any holder.
pub fn held(holder: &PodHandler, pod: PodIx, cluster: &Cluster) -> String {
    let name = short(holder.name(pod, cluster));
    let (word, place) = (short(&holder.reason.word), place(holder));
    let unlooked = match holder.reason.autoscalers_look {
        Some(false) => "; no autoscaler looks at it",
        Some(true) | None => "",
    };
    if !word.is_empty() {
        return format!("waits for {name}: {word}{place}{unlooked}");
    }
    if holder.is_unread() {
        return format!("waits for {name}{place}; its reason is not in the input: see the note");
    }
    format!("waits for {name}{place}, which gives no reason")
}

/// What the program says, if it is known here or says anything; of a pod that has a node, what keeps
/// it from running.
pub fn words(report: &PodReport) -> Option<HolderWords> {
    let mut found = words_of(report)?;
    let flags = words::arguments(&report.flags.command(&[]));
    for line in &mut found.lines {
        if let HolderLine::Command(command) = line
            && !flags.is_empty()
        {
            *command = format!("{command} {flags}");
        }
    }
    Some(found)
}

fn words_of(decision: &Decision) -> Option<HolderWords> {
    let Some(holder) = decision.holder() else {
        return not_running::words(decision.view, decision.pod, decision.now)
            .or_else(|| of_unknown_gates(decision));
    };
    let cluster = decision.view.cluster;
    let mut lines: Vec<HolderLine> = Vec::new();
    if !holder.reason.message.is_empty() {
        lines.push(HolderLine::Text(format!(
            "\"{}\"",
            words::beginning(&holder.reason.message, MESSAGE)
        )));
    }
    for fact in &holder.reason.facts {
        lines.push(HolderLine::Text(words::beginning(fact, MESSAGE)));
    }
    let objects: Vec<String> = holder.reason.objects.iter().map(ToString::to_string).collect();
    if !objects.is_empty() {
        lines.push(HolderLine::Text(format!("Said by {}", crate::words::list(&objects, 3))));
    }
    lines.extend(besides(&holder, decision));
    let name = holder.name(decision.pod, cluster);
    let head = match holder.by {
        HeldBy::Quota => held(&holder, decision.pod, cluster),
        HeldBy::SchedulerName if holder.handler.is_none() && holder.reason.is_unknown() => {
            format!("{} decides about it", short(name))
        }
        HeldBy::Gates | HeldBy::SchedulerName => format!("{} says", short(name)),
    };
    (!lines.is_empty()).then_some(HolderWords { head, lines })
}

/// What is said of gates that no program known here sets: who removes them, and what comes then.
fn of_unknown_gates(decision: &Decision) -> Option<HolderWords> {
    if !matches!(decision.outcome, Outcome::NotInQueue(QueueGate::Gated)) {
        return None;
    }
    let gates = words::beginning(&gates(decision.pod, decision.view.cluster), MESSAGE);
    let is_one =
        decision.view.cluster.template(decision.view.cluster.pod(decision.pod)).gates.len() == 1;
    let (head, them) = if is_one {
        (format!("The controller that set {gates} has to remove it"), "it is")
    } else {
        (format!("The controllers that set {gates} have to remove them"), "they are")
    };
    let told = format!("What kube-scheduler would do once {them} removed:");
    let lines = vec![HolderLine::Text(told), as_if_preempting(decision)];
    Some(HolderWords { head, lines })
}

/// The command that asks what kube-scheduler would do with a pod that it does not see yet.
fn as_if_preempting(decision: &Decision) -> HolderLine {
    let cluster = decision.view.cluster;
    let pod = cluster.pod(decision.pod);
    let namespace = cluster.text(pod.namespace);
    let arguments = ["simulate", &*pod.name, "-n", namespace, "--as-if-preempting"];
    HolderLine::Command(words::arguments(&arguments.map(str::to_owned)))
}

/// Further remarks about this program.
fn besides(holder: &PodHandler, decision: &Decision) -> Vec<HolderLine> {
    let cluster = decision.view.cluster;
    let pod = cluster.pod(decision.pod);
    let mut lines = match (holder.handler, holder.by) {
        // Gates end when the program admits the pod: what comes then can be asked now.
        (Some(_), HeldBy::Gates) => {
            let are = if cluster.template(pod).gates.len() == 1 { "is" } else { "are" };
            let gates = words::beginning(&gates(decision.pod, cluster), MESSAGE);
            let told = format!(
                "kube-scheduler ignores it until {gates} {are} removed; what it would do then:"
            );
            vec![HolderLine::Text(told), as_if_preempting(decision)]
        }
        (Some(Handler::Koordinator), HeldBy::Quota) => {
            vec![HolderLine::Text(
                "The answer above is kube-scheduler's, without Koordinator's plugins".to_owned(),
            )]
        }
        (Some(Handler::Koordinator), _) => {
            let told = "koord-scheduler is kube-scheduler with more plugins: --scheduler-config with that \
                        profile shows its filters without them";
            vec![HolderLine::Text(told.to_owned())]
        }
        (Some(handler), HeldBy::Quota) => {
            let name = handler.name();
            vec![HolderLine::Text(format!(
                "The answer above is kube-scheduler's, without the plugin {name}"
            ))]
        }
        (Some(Handler::Fargate), _) => {
            vec![HolderLine::Text("EKS Fargate makes a node of its own for the pod".to_owned())]
        }
        (Some(handler), _) => {
            let name = handler.name();
            vec![HolderLine::Text(format!(
                "{name} preempts by rules of its own, so no victims are shown"
            ))]
        }
        (None, _) => Vec::new(),
    };
    if holder.by == HeldBy::SchedulerName {
        lines.push(HolderLine::Text("What kube-scheduler would do with it:".to_owned()));
        lines.push(as_if_preempting(decision));
    }
    lines
}

fn short(text: &str) -> String {
    words::beginning(text, SHORT)
}
