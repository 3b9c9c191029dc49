//! A cluster with hostile texts in every field, and everything that the program prints about
//! it. Included by `tests/laws/hostile.rs` and by the fuzz target.

use std::iter;
use std::sync::Arc;

use answers::extent::Extent;
use answers::input::{InputFlags, LoadedInput, Wishes};
use answers::origin::SourceKind;
use answers::origin::{InputOrigin, Origin};
use answers::pod_report::PodReport;
use answers::questions::Basis;
use answers::questions::audit::{AuditRequest, audit};
use answers::questions::evictions::{EvictionsRequest, evictions};
use answers::questions::headroom::{HeadroomRequest, ModelPod, headroom};
use answers::questions::node::{NodeRequest, node};
use answers::questions::pending::Pending;
use answers::questions::risk::{RiskRequest, risk};
use answers::questions::simulate::SimulateReport;
use answers::questions::suggest::{SuggestRequest, suggest};
use answers::questions::verify::{VerifyRequest, verify};
use answers::scheduler::SchedulerChoice;
use answers::target::Target;
use engine::cluster::build::Builder;
use engine::cluster::{Cluster, PodIx};
use engine::decision::compare::compare;
use engine::decision::sampling::Starts;
use engine::decision::{Explanation, decide};
use engine::decode::decode;
use engine::framework::cluster_view::ClusterView;
use engine::profile::{Profile, SchedulerVersion, VersionSource};
use engine::simulation::sequence::{self, SimulationSettings};
use engine::snapshot::meta::LabelSelector;
use jiff::Timestamp;
use kubectl_preempt::cli::output;
use render::jsonpath::PathTemplate;
use render::page::{Drawn, Page, Paper};
use render::pending::{self, Layout};
use render::program::ProgramName;
use render::safe::{Printable, is_hostile};
use render::screen;
use render::{comparison, csv, dot, html, markdown, name, simulation, text};
use serde_json::Value;
use to_json::ToJson as _;

/// In this file every `@0` to `@9` stands for one of the texts, in keys as well as in values.
const TEMPLATE: &str = include_str!("cluster.json");

/// A terminal, a pipe, and a terminal that knows ASCII alone. Colours are tested apart: they are
/// escape sequences.
const PAPERS: [Paper; 3] = [
    Paper {
        color: false,
        width: Some(80),
        ascii: false,
        drawing: true,
        links: false,
        whole: false,
        program: ProgramName::PLUGIN,
    },
    Paper::PLAIN,
    Paper {
        color: false,
        width: Some(80),
        ascii: true,
        drawing: true,
        links: false,
        whole: false,
        program: ProgramName::PLUGIN,
    },
];

type Print = fn(&PodReport, &Origin) -> Vec<Printable>;

/// What is printed about one decision, by the format's name: a line for each.
const FORMATS: &[(&str, Print)] = &[
    ("text", |decision, origin| {
        papers(&screen::page(std::slice::from_ref(decision), origin, true, 0))
    }),
    ("wide", |decision, origin| papers(&text::page(decision, origin))),
    ("json", |decision, _| {
        output::json(&to_json::pod_report(decision, SourceKind::File)).into_iter().collect()
    }),
    ("yaml", |decision, _| {
        output::yaml(&to_json::pod_report(decision, SourceKind::File)).into_iter().collect()
    }),
    ("name", |decision, _| {
        raw(name::lines(std::slice::from_ref(decision))
            .unwrap_or_else(|refusal| refusal.to_string()))
    }),
    ("csv", |decision, _| raw(csv::table(std::slice::from_ref(decision)).expect("a table"))),
    ("markdown", |decision, _| {
        raw(markdown::page(std::slice::from_ref(decision), ProgramName::PLUGIN))
    }),
    ("dot", |decision, _| raw(dot::graph(std::slice::from_ref(decision)))),
    ("html", |decision, _| {
        raw(html::page(std::slice::from_ref(decision), ProgramName::PLUGIN).expect("a page"))
    }),
    ("jsonpath", |decision, _| {
        let value =
            serde_json::to_value(to_json::pod_report(decision, SourceKind::File)).expect("JSON");
        let paths = ["{..name}", "{.nodes[*].reasons}", "{.message}"]
            .map(|path| PathTemplate::parse(path).expect("a path"));
        paths.iter().filter_map(|path| path.fill(&value).ok()).flat_map(raw).collect()
    }),
    ("pending", |decision, origin| {
        let mut pending = Pending::default();
        pending.add(decision);
        papers(&pending::page(
            &pending,
            Layout {
                namespaces: true,
                wide: true,
                headers: true,
                actors: true,
                answered: false,
                now: origin.as_of,
            },
            origin,
        ))
    }),
];

