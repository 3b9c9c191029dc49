//! A decision as the values of a row: what is decided about the pod and about each node, by names
//! and codes. The sentences of pages, ages, and what repeats the input are no part of it, so a row
//! changes when a decision does, and not when a sentence does.
//!
//! A row of several schedulers has the first decision in full, and of the others what differs. A
//! scenario proves all of a decision (`of_decision`), a row of the history the outcome for the pod
//! (`in_brief`).

mod yaml;

use json::decision::{Decision, Node, Waiting};
use json::evidence::Evidence;
use json::preemption::{DryRun, Preemption, Victim};
use serde::Serialize;
use serde_json::{Map, Value, json};

pub use yaml::written;

/// The fields of a value, without those that say nothing.
#[derive(Default)]
struct Fields(Map<String, Value>);

impl Fields {
    /// Adds a field, unless it is null, empty or false.
    fn add(&mut self, name: &str, value: impl Serialize) {
        let value = pruned(serde_json::to_value(value).unwrap());
        if !is_nothing(&value) {
            self.0.insert(name.to_owned(), value);
        }
    }
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) | Value::Number(_) => false,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

/// The value without fields that say nothing, at any depth.
fn pruned(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(name, value)| (name, pruned(value)));
            fields.filter(|(_, value)| !is_nothing(value)).collect()
        }
        Value::Array(items) => items.into_iter().map(pruned).collect(),
        other => other,
    }
}

/// What a decision about a pod says.
pub fn of_decision(decision: &Decision) -> Value {
    let mut fields = Fields::default();
    fields.add("outcome", &decision.outcome);
    fields.add("why", &decision.why);
    fields.add("hold", &decision.hold);
    fields.add("holder", &decision.holder);
    fields.add("permit", &decision.permit);
    if let Some(error) = &decision.error {
        // What a crash does is a sentence of ours, and not kube-scheduler's.
        let text = if error.kind == "Crash" { "" } else { &error.text };
        fields.add("error", json!({"kind": error.kind, "text": text}));
    }
    fields.add("message", &decision.message);
    if decision.condition_message != decision.message {
        fields.add("conditionMessage", &decision.condition_message);
    }
    fields.add("otherConditionMessages", &decision.other_condition_messages);
    if let Some(rejection) = &decision.pre_filter {
        let mut of = Fields::default();
        of.add("plugin", &rejection.plugin);
        of.add("code", &rejection.code);
        add_reasons(&mut of, &rejection.reasons, &rejection.reason_codes, &rejection.evidence);
        fields.add("preFilter", of.0);
    }
    fields.add("nodes", nodes(decision));
    fields.add("nearest", &decision.nearest);
    if let Some(preemption) = &decision.preemption {
        add_preemption(&mut fields, preemption);
        if preemption.winners != decision.selected.nodes {
            fields.add("winners", &preemption.winners);
        }
    }
    add_selected(&mut fields, decision);
    fields.add("nomination", &decision.nomination);
    if let Some(waiting) = &decision.waiting {
        add_waiting(&mut fields, waiting);
    }
    add_remedies(&mut fields, decision);
    let notes = decision
        .notes
        .iter()
        .map(|note| format!("{} {} {}", note.severity, note.code, note.objects.join(", ")));
    fields.add("notes", notes.collect::<Vec<_>>());
    Value::Object(fields.0)
}

/// What any other answer says, without what repeats the input and without the sentences of notes.
pub fn of_answer(mut answer: Value) -> Value {
    for item in answer.get_mut("items").and_then(Value::as_array_mut).into_iter().flatten() {
        *item = of_answer(item.take());
    }
    let Some(fields) = answer.as_object_mut() else { return answer };
    for repeated in ["apiVersion", "decidedAt", "scheduler", "source"] {
        fields.remove(repeated);
    }
    if let Some(notes) = fields.get_mut("notes").and_then(Value::as_array_mut) {
        for note in notes {
            let objects = note["objects"].as_array().into_iter().flatten();
            let objects: Vec<&str> = objects.filter_map(Value::as_str).collect();
            let text = |field: &str| note[field].as_str().unwrap_or_default();
            *note = json!(format!("{} {} {}", text("severity"), text("code"), objects.join(", ")));
        }
    }
    pruned(answer)
}

/// Each reason behind its code, if it has one, and the operands.
fn add_reasons<C: AsRef<str>>(
    fields: &mut Fields,
    reasons: &[String],
    codes: &[Option<C>],
    evidence: &[Evidence],
) {
    let coded = reasons.iter().enumerate().map(|(at, reason)| match codes.get(at) {
        Some(Some(code)) => format!("{} {reason}", code.as_ref()),
        _ => reason.clone(),
    });
    fields.add("reasons", coded.collect::<Vec<_>>());
    fields.add("evidence", evidence);
}

