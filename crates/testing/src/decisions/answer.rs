//! Decisions for tests: their values, and short texts of them that fit into a table.

use std::collections::BTreeMap;

use model::cluster::Cluster;
use model::cluster::node::NodeIx;
use model::cluster::pod::PodIx;
use model::cluster::symbols::Sym;
use model::notes::Note;
use scheduler::decision::blockers::Blockers;
use scheduler::decision::sampling::Sampling;
use scheduler::decision::waiting::RetryConditions;
use scheduler::decision::{Certainty, Explanation, OtherMessages, OutcomeKind};
use scheduler::framework::cycle::{NodeVerdict, PreFilter};
use scheduler::framework::evidence::Evidence;
use scheduler::framework::score::ScoreTable;
use scheduler::framework::status::{Code, Rejection};
use scheduler::preemption::dry_run::{Blocker, DryRun};
use scheduler::preemption::pick_node::CRITERIA;
use scheduler::preemption::victim_choices::VictimChoices;
use scheduler::preemption::{NOT_HELPFUL, PreemptionReport};

/// The values of a decision, which outlive its view of the cluster.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The cluster to which all indices refer.
    pub cluster: Cluster,
    /// See [`scheduler::decision::Decision::nodes`].
    pub nodes: Vec<NodeVerdict>,
    /// See [`scheduler::decision::Decision::preemption`].
    pub preemption: Option<PreemptionReport>,
    /// See [`scheduler::decision::Decision::waiting`].
    pub waiting: Option<RetryConditions>,
    /// See [`scheduler::decision::Decision::odds`].
    pub odds: Option<Sampling>,
    /// See [`Explanation::sampling`].
    pub sampling: Option<Sampling>,
    /// See [`scheduler::decision::Decision::notes`].
    pub notes: Vec<Note>,
    outcome: OutcomeKind,
    why: Option<String>,
    pre_filter: PreFilter,
    exclusion: Option<String>,
    also_refused: Vec<Vec<(&'static str, Rejection)>>,
    scores: Option<ScoreTable>,
    message: Option<String>,
    condition: Option<String>,
    /// Other messages that the scheduler may write.
    pub other_messages: OtherMessages,
    certainty: Certainty,
    selected: Vec<NodeIx>,
    victim_sets: Vec<(NodeIx, Vec<Vec<PodIx>>)>,
    /// See [`Blockers::of`], of all candidates.
    pub blockers: BTreeMap<PodIx, Blocker>,
}

/// What the victims of all candidates block.
fn blockers(decision: &Explanation) -> BTreeMap<PodIx, Blocker> {
    let blockers = Blockers::new(decision);
    decision.candidates().flat_map(|candidate| blockers.of(candidate)).collect()
}

impl Answer {
    /// The values of a decision.
    pub fn new(decision: &Explanation) -> Self {
        let cluster = decision.view.cluster;
        let mut selected = decision.selected().to_vec();
        selected.sort_unstable();
        Self {
            cluster: cluster.clone(),
            nodes: decision.nodes().to_vec(),
            preemption: decision.preemption().cloned(),
            waiting: decision.waiting(),
            odds: decision.odds().cloned(),
            sampling: decision.sampling.clone(),
            notes: decision.notes.clone(),
            outcome: decision.kind(),
            why: decision.why(),
            pre_filter: decision.pre_filter().clone(),
            exclusion: decision.pre_filter_exclusion().map(|quote| quote.text),
            also_refused: cluster
                .node_indices()
                .map(|node| decision.also_refused(node).unwrap_or_default().to_vec())
                .collect(),
            scores: decision.scores().cloned(),
            message: decision.message().map(str::to_owned),
            condition: decision.condition_message().map(str::to_owned),
            other_messages: decision.other_condition_messages(),
            certainty: decision.certainty(),
            victim_sets: selected.iter().map(|node| (*node, decision.victim_sets(*node))).collect(),
            blockers: blockers(decision),
            selected,
        }
    }

    pub fn node_ix(&self, name: &str) -> NodeIx {
        self.cluster.find_node(name).unwrap_or_else(|| panic!("{name} is not among the nodes"))
    }

    /// The pod of that name, or `namespace/name`.
    pub fn pod_ix(&self, pod: &str) -> PodIx {
        builders::find(&self.cluster, pod)
    }

    /// The symbol of a text.
    pub fn sym(&self, text: &str) -> Sym {
        self.cluster.symbols.get(text).unwrap_or_else(|| panic!("{text} is in no object"))
    }

    fn node_name(&self, node: NodeIx) -> &str {
        self.cluster.node_name(node)
    }

    fn node_names(&self, nodes: &[NodeIx]) -> String {
        nodes.iter().map(|node| self.node_name(*node)).collect::<Vec<_>>().join(" ")
    }

    /// Names of pods, with the namespace unless it is `default`.
    pub fn pod_names(&self, pods: impl IntoIterator<Item = PodIx>) -> String {
        let name = |pod| {
            let name = self.cluster.pod_name(pod);
            name.strip_prefix("default/").map(str::to_owned).unwrap_or(name)
        };
        pods.into_iter().map(name).collect::<Vec<_>>().join(" ")
    }

