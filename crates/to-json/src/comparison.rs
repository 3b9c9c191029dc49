//! The decisions of several schedulers for one snapshot, as JSON.

use crate::decision::{self as parts, node_names};
use crate::{OneOrList, ToJson};
use answers::origin::SourceKind;
use answers::questions::compare::{CompareReport, deciding_plugins, effects};
use engine::cluster::Cluster;
use engine::decision::Decision;
use engine::decision::compare::{Aspect, Comparison, Difference, DifferenceCause};
use engine::profile::change;
use engine::simulation::replay;
use json::comparison::{
    DecisionComparison, DecisionComparisonList, Difference as JsonDifference, Layout, MovedPod,
    PluginMoves, Replay, Rule, WorkloadSpread,
};
use json::{ApiVersion, Text, kind};

impl ToJson for CompareReport<'_> {
    type Json = OneOrList<DecisionComparison, DecisionComparisonList>;

    fn json(&self) -> Self::Json {
        let source = self.basis.source;
        let pending = self.comparisons.iter().map(|found| (found, false));
        let all = pending.chain(self.recreated.iter().map(|found| (found, true)));
        let items = all.filter_map(|(found, recreated)| comparison(found, recreated, source));
        OneOrList::new(items.collect(), self.one, |items| DecisionComparisonList {
            api_version: ApiVersion::default(),
            kind: kind::DecisionComparisonList::default(),
            counts: effects::counts(&self.comparisons, &self.recreated, self.running),
            running: self.running,
            items,
            replay: self.replay.as_ref().map(|found| replay(found, &self.sides)),
        })
    }
}

/// The JSON of a comparison; `None` without decisions.
pub fn comparison(
    comparison: &Comparison,
    recreated: bool,
    source: SourceKind,
) -> Option<DecisionComparison> {
    let first = comparison.decisions.first()?;
    let cluster = first.view.cluster;
    let pairs = comparison.decisions.windows(2).zip(&comparison.differences);
    let versions = pairs.filter_map(|(pair, difference)| match pair {
        [from, to] => Some(self::difference(from, to, difference)),
        _ => None,
    });
    Some(DecisionComparison {
        api_version: ApiVersion::default(),
        kind: kind::DecisionComparison::default(),
        pod: parts::pod(cluster, first.pod),
        recreated,
        text: effects::sentence(comparison, recreated).1,
        same: comparison.same(),
        items: comparison.decisions.iter().map(|d| parts::decision(d, source)).collect(),
        differences: versions.collect(),
    })
}

fn replay(found: &replay::Replay, sides: &[String]) -> Replay {
    let by = std::iter::once("today".to_owned()).chain(sides.iter().cloned());
    let layouts = found.layouts.iter().zip(by).map(|(layout, by)| Layout {
        by,
        moved: layout.moved,
        without_node: layout.homeless,
        plugins: layout
            .plugins
            .iter()
            .map(|(plugin, pods)| PluginMoves { plugin: (*plugin).into(), pods: *pods })
            .collect(),
        nodes_used: layout.nodes_used,
        largest_cpu: layout.largest_cpu.clone(),
        largest_memory: layout.largest_memory.clone(),
    });
    let spreads = found.spreads.iter().map(|one| WorkloadSpread {
        namespace: one.namespace.clone(),
        kind: one.kind.clone(),
        name: one.name.clone(),
        skews: one.skews.clone(),
    });
    let moved = found.pods.iter().filter(|pod| pod.moves()).map(|pod| MovedPod {
        pod: pod.name.clone(),
        nodes: pod.nodes.clone(),
        plugins: pod.plugins.iter().map(|plugin| plugin.map(Text::from)).collect(),
    });
    Replay {
        placed: found.pods.len(),
        staying: found.staying,
        layouts: layouts.collect(),
        spreads: spreads.collect(),
        moved: moved.collect(),
    }
}

fn difference(from: &Decision, to: &Decision, difference: &Difference) -> JsonDifference {
    let cluster = from.view.cluster;
    let [older, newer] = [from, to].map(|decision| {
        let profile = decision.profile();
        profile.label.clone().unwrap_or_else(|| profile.version.to_string())
    });
    let is_same = difference.aspects.is_empty();
    let plugins = deciding_plugins(from, to, difference).into_iter();
    JsonDifference {
        from: older,
        to: newer,
        text: if is_same { String::new() } else { effects::change(from, to, difference) },
        fields: names(&difference.aspects),
        nodes: node_names(&difference.nodes, cluster),
        rules_changed: difference.changed,
        rules: difference.causes.iter().map(|cause| rule(cause, cluster)).collect(),
        plugins: plugins.map(Text::from).collect(),
        complete: difference.complete,
    }
}

fn rule(cause: &DifferenceCause, cluster: &Cluster) -> Rule {
    let (row, about) = (cause.change.row, cause.change.about);
    Rule {
        field: row.field.into(),
        plugin: row.plugin.into(),
        summary: about.summary.trim().into(),
        gate: row.gate.map(Text::from),
        holds: cause.change.holds,
        since: cause.change.by_version.then(|| about.since.release_text()),
        source: about.source.into(),
        url: change::link(about.source),
        fields: names(&cause.aspects),
        nodes: node_names(&cause.nodes, cluster),
    }
}

fn names(aspects: &[Aspect]) -> Vec<Text> {
    aspects.iter().map(|aspect| aspect.name().into()).collect()
}
