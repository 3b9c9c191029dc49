//! `-o csv`: one row per node and pod, for a spreadsheet. RFC 4180.

use csv::{Terminator, WriterBuilder};

use super::escape;
use answers::causes;
use answers::pod_report::PodReport;
use answers::words;
use engine::cluster::NodeIx;
use engine::framework::cycle::NodeVerdict;
use engine::framework::status::Rejection;
use engine::preemption::NOT_HELPFUL;
use engine::preemption::dry_run::DryRun;

/// The columns. They are never renamed or moved; new ones are appended.
const HEADER: [&str; 12] = [
    "POD",
    "NODE",
    "VERDICT",
    "PLUGIN",
    "REASON",
    "CODE",
    "OPERANDS",
    "PREEMPTION",
    "VICTIMS",
    "PDB_VIOLATIONS",
    "WINS",
    "SCORE",
];

/// The table. A pod that is not in the queue has no rows.
///
/// # Errors
/// None in practice: the table is written to memory.
pub fn table(decisions: &[PodReport]) -> Result<String, String> {
    let rows = decisions.iter().flat_map(|model| {
        let nodes = model.cluster().node_indices().zip(model.nodes());
        nodes.map(move |(node, verdict)| row(model, node, verdict))
    });
    write(HEADER, rows)
}

/// A table with headings; no cell is a formula for a spreadsheet.
///
/// # Errors
/// None in practice: the table is written to memory.
pub(crate) fn write<const N: usize, C: AsRef<str>>(
    header: [&str; N],
    rows: impl Iterator<Item = [C; N]>,
) -> Result<String, String> {
    let mut writer =
        WriterBuilder::new().terminator(Terminator::Any(b'\n')).from_writer(Vec::new());
    writer.write_record(header).map_err(|e| e.to_string())?;
    for row in rows {
        let cells = row.iter().map(|cell| escape::csv(cell.as_ref()));
        writer.write_record(cells).map_err(|e| e.to_string())?;
    }
    String::from_utf8(writer.into_inner().map_err(|e| e.to_string())?).map_err(|e| e.to_string())
}

fn row(model: &PodReport, node: NodeIx, verdict: &NodeVerdict) -> [String; 12] {
    let [verdict, plugin, reason, code, operands] = filtering(model, verdict);
    let [preemption, victims, violations] = preemption(model, node);
    let scores = model.scores();
    let score =
        scores.and_then(|table| table.totals.get(table.position(node)?)).map(ToString::to_string);
    let wins = model.selected().contains(&node).to_string();
    let (pod, node) = (model.pod(), model.node(node).to_owned());
    let score = score.unwrap_or_default();
    [
        pod, node, verdict, plugin, reason, code, operands, preemption, victims, violations, wins,
        score,
    ]
}

fn filtering(model: &PodReport, verdict: &NodeVerdict) -> [String; 5] {
    match verdict {
        NodeVerdict::Feasible => cells(["Feasible", "", "", "", ""]),
        NodeVerdict::NotTried => cells(["NotTried", "", "", "", ""]),
        NodeVerdict::Failed(failure) => cells(["NotTried", "", failure.text(), "", ""]),
        NodeVerdict::ExcludedByPreFilter => {
            let why = causes::narrowing(model).join("; ");
            cells(["Excluded", "", &model.excluded().text, "", &why])
        }
        NodeVerdict::Filtered { plugin, rejection } => {
            let (reasons, operands) = (reasons(model, rejection), operands(model, rejection));
            cells(["Filtered", plugin, &reasons, rejection.code.name(), &operands])
        }
    }
}

fn preemption(model: &PodReport, node: NodeIx) -> [String; 3] {
    let Some(report) = model.preemption() else { return cells(["", "", ""]) };
    if !report.tried() {
        return cells(["NotTried", "", ""]);
    }
    match report.dry_runs.get(&node) {
        None => cells([NOT_HELPFUL.text, "", ""]),
        Some(DryRun::Failed(failure)) => cells([failure.text(), "", ""]),
        Some(DryRun::NoCandidate { rejection, .. }) => cells([&reasons(model, rejection), "", ""]),
        Some(DryRun::Candidate(candidate)) => {
            let victims: Vec<String> =
                candidate.victims.iter().map(|v| model.cluster().pod_name(v.pod)).collect();
            let violations = if model.cluster().are_budgets_unknown() {
                words::BUDGETS_UNKNOWN.to_owned()
            } else {
                candidate.violations.to_string()
            };
            cells(["Candidate", &victims.join(" "), &violations])
        }
    }
}

fn cells<const N: usize>(texts: [&str; N]) -> [String; N] {
    texts.map(str::to_owned)
}

fn reasons(model: &PodReport, rejection: &Rejection) -> String {
    rejection.texts(model.cluster()).join("; ")
}

fn operands(model: &PodReport, rejection: &Rejection) -> String {
    let operands = rejection.reasons.iter().filter_map(|r| causes::operands(r, model.cluster()));
    operands.collect::<Vec<_>>().join("; ")
}