    /// Code (`U`, `UU`), plugin and reasons.
    fn refusal(&self, plugin: &str, rejection: &Rejection) -> String {
        let code = match rejection.code {
            Code::Unschedulable => "U",
            Code::UnschedulableAndUnresolvable => "UU",
        };
        let space = if plugin.is_empty() { "" } else { " " };
        format!("{code}{space}{plugin}: {}", rejection.texts(&self.cluster).join("; "))
    }

    /// How the cycle ends without a result: `CycleError`, `Timeout` or `Crash`; empty if it has
    /// one.
    pub fn error(&self) -> &str {
        if let OutcomeKind::Error(error) = self.outcome { error.name() } else { "" }
    }

    /// `Schedulable`, `Preempt`, `Unschedulable`, `Error` or `NotInQueue`.
    pub fn outcome(&self) -> &str {
        self.outcome.name()
    }

    /// Why the pod gets no cycle.
    pub fn why(&self) -> &str {
        self.why.as_deref().unwrap_or_default()
    }

    /// How PreFilter rejects the pod: code (`U`, `UU`), plugin and reasons; empty if it does not.
    pub fn pre_filter(&self) -> String {
        match &self.pre_filter {
            PreFilter::Rejected { plugin, rejection, .. } => self.refusal(plugin, rejection),
            PreFilter::AllNodes | PreFilter::SomeNodes { .. } | PreFilter::Failed(_) => {
                String::new()
            }
        }
    }

    fn verdict(&self, node: &str) -> &NodeVerdict {
        let verdict = self.nodes.get(self.node_ix(node).0 as usize);
        verdict.unwrap_or_else(|| panic!("{node} was not looked at"))
    }

    /// The filters' verdict about a node: `fits`, `not tried`, or code (`U`, `UU`), plugin and
    /// reasons.
    pub fn node(&self, name: &str) -> String {
        match (self.verdict(name), &self.exclusion) {
            (NodeVerdict::Feasible, _) => "fits".to_owned(),
            (NodeVerdict::ExcludedByPreFilter, Some(reason)) => format!("UU: {reason}"),
            (
                NodeVerdict::NotTried | NodeVerdict::Failed(_) | NodeVerdict::ExcludedByPreFilter,
                _,
            ) => "not tried".to_owned(),
            (NodeVerdict::Filtered { plugin, rejection }, _) => self.refusal(plugin, rejection),
        }
    }

    /// The evidence of PreFilter's rejection.
    pub fn pre_filter_evidence<T: Evidence>(&self) -> Vec<&T> {
        match &self.pre_filter {
            PreFilter::Rejected { rejection, .. } => {
                rejection.evidence().filter_map(|evidence| evidence.get()).collect()
            }
            PreFilter::AllNodes | PreFilter::SomeNodes { .. } | PreFilter::Failed(_) => Vec::new(),
        }
    }

    /// The evidence of the first reason with evidence for which a filter rejects a node, or for which
    /// PreFilter rejects all of them.
    pub fn evidence<T: Evidence>(&self, node: &str) -> &T {
        let rejection = match (self.verdict(node), &self.pre_filter) {
            (NodeVerdict::Filtered { rejection, .. }, _)
            | (NodeVerdict::NotTried, PreFilter::Rejected { rejection, .. }) => rejection,
            (other, _) => panic!("no plugin rejects {node}: {other:?}"),
        };
        let evidence = rejection.evidence().next().expect("evidence");
        evidence.get().unwrap_or_else(|| panic!("it is other evidence: {evidence:?}"))
    }

    /// The plugins that also reject a node, each with its first reason.
    pub fn also_refused(&self, node: &str) -> Vec<String> {
        let list = &self.also_refused[self.node_ix(node).0 as usize];
        list.iter()
            .map(|(plugin, also)| format!("{plugin} {}", also.texts(&self.cluster)[0]))
            .collect()
    }

    /// Names of the plugins that score a node, in the profile's order.
    pub fn score_plugins(&self, node: &str) -> Vec<String> {
        let scored =
            self.scores.iter().filter(|table| table.position(self.node_ix(node)).is_some());
        scored.flat_map(|table| &table.plugins).map(|scores| scores.plugin.to_owned()).collect()
    }

    /// Raw, normalized and weighted score that a plugin gives a node; `None` if it gives none.
    pub fn scores(&self, node: &str, plugin: &str) -> Option<(i64, i64, i64)> {
        let table = self.scores.as_ref()?;
        let at = table.position(self.node_ix(node))?;
        let scores = table.plugins.iter().find(|scores| scores.plugin == plugin)?;
        Some((scores.raw[at], scores.normalized[at], scores.normalized[at] * scores.weight))
    }

    /// The sum of a node's scores; `None` if no node was scored.
    pub fn total(&self, node: &str) -> Option<i64> {
        let table = self.scores.as_ref()?;
        Some(table.totals[table.position(self.node_ix(node))?])
    }