/// What is decided about each node: by the filters, by the scores, and by the dry run. A node about
/// which there is only one word is that word.
fn nodes(decision: &Decision) -> Map<String, Value> {
    let mut nodes: Map<String, Value> = Map::new();
    for node in &decision.nodes {
        let dry_runs = decision.preemption.iter().flat_map(|preemption| &preemption.nodes);
        let dry_run = dry_runs.into_iter().find(|dry_run| dry_run.name == node.name);
        let mut fields = of_node(node);
        if let Some(dry_run) = dry_run {
            fields.add("preemption", of_dry_run(dry_run, node));
        }
        let only_verdict = fields.0.len() == 1 && fields.0.contains_key("verdict");
        let value = if only_verdict { json!(node.verdict) } else { Value::Object(fields.0) };
        nodes.insert(node.name.clone(), value);
    }
    nodes
}

fn of_node(node: &Node) -> Fields {
    let mut fields = Fields::default();
    // A plugin with a code is what a filtered node has: only another verdict is named.
    if node.plugin.is_none() || node.verdict != "Filtered" {
        fields.add("verdict", &node.verdict);
    }
    if node.stage.as_deref() != Some("Filter") {
        fields.add("stage", &node.stage);
    }
    fields.add("plugin", &node.plugin);
    fields.add("code", &node.code);
    let reasons = node.reasons.as_deref().unwrap_or_default();
    add_reasons(&mut fields, reasons, &node.reason_codes, &node.evidence);
    let mut also = Map::new();
    for other in node.also_refused_by.iter().flatten() {
        let mut of = Fields::default();
        of.add("code", &other.code);
        add_reasons(&mut of, &other.reasons, &other.reason_codes, &other.evidence);
        also.insert(other.plugin.to_string(), Value::Object(of.0));
    }
    fields.add("alsoRefusedBy", also);
    fields.add("nominatedPods", &node.nominated_pods);
    fields.add("room", &node.room);
    fields.add("score", node.score);
    fields.add("scores", scores(node));
    fields
}

/// Of each plugin the raw and the normalized score, and the weight.
fn scores(node: &Node) -> Map<String, Value> {
    let details = node.score_details.iter().flatten().map(|(plugin, score)| {
        assert_eq!(score.weighted, score.normalized * score.weight, "{plugin} on {}", node.name);
        (plugin.to_string(), json!([score.raw, score.normalized, score.weight]))
    });
    details.collect()
}

/// What preemption does on a node, or why it does nothing there.
fn of_dry_run(dry_run: &DryRun, node: &Node) -> Value {
    let mut fields = Fields::default();
    match &*dry_run.verdict {
        "Candidate" => {
            let victims = dry_run.victims.iter().flatten();
            fields
                .add("victims", victims.map(|victim| of_victim(victim, node)).collect::<Vec<_>>());
            fields.add("numPDBViolations", dry_run.num_pdb_violations.filter(|number| *number > 0));
            let spared = dry_run.spared.iter().flatten().map(|spared| {
                let violates = if spared.violates_pdb { " violates a PDB" } else { "" };
                format!("{}/{}{violates}", spared.namespace, spared.name)
            });
            fields.add("spared", spared.collect::<Vec<_>>());
            if dry_run.reprieve_order.len() > 1 {
                fields.add("reprieveOrder", &dry_run.reprieve_order);
            }
        }
        "NotHelpful" => return json!("NotHelpful"),
        other => {
            fields.add("verdict", other);
            fields.add("plugin", &dry_run.plugin);
            add_reasons(&mut fields, &dry_run.reasons, &dry_run.reason_codes, &dry_run.evidence);
            fields.add("equalPriorityPods", dry_run.equal_priority_pods.filter(|pods| *pods > 0));
        }
    }
    Value::Object(fields.0)
}

/// A victim by its name, with what the decision says of it beyond that: the budgets that it
/// violates, and why it cannot stay, unless that is why the node rejects the pod as it is.
fn of_victim(victim: &Victim, node: &Node) -> Value {
    let name = format!("{}/{}", victim.namespace, victim.name);
    let mut fields = Fields::default();
    fields.add("violates", &victim.pdb_violations);
    fields.add("terminating", victim.terminating);
    match &victim.blocks {
        Some(blocks)
            if node.plugin.as_deref() == Some(&*blocks.plugin)
                && node.reasons.as_deref() == Some(&blocks.reasons)
                && node.evidence == blocks.evidence => {}
        Some(blocks) => {
            let mut of = Fields::default();
            of.add("plugin", &blocks.plugin);
            add_reasons(&mut of, &blocks.reasons, &blocks.reason_codes, &blocks.evidence);
            fields.add("blocks", of.0);
        }
        None => fields.add("blocks", "unknown"),
    }
    if fields.0.is_empty() {
        return json!(name);
    }
    fields.add("pod", name);
    Value::Object(fields.0)
}