fn papers(page: &Page) -> Vec<Printable> {
    PAPERS.iter().map(|paper| page.print(*paper)).collect()
}

/// What a printer has escaped on its own: it has to be clean before the gate, too.
fn raw(text: String) -> Vec<Printable> {
    let missed = text.chars().find(|c| !matches!(c, '\n' | '\t') && is_hostile(*c));
    assert_eq!(missed, None, "{text:?}");
    vec![Printable::new(text)]
}

/// Cuts bytes into texts, at bytes that no UTF-8 has; there are always ten.
pub fn texts(bytes: &[u8]) -> Vec<String> {
    let pieces =
        bytes.split(|byte| *byte == 0xff).map(|piece| String::from_utf8_lossy(piece).into_owned());
    pieces.chain(iter::repeat(String::new())).take(10).collect()
}

/// Decides about every pod that waits in the cluster in which these texts stand, by the rules of
/// one of two versions in turn, prints the decisions in every format, and returns how many outputs
/// there were.
///
/// # Panics
/// When one of them holds a character that a terminal would act on, ends of lines and tabs apart,
/// or that is not ASCII where it has to be.
pub fn check_decisions(texts: &[String]) -> usize {
    let cluster = cluster(texts);
    let now = now();
    let [old, new] = ["1.19", "1.37"].map(profile);
    let views = [ClusterView::new(&cluster, &old), ClusterView::new(&cluster, &new)];
    let mut checked = 0;
    let waiting = waiting(&cluster);
    for (pod, view) in waiting.iter().zip(views.iter().cycle()) {
        let mut decision = Explanation::from(decide(view, *pod, now));
        decision.enumerate(Starts::Seed(1));
        let decision = PodReport::from(decision);
        let place = InputOrigin::Files(vec![texts.first().cloned().unwrap_or_default()]);
        let origin = Origin { place, as_of: now, nodes: answers::node_name::NodeNames::default() };
        for (format, print) in FORMATS {
            checked += clean(format, texts, &print(&decision, &origin));
        }
    }
    for pod in waiting.iter().take(2).copied() {
        let compared = compare(&[&views[0], &views[1]], pod, now);
        checked += clean(
            "comparison",
            texts,
            &papers(&comparison::page(&compared, false, &answers::node_name::NodeNames::default())),
        );
        let json = to_json::comparison(&compared, false, SourceKind::File);
        let printed: Vec<Printable> = json.iter().flat_map(output::json).collect();
        checked += clean("comparison", texts, &printed);
        checked += clean("comparisons", texts, &papers(&comparison::list(&[compared], &[], None)));
    }
    checked
}

/// Prints what would follow in the cluster in which these texts stand: each node drained, every
/// pod that waits placed one after the other, and the answers about lists of pods. Returns how many
/// outputs there were.
///
/// # Panics
/// As [`check_decisions`].
pub fn check_plans(texts: &[String]) -> usize {
    let cluster = cluster(texts);
    let simulated = simulated(&cluster, &waiting(&cluster), profile("1.37"), now());
    let input = input(cluster);
    let mut checked = clean("nodes", texts, &drained(&input));
    checked += clean("simulation", texts, &simulated);
    checked + clean("lists", texts, &listed(&input))
}

/// How many outputs there are, all of which must be clean.
fn clean(format: &str, texts: &[String], outputs: &[Printable]) -> usize {
    for output in outputs {
        let found = output.chars().find(|c| !matches!(c, '\n' | '\t') && is_hostile(*c));
        assert_eq!(found, None, "{format} of {texts:?}:\n{:?}", &**output);
    }
    outputs.len()
}

fn now() -> Timestamp {
    "2026-06-01T12:00:00Z".parse().expect("a time")
}

fn profile(version: &str) -> Profile {
    Profile::new(SchedulerVersion::parse(version).expect("a version"), VersionSource::Flag)
}

/// The pods on no node.
fn waiting(cluster: &Cluster) -> Vec<PodIx> {
    cluster.pod_indices().filter(|pod| cluster.pod(*pod).node_name.is_empty()).collect()
}

fn input(mut cluster: Cluster) -> LoadedInput {
    let version = SchedulerVersion::parse("1.37");
    let scheduler = SchedulerChoice { version, ..SchedulerChoice::default() };
    let selector = &LabelSelector::default();
    let flags = &InputFlags::default();
    let wishes =
        Wishes { scheduler: &scheduler, now: Some(now()), present: now(), selector, flags };
    let (place, namespace) = (InputOrigin::Files(vec![String::new()]), "default".to_owned());
    LoadedInput::of_cluster(&mut cluster, None, place, namespace, &wishes).expect("a scheduler")
}

