//! What every release says of label selectors and of terms of node affinity that it cannot parse.
//! Nothing in `tests/recorded/selectors/recorded.json` is ours: it is what the modules of 1.12 to
//! 1.37 say, and `tests/oracle/labels/record` records it again. A case has what is `said` by the
//! first minor that says so, the empty text where nothing is wrong.

use std::collections::BTreeMap;

use engine::cluster::node_selector::read_term;
use engine::cluster::selector::Selector;
use engine::cluster::symbols::Symbols;
use engine::cluster::template::Weighted;
use engine::framework::selector_error::{
    node_selector_error, preferred_terms_error, selector_error,
};
use engine::profile::SchedulerVersion;
use engine::profile::history::Features;
use engine::snapshot::meta::LabelSelector;
use engine::snapshot::pod::PreferredTerm;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Recorded {
    /// The minors that were asked, by kind of case.
    asked: BTreeMap<String, Vec<u16>>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    labels: Option<Value>,
    nodes: Option<Value>,
    said: BTreeMap<u16, String>,
}

impl Case {
    /// What we say in the words of a release.
    fn ours(&self, features: &Features) -> String {
        let mut symbols = Symbols::default();
        if let Some(labels) = &self.labels {
            let text = labels.to_string();
            let selector: LabelSelector = serde_json::from_str(&text).expect("a selector");
            let read = Selector::read(Some(&selector), &mut symbols);
            return read.err().map(|issues| selector_error(&issues, features)).unwrap_or_default();
        }
        let text = self.nodes.as_ref().expect("a case of labels or of nodes").to_string();
        let terms: Vec<PreferredTerm> = serde_json::from_str(&text).expect("terms");
        let mut weighted = |t: &PreferredTerm| Weighted {
            weight: t.weight,
            term: read_term(&t.preference, &mut symbols),
        };
        let terms: Vec<_> = terms.iter().map(&mut weighted).collect();
        preferred_terms_error(&terms, features).unwrap_or_default()
    }
}

#[test]
fn errors_of_selectors_are_in_the_words_of_the_release() {
    let recorded: Recorded =
        serde_json::from_str(include_str!("selectors/recorded.json")).expect("recorded.json");
    let mut differences = Vec::new();
    for case in &recorded.cases {
        let kind = if case.labels.is_some() { "labels" } else { "nodes" };
        for minor in &recorded.asked[kind] {
            let (_, said) =
                case.said.range(..=minor).next_back().expect("the oldest release is asked");
            let ours = case.ours(&Features::of(SchedulerVersion::new(*minor, 0)));
            if ours != *said {
                differences
                    .push(format!("1.{minor}, {}:\n  said: {said}\n  ours: {ours}", case.name));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn a_node_selector_names_its_terms() {
    let term = |operator: &str| {
        let text = serde_json::json!({"matchExpressions": [{"key": "cpus", "operator": operator, "values": ["1"]}]});
        read_term(
            &serde_json::from_str(&text.to_string()).expect("a term"),
            &mut Symbols::default(),
        )
    };
    let features = Features::of(SchedulerVersion::new(37, 1));
    assert_eq!(node_selector_error(&[term("Gt")], &features), None);
    let said = "nodeSelectorTerms[1].matchExpressions[0].values: Invalid value: [\"1\"]: values set must be empty for exists \
                and does not exist";
    assert_eq!(
        node_selector_error(&[term("Gt"), term("Exists")], &features).as_deref(),
        Some(said)
    );
}