fn add_preemption(fields: &mut Fields, preemption: &Preemption) {
    fields.add("ineligible", &preemption.ineligible_reason);
    fields.add("preemptionOff", &preemption.off);
    fields.add("awaits", &preemption.awaits);
    fields.add("terminating", &preemption.terminating);
    fields.add("terminatingUntil", &preemption.terminating_until);
    fields.add("ladder", &preemption.ladder);
}

fn add_selected(fields: &mut Fields, decision: &Decision) {
    let selected = &decision.selected;
    fields.add("selected", &selected.nodes);
    fields.add("certainty", &selected.certainty);
    fields.add("possible", selected.possible);
    fields.add("sampleSize", selected.sample_size);
    let odds = selected.odds.iter().map(|odds| (odds.node.clone(), json!(odds.probability)));
    fields.add("odds", odds.collect::<Map<_, _>>());

    // One set that is the dry run's says nothing new.
    for sets in &selected.victims {
        let dry_runs = decision.preemption.iter().flat_map(|preemption| &preemption.nodes);
        let dry_run = dry_runs.into_iter().find(|dry_run| dry_run.name == sets.node);
        let victims = dry_run.and_then(|dry_run| dry_run.victims.as_ref());
        let names = victims.into_iter().flatten().map(|v| format!("{}/{}", v.namespace, v.name));
        if sets.open.is_none() && sets.sets == [names.collect::<Vec<_>>()] {
            continue;
        }
        let of_node = json!({"sets": sets.sets, "open": sets.open});
        fields.add(&format!("victimsOn {}", sets.node), of_node);
    }
}

/// When the pod is tried again; delays only where they are not those of most releases.
fn add_waiting(fields: &mut Fields, waiting: &Waiting) {
    let plugins = waiting.retried_on.iter().map(|retry| &*retry.plugin).collect::<Vec<_>>();
    fields.add("retriedOn", plugins);
    let backoff = [waiting.first_backoff_seconds, waiting.longest_backoff_seconds];
    if backoff != [1, 10] {
        fields.add("backoffSeconds", backoff);
    }
    match waiting.flush_seconds {
        Some(300) => {}
        Some(seconds) => fields.add("flushSeconds", seconds),
        None => fields.add("flushSeconds", "never"),
    }
}

fn add_remedies(fields: &mut Fields, decision: &Decision) {
    let mut remedies = Vec::new();
    for remedy in decision.remedies.iter().flatten() {
        let mut of = Fields::default();
        of.add("kind", &remedy.kind);
        of.add("edits", &remedy.edits);
        if remedy.outcome != "Schedulable" {
            of.add("outcome", &remedy.outcome);
        }
        of.add("nodes", &remedy.nodes);
        remedies.push(of.0);
    }
    let found = Some(remedies.len());
    fields.add("remedies", remedies);
    // Where each that was proposed was tried and helps, their number says nothing.
    if decision.remedies.is_some() && decision.remedies_tried != found {
        fields.add("remediesTried", decision.remedies_tried);
    }
    if decision.remedies_proposed != decision.remedies_tried {
        fields.add("remediesProposed", decision.remedies_proposed);
    }
}

/// The outcome for the pod: the verdict, each node's filter, victims and score, the messages, and
/// what makes it uncertain. Operands are left out, and so are remedies and delays.
pub fn in_brief(decision: &Decision) -> Value {
    let Value::Object(mut fields) = of_decision(decision) else { return Value::Null };
    let details = [
        "why",
        "nearest",
        "ladder",
        "remedies",
        "retriedOn",
        "backoffSeconds",
        "flushSeconds",
        "nodes",
    ];
    fields.retain(|name, _| !details.contains(&name.as_str()));
    let mut fields = Fields(fields);
    if let Some(rejection) = &decision.pre_filter {
        let by = format!("{} {}", rejection.plugin, rejection.code);
        fields.add("preFilter", json!({"by": by, "reasons": rejection.reasons}));
    }
    let nodes =
        decision.nodes.iter().map(|node| (node.name.clone(), node_in_brief(node, decision)));
    fields.add("nodes", nodes.collect::<Map<_, _>>());
    Value::Object(fields.0)
}

