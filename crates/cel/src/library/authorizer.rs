//! The authorizer library. Selectors have no `authorizer` variable, but a call on a `dyn` value
//! compiles; it fails at run time and has a cost.
//!
//! Upstream: `apiserver/pkg/cel/library/authz.go`.

use super::costs::{self, Call, Costs};
use super::declare::{Function, Run, function, member};
use crate::values::{EvalResult, Value, fail};

/// Always fails: no argument can have the right type at run time.
fn never(_: &crate::release::Release, _: &[Value]) -> EvalResult {
    fail("no such overload")
}

const NEVER: Run = Run::Direct(never);

pub(super) const FUNCTIONS: &[Function] = &[
    function("path", &[member("authorizer_path", "authorizer, string -> path_check", NEVER)])
        .costs(costs::unit),
    function("group", &[member("authorizer_group", "authorizer, string -> group_check", NEVER)])
        .costs(costs::unit),
    function(
        "serviceAccount",
        &[member(
            "authorizer_serviceaccount",
            "authorizer, string, string -> authorizer",
            Run::InTurn(never),
        )],
    )
    .costs(costs::unit),
    function(
        "resource",
        &[member("groupcheck_resource", "group_check, string -> resource_check", NEVER)],
    )
    .costs(costs::unit),
    function(
        "subresource",
        &[member("resourcecheck_subresource", "resource_check, string -> resource_check", NEVER)],
    )
    .costs(costs::unit),
    function(
        "namespace",
        &[member("resourcecheck_namespace", "resource_check, string -> resource_check", NEVER)],
    )
    .costs(costs::unit),
    function(
        "name",
        &[member("resourcecheck_name", "resource_check, string -> resource_check", NEVER)],
    )
    .costs(costs::unit),
    function(
        "check",
        &[
            member("pathcheck_check", "path_check, string -> decision", NEVER),
            member("resourcecheck_check", "resource_check, string -> decision", NEVER),
        ],
    )
    .costs(|_| Ok(Some(350_000))),
    function("errored", &[member("decision_errored", "decision -> bool", NEVER)])
        .costs(costs::unit),
    function("error", &[member("decision_error", "decision -> string", NEVER)]).costs(costs::unit),
    function("allowed", &[member("decision_allowed", "decision -> bool", NEVER)])
        .costs(costs::unit),
    function("reason", &[member("decision_reason", "decision -> string", NEVER)])
        .costs(costs::unit),
    function(
        "fieldSelector",
        &[member("authorizer_fieldselector", "resource_check, string -> resource_check", NEVER)],
    )
    .costs(selector),
    function(
        "labelSelector",
        &[member("authorizer_labelselector", "resource_check, string -> resource_check", NEVER)],
    )
    .costs(selector),
];

/// The cost of parsing a label or field selector and building its requirements.
fn selector(call: &Call) -> Costs {
    let Some(text) = call.args.get(1) else { return Ok(None) };
    let length = costs::size(Some(text));
    let requirements = costs::share(length, 0.5);
    Ok(Some(costs::LIST + costs::reading(length) + requirements * (costs::LIST + 40)))
}