/// What is said of each node and of all together.
fn drained(input: &LoadedInput) -> Vec<Printable> {
    let nodes = input.cluster.nodes.iter().map(|node| input.cluster.text(node.name).to_owned());
    let mut printed = Vec::new();
    for (name, surge) in nodes.zip([0, 1].into_iter().cycle()) {
        let report = node(input, &NodeRequest { nodes: vec![name], surge }).expect("a report");
        printed.extend(drawn(&report, output::json(&report.json()).ok()));
    }
    printed
}

/// The answers about lists of pods, as pages and as JSON.
fn listed(input: &LoadedInput) -> Vec<Printable> {
    let all_namespaces = true;
    let mut printed = Vec::new();
    let request = VerifyRequest { all_namespaces, ..VerifyRequest::default() };
    let report = verify(input, &request, None).expect("a report");
    printed.extend(drawn(&report, output::json(&report.json()).ok()));
    let request = SuggestRequest { all_namespaces, ..SuggestRequest::default() };
    let report = suggest(input, &request).expect("a report");
    printed.extend(drawn(&report, output::json(&report.json()).ok()));
    let request = RiskRequest { all_namespaces, ..RiskRequest::default() };
    let report = risk(input, &request).expect("a report");
    printed.extend(drawn(&report, output::json(&report.json()).ok()));
    let request = EvictionsRequest { all_namespaces, ..EvictionsRequest::default() };
    let report = evictions(input, &request).expect("a report");
    printed.extend(drawn(&report, output::json(&report.json()).ok()));
    let report = audit(input, &AuditRequest::default()).expect("a report");
    printed.extend(drawn(&report, output::json(&report.json()).ok()));
    if let Some(pod) = waiting(&input.cluster).first() {
        let pod = input.cluster.pod(*pod);
        let (namespace, name) = (input.cluster.text(pod.namespace), pod.name.to_string());
        let target = Target { kind: "Pod", name, namespace: Some(namespace.to_owned()) };
        let request = HeadroomRequest { pod: ModelPod::Existing(target), edits: Vec::new() };
        let report = headroom(input, &request).expect("a report");
        printed.extend(drawn(&report, output::json(&report.json()).ok()));
    }
    printed
}

fn drawn(report: &impl Drawn, json: Option<Printable>) -> Vec<Printable> {
    let mut printed = papers(&report.page(Extent::Whole));
    printed.extend(json);
    printed
}

fn simulated(
    cluster: &Cluster,
    pods: &[PodIx],
    profile: Profile,
    now: Timestamp,
) -> Vec<Printable> {
    let profiles = [profile];
    let found =
        sequence::run(cluster.clone(), pods, SimulationSettings::new(&profiles, now).following(1));
    let [profile] = profiles;
    let basis = Basis {
        profile,
        header: cluster.header.clone(),
        source: SourceKind::File,
        origin: Origin {
            place: InputOrigin::Files(vec![String::new()]),
            as_of: now,
            nodes: answers::node_name::NodeNames::default(),
        },
        budgets_unknown: false,
        flags: Arc::default(),
    };
    let report = SimulateReport::of(basis, found);
    papers(&simulation::page(&report, false, Extent::All))
        .into_iter()
        .chain(output::json(&report.json()))
        .collect()
}

fn cluster(texts: &[String]) -> Cluster {
    let mut template: Value = serde_json::from_str(TEMPLATE).expect("a template");
    fill(&mut template, texts);
    let mut builder = Builder::new();
    // A text may make an object unreadable: then the input is refused, and that text is printed.
    if let Err(error) = decode(&template.to_string(), "input", &mut builder) {
        let error = Printable::new(error.to_string());
        assert!(!error.chars().any(|c| c != '\n' && is_hostile(c)));
    }
    builder.finish()
}

fn fill(value: &mut Value, texts: &[String]) {
    match value {
        Value::String(text) => *text = filled(text, texts),
        Value::Array(items) => items.iter_mut().for_each(|item| fill(item, texts)),
        Value::Object(map) => {
            let fields = std::mem::take(map).into_iter().map(|(key, mut value)| {
                fill(&mut value, texts);
                (filled(&key, texts), value)
            });
            *map = fields.collect();
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn filled(text: &str, texts: &[String]) -> String {
    let mut parts = text.split('@');
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (digit, rest) = part.split_at(1);
        filled.push_str(&texts[digit.parse::<usize>().expect("a digit")]);
        filled.push_str(rest);
    }
    filled
}