fn node_in_brief(node: &Node, decision: &Decision) -> Value {
    let mut fields = Fields::default();
    match (&node.plugin, &node.code) {
        (Some(plugin), Some(code)) => fields.add("by", format!("{plugin} {code}")),
        _ => fields.add("verdict", &node.verdict),
    }
    if node.stage.as_deref() != Some("Filter") {
        fields.add("stage", &node.stage);
    }
    fields.add("reasons", &node.reasons);
    fields.add("score", node.score);
    let dry_runs = decision.preemption.iter().flat_map(|preemption| &preemption.nodes);
    if let Some(dry_run) = dry_runs.into_iter().find(|dry_run| dry_run.name == node.name) {
        match &*dry_run.verdict {
            "Candidate" => {
                let victims = dry_run.victims.iter().flatten();
                let names = victims.map(|victim| format!("{}/{}", victim.namespace, victim.name));
                // Up to 1.21 there may be none.
                fields.0.insert("victims".to_owned(), names.collect::<Vec<_>>().into());
                let violations = dry_run.num_pdb_violations.filter(|number| *number > 0);
                fields.add("numPDBViolations", violations);
                let spared = dry_run.spared.iter().flatten();
                let names = spared.map(|spared| format!("{}/{}", spared.namespace, spared.name));
                fields.add("spared", names.collect::<Vec<_>>());
            }
            "NotHelpful" => {}
            _ => fields.add("noCandidate", &dry_run.reasons),
        }
    }
    let only_verdict = fields.0.len() == 1 && fields.0.contains_key("verdict");
    if only_verdict { json!(node.verdict) } else { Value::Object(fields.0) }
}

/// The scores that a decision has and another one has not, by node and plugin.
pub fn scores_unlike(decision: &Decision, other: &Decision) -> Value {
    let mut unlike = Fields::default();
    for node in &decision.nodes {
        let beside = other.nodes.iter().find(|of_other| of_other.name == node.name);
        let known = beside.map(scores).unwrap_or_default();
        let mut own = scores(node);
        own.retain(|plugin, score| known.get(plugin) != Some(score));
        unlike.add(&node.name, own);
    }
    Value::Object(unlike.0)
}

/// When the pod is tried again: upon events of which plugins, and after which delays. Where another
/// decision has the same, what differs are the events, and they are named.
pub fn waiting_unlike(decision: &Decision, other: &Decision) -> Value {
    let own = waiting_in_brief(decision);
    if own == waiting_in_brief(other) { json!(decision.waiting) } else { own }
}

fn waiting_in_brief(decision: &Decision) -> Value {
    let Some(waiting) = &decision.waiting else { return Value::Null };
    let plugins: Vec<&str> = waiting.retried_on.iter().map(|retry| &*retry.plugin).collect();
    json!({
        "retriedOn": plugins,
        "backoffSeconds": [waiting.first_backoff_seconds, waiting.longest_backoff_seconds],
        "flushSeconds": waiting.flush_seconds,
    })
}

/// What has to be changed in `first` to have `second`: fields with their new values, null for those
/// that are gone. `nodes` has the nodes that differ, each as a whole.
pub fn difference(first: &Value, second: &Value) -> Value {
    let (Value::Object(before), Value::Object(after)) = (first, second) else {
        return second.clone();
    };
    let mut changes = Map::new();
    for name in before.keys().chain(after.keys()) {
        let (old, new) = (before.get(name), after.get(name));
        if old == new {
            continue;
        }
        let change = match (old, new) {
            (Some(old @ Value::Object(_)), Some(new @ Value::Object(_))) if name == "nodes" => {
                difference(old, new)
            }
            _ => new.cloned().unwrap_or_default(),
        };
        changes.insert(name.clone(), change);
    }
    Value::Object(changes)
}

/// Where a value is another than a row states: a line each, with the path.
pub fn faults(stated: &Value, is: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    compare("", stated, is, &mut faults);
    faults
}

fn compare(path: &str, stated: &Value, is: &Value, faults: &mut Vec<String>) {
    if stated == is {
        return;
    }
    if let (Value::Object(stated), Value::Object(is)) = (stated, is) {
        let mut names: Vec<&String> = stated.keys().chain(is.keys()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let nothing = Value::Null;
            let [stated, is] = [stated, is].map(|fields| fields.get(name).unwrap_or(&nothing));
            compare(&format!("{path}.{name}"), stated, is, faults);
        }
        return;
    }
    faults.push(format!("{}: the row states {stated}, it is {is}", path.trim_start_matches('.')));
}
