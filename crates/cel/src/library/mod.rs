//! The functions of kube-scheduler's CEL environment, a table per library.
//!
//! Upstream: `apiserver/pkg/cel/environment/base.go`, `dynamic-resource-allocation/cel/compile.go`.

mod authorizer;
mod basic;
mod basic_times;
mod comprehension;
mod costs;
mod declare;
mod format;
mod formats;
pub(crate) mod formatted;
mod k8s_lists;
mod lists;
mod networks;
mod optional;
mod quantities;
mod regex_classes;
mod regex_go;
mod regexes;
mod sets;
mod sort;
mod strings;
mod urls;
mod versions;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::release::Release;

pub(crate) use costs::{
    Call as CallMade, LIST as LIST_COST, MAP as MAP_COST, equality as equality_cost,
    inequality as inequality_cost,
};
pub(crate) use declare::{DeclaredFunction, DeclaredOverload, Run};
pub(crate) use format::{Clause, FormatTemplate};
pub(crate) use formats::NamedFormat;
pub(crate) use regex_go::{Regex, check_regex};
pub(crate) use regexes::{search, search_all};

use declare::Function;

/// The functions of a release.
#[derive(Debug)]
pub(crate) struct Environment {
    pub release: Release,
    functions: BTreeMap<&'static str, DeclaredFunction>,
}

/// The libraries in the order in which upstream adds them, which is the order of the overloads of a
/// function.
const LIBRARIES: &[&[Function]] = &[
    basic::FUNCTIONS,
    basic_times::FUNCTIONS,
    urls::FUNCTIONS,
    regexes::FUNCTIONS,
    k8s_lists::FUNCTIONS,
    authorizer::FUNCTIONS,
    optional::FUNCTIONS,
    quantities::FUNCTIONS,
    strings::FUNCTIONS,
    sets::FUNCTIONS,
    networks::FUNCTIONS,
    formats::FUNCTIONS,
    comprehension::FUNCTIONS,
    versions::FUNCTIONS,
    lists::FUNCTIONS,
];

impl Environment {
    pub fn of(release: Release) -> &'static Self {
        static KNOWN: [OnceLock<Environment>; 4] = [const { OnceLock::new() }; 4];
        let [oldest, without_lists, with_lists, newest] = &KNOWN;
        let known = match (release.includes_is_common, release.includes, release.list_attributes) {
            (true, ..) => newest,
            (_, true, true) => with_lists,
            (_, true, false) => without_lists,
            _ => oldest,
        };
        known.get_or_init(|| Self::new(release))
    }

    fn new(release: Release) -> Self {
        let mut functions: BTreeMap<&'static str, DeclaredFunction> = BTreeMap::new();
        for function in LIBRARIES.iter().copied().flatten() {
            let declared = functions
                .entry(function.name)
                .or_insert_with(|| DeclaredFunction::new(function.name));
            declared.add(function, &release);
        }
        functions.retain(|_, declared| !declared.overloads.is_empty());
        Self { release, functions }
    }

    pub fn function(&self, name: &str) -> Option<&DeclaredFunction> {
        self.functions.get(name.strip_prefix('.').unwrap_or(name))
    }
}
