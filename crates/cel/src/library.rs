//! The functions of kube-scheduler's CEL environment, a table per library.
//!
//! Upstream: `apiserver/pkg/cel/environment/base.go`, `dynamic-resource-allocation/cel/compile.go`.

mod basic;
mod costs;
mod declare;
mod format;
mod formats;
mod lists;
mod networks;
mod optional;
mod ordered;
mod regex;
mod strings;
mod times;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::release::Release;

pub(crate) use costs::{
    Call as CallMade, LIST as LIST_COST, MAP as MAP_COST, equality as equality_cost,
    inequality as inequality_cost,
};
pub(crate) use declare::{DeclaredFunction, DeclaredOverload};
pub(crate) use format::{Clause, FormatTemplate, LONGEST_NUMBER};
pub(crate) use regex::{Regex, check_regex};
pub(crate) use strings::{search, search_all};

use crate::values::{EvalResult, Value, fail};
use declare::{Overload, member};

/// The functions of a release.
#[derive(Debug)]
pub(crate) struct Environment {
    pub release: Release,
    functions: BTreeMap<&'static str, DeclaredFunction>,
}

/// The libraries in the order in which upstream adds them, which is the order of the overloads of a
/// function.
const LIBRARIES: &[&[Overload]] = &[
    basic::OVERLOADS,
    basic::COMPARISONS,
    basic::CONVERSIONS,
    times::PARTS_OF_TIMES,
    times::PARTS_OF_DURATIONS,
    networks::URLS,
    strings::SEARCHES,
    lists::OF_COMPARABLE,
    lists::OF_KUBERNETES,
    AUTHORIZER,
    optional::OVERLOADS,
    ordered::QUANTITIES,
    strings::OVERLOADS,
    lists::SETS,
    networks::NETWORKS,
    networks::QUESTIONS,
    formats::OVERLOADS,
    formats::BY_NAME,
    lists::INSERTIONS,
    ordered::VERSIONS,
    lists::SORTS,
    lists::EXTENSION,
];

/// The authorizer of admission policies (`apiserver/pkg/cel/library/authz.go`). Selectors have no
/// variable of its type, but a call on a `dyn` value compiles; it fails for every device.
const AUTHORIZER: &[Overload] = &[
    member("path", "authorizer_path", "authorizer, string -> path_check", never),
    member("group", "authorizer_group", "authorizer, string -> group_check", never),
    member(
        "serviceAccount",
        "authorizer_serviceaccount",
        "authorizer, string, string -> authorizer",
        never,
    ),
    member("resource", "groupcheck_resource", "group_check, string -> resource_check", never),
    on_resource("subresource", "resourcecheck_subresource"),
    on_resource("namespace", "resourcecheck_namespace"),
    on_resource("name", "resourcecheck_name"),
    on_resource("fieldSelector", "authorizer_fieldselector"),
    on_resource("labelSelector", "authorizer_labelselector"),
    member("check", "pathcheck_check", "path_check, string -> decision", never),
    member("check", "resourcecheck_check", "resource_check, string -> decision", never),
    member("errored", "decision_errored", "decision -> bool", never),
    member("error", "decision_error", "decision -> string", never),
    member("allowed", "decision_allowed", "decision -> bool", never),
    member("reason", "decision_reason", "decision -> string", never),
];

const fn on_resource(function: &'static str, id: &'static str) -> Overload {
    member(function, id, "resource_check, string -> resource_check", never)
}

/// Never called: no argument has the type of the first one.
fn never(_: &Release, _: &[Value]) -> EvalResult {
    fail("no such overload")
}

impl Environment {
    /// The functions of a release, of which there are five sets.
    pub fn of(release: Release) -> &'static Self {
        static ENVIRONMENTS: [OnceLock<Environment>; 5] = [const { OnceLock::new() }; 5];
        let [oldest, without_lists, with_lists, without_masks, newest] = &ENVIRONMENTS;
        let environment =
            match (release.includes_is_common, release.includes, release.list_attributes) {
                (true, ..) if release.cidrs_may_be_masks => newest,
                (true, ..) => without_masks,
                (_, true, true) => with_lists,
                (_, true, false) => without_lists,
                _ => oldest,
            };
        environment.get_or_init(|| Self::new(release))
    }

    fn new(release: Release) -> Self {
        let mut functions: BTreeMap<&'static str, DeclaredFunction> = BTreeMap::new();
        for overload in LIBRARIES.iter().copied().flatten() {
            let Some(name) = overload.function_in(&release) else { continue };
            let declared = functions.entry(name).or_insert_with(|| {
                let shared = basic::shared_body(name).or_else(|| lists::shared_body(name));
                DeclaredFunction::new(name, shared, costs::of_function(name))
            });
            declared.add(overload);
        }
        Self { release, functions }
    }

    /// The names of all functions.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<'_> {
        self.functions.keys().copied()
    }

    pub fn function(&self, name: &str) -> Option<&DeclaredFunction> {
        self.functions.get(name.strip_prefix('.').unwrap_or(name))
    }
}