    /// The raw score that a plugin gives a node.
    pub fn raw_score(&self, node: &str, plugin: &str) -> i64 {
        self.score(node, plugin).0
    }

    /// Raw and normalized score that a plugin gives a node.
    pub fn score(&self, node: &str, plugin: &str) -> (i64, i64) {
        let scores = self.scores(node, plugin);
        let (raw, normalized, _) =
            scores.unwrap_or_else(|| panic!("{plugin} does not score {node}: {:?}", self.scores));
        (raw, normalized)
    }

    /// The dry run on a node; `None` if no eviction helps there.
    pub fn dry_run_of(&self, node: &str) -> Option<&DryRun> {
        let report = self.preemption.as_ref().filter(|report| report.ineligible.is_none());
        report.expect("the pod may preempt").dry_runs.get(&self.node_ix(node))
    }

    /// What preemption would do on a node: `victims a b, violations n, spared c`, or why it cannot.
    pub fn dry_run(&self, node: &str) -> String {
        match self.dry_run_of(node) {
            None => NOT_HELPFUL.text.to_owned(),
            Some(DryRun::Failed(failure)) => failure.text().to_owned(),
            Some(DryRun::NoCandidate { rejection, .. }) => {
                rejection.texts(&self.cluster).join("; ")
            }
            Some(DryRun::Candidate(candidate)) => format!(
                "victims {}, violations {}, spared {}",
                self.pod_names(candidate.victims.iter().map(|victim| victim.pod)),
                candidate.violations,
                self.pod_names(candidate.reprieved.iter().copied())
            )
            .trim_end_matches(", spared ")
            .to_owned(),
        }
    }

    /// The nodes that remain after the tie-break.
    pub fn winners(&self) -> String {
        self.preemption.as_ref().map(|report| self.node_names(&report.winners)).unwrap_or_default()
    }

    /// The steps of the tie-break: `criterion: survivors`.
    pub fn tie_break(&self) -> Vec<String> {
        let steps = self.preemption.iter().flat_map(|report| &report.tie_break);
        steps
            .map(|s| format!("{}: {}", CRITERIA[s.criterion].name, self.node_names(&s.survivors)))
            .collect()
    }

    /// Why the pod may not preempt; empty if it may.
    pub fn ineligible(&self) -> &str {
        let ineligible = self.preemption.as_ref().and_then(|report| report.ineligible.as_ref());
        ineligible.map(|ineligible| ineligible.reason.text).unwrap_or_default()
    }

    /// The nodes that the pod is bound or nominated to.
    pub fn selected(&self) -> String {
        self.node_names(&self.selected)
    }

    /// The alternative sets of victims on each node: `node: a b | c d`.
    pub fn victim_sets(&self) -> Vec<String> {
        let words = |(node, sets): &(NodeIx, Vec<Vec<PodIx>>)| {
            let sets: Vec<String> =
                sets.iter().map(|set| self.pod_names(set.iter().copied())).collect();
            format!("{}: {}", self.node_name(*node), sets.join(" | "))
        };
        self.victim_sets.iter().map(words).collect()
    }

    /// The alternative sets of victims on one node.
    pub fn victim_sets_on(&self, node: &str) -> Vec<Vec<PodIx>> {
        let node = self.node_ix(node);
        self.victim_sets
            .iter()
            .filter(|(of, _)| *of == node)
            .flat_map(|(_, sets)| sets.clone())
            .collect()
    }

    /// What depends on the order of pods there.
    pub fn choices_on(&self, node: &str) -> Option<&VictimChoices> {
        self.preemption.as_ref()?.victim_choices.get(&self.node_ix(node))
    }

    /// How certain the choice is.
    pub fn certainty(&self) -> &str {
        self.certainty.name()
    }

    /// Nodes with their exact probabilities.
    pub fn shares(&self, sampling: Option<&Sampling>) -> Vec<(&str, u64, u64)> {
        let shares = sampling.into_iter().flat_map(|sampling| &sampling.nodes);
        let exact = |fraction: Option<(u64, u64)>| fraction.expect("a fraction of 64 bits");
        shares
            .map(|share| (self.node_name(share.node), exact(share.fraction)))
            .map(|(node, (above, below))| (node, above, below))
            .collect()
    }

    /// What the scheduler itself may pick, with `--as-scheduled`: nodes with their exact
    /// probabilities.
    pub fn odds(&self) -> Vec<(&str, u64, u64)> {
        self.shares(self.sampling.as_ref())
    }

    /// The scheduler's message.
    pub fn message(&self) -> &str {
        self.message.as_deref().unwrap_or_default()
    }

    /// What the `PodScheduled` condition says.
    pub fn condition(&self) -> &str {
        self.condition.as_deref().unwrap_or_default()
    }

    /// Texts of the notes.
    pub fn notes(&self) -> Vec<String> {
        let words = |note: &Note| {
            let objects: Vec<String> = note.objects.iter().map(ToString::to_string).collect();
            let colon = if objects.is_empty() { "" } else { ": " };
            format!("{} {}{colon}{}", note.severity.name(), objects.join(", "), note.text)
        };
        self.notes.iter().map(words).collect()
    }
}
