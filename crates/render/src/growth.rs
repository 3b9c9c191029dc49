//! How many new nodes pods need, as text: the answer in a line, then a row for each kind of node and
//! what a node less leaves without one.

use std::collections::BTreeMap;

use super::notes;
use super::page::{Column, Drawn, Page, Sign};
use answers::extent::{ALL_SHOWS_IT, Extent};
use answers::headline::doubt;
use answers::questions::Report as _;
use answers::questions::simulate::growth::{NodesNeededReport, bound_sentence, needed};
use answers::words;
use engine::simulation::growth::{Growth, Unplaced};

/// Maximum number of causes of one pod.
const CAUSES: usize = 2;

impl Drawn for NodesNeededReport {
    fn page(&self, extent: Extent) -> Page {
        let mut page = Page::default();
        let sentence = format!("{}.{}", self.sentence(), doubt(self.notes.iter()));
        page.verdict(Sign::of(self.verdict().into()), sentence);
        page.based_on(2, &self.basis);
        growth(&mut page, &self.without_evictions, extent);
        let saved = self.saved_by_evictions();
        if let (Some(with), Some(saved)) = (&self.with_evictions, saved)
            && (saved > 0 || self.evictions_help > 0)
        {
            let pods = words::count(with.evicted, "pod");
            page.section(format!(
                "If kube-scheduler may evict {pods}, which all get a node again: {}",
                needed(with)
            ));
            growth(&mut page, with, extent);
        }
        notes::add(&mut page, &self.notes, extent.is_all());
        page
    }
}

fn growth(page: &mut Page, growth: &Growth, extent: Extent) {
    let mut rows = Vec::new();
    for kind in &growth.nodes {
        let pool = if kind.node.pool.is_empty() { "-" } else { &kind.node.pool };
        rows.push(vec![
            kind.number.to_string().into(),
            kind.node.like.as_str().into(),
            pool.into(),
            kind.node.shape.as_str().into(),
            left(&kind.left_without).into(),
        ]);
    }
    let columns = [
        Column::new("NODES"),
        Column::new("LIKE").nodes(12),
        Column::new("POOL").dropped(2),
        Column::new("SHAPE").prose(16).dropped(1),
        Column::new("ONE LESS LEAVES").prose(30),
    ];
    if !rows.is_empty() {
        page.table(2, columns, rows);
    }
    for bound in &growth.bounds {
        page.quiet(2, bound_sentence(bound));
    }
    if growth.tried > 1 {
        let open = if growth.is_open {
            "; where nodes are equally good the first was taken, and another may need fewer"
        } else {
            ""
        };
        let tried = words::count(growth.tried, "combination");
        page.quiet(2, format!("{tried} of new nodes played{open}"));
    }
    // The pods that no new node helps come before those of which it is not known.
    let shown = extent.shown(growth.left.len());
    for (pod, why) in growth.helpless().chain(growth.undecided()).take(shown) {
        let not_known = if growth.unknown.contains(pod) { "not known: " } else { "" };
        page.warning(format!("{pod}: {not_known}{}", words::list(why, CAUSES)));
    }
    page.left_out_but(2, growth.left.len() - shown, "pod", ALL_SHOWS_IT);
}

/// `2 without a node: shop/web-3: on 28 nodes: cpu: requests 3, at most 0.09 free`.
fn left(pods: &BTreeMap<Unplaced, Vec<String>>) -> String {
    match pods.iter().next() {
        None => "-".to_owned(),
        Some((one, why)) => {
            format!("{} without a node: {one}: {}", pods.len(), words::list(why, CAUSES))
        }
    }
}
