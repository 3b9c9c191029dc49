//! Controllers of pods of kinds that no decision reads, such as Deployments: those that are asked
//! about, by name, or all of which pods may be missing. They are listed as JSON, and nearly nothing
//! of them is kept. Also who changed nodes last.

use std::collections::BTreeSet;

use http::StatusCode;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::api::client::Reader;
use crate::api::failure;
use crate::api::url::encode;
use crate::error::Error;
use answers::words;
use engine::snapshot::Unreadable;
use engine::snapshot::access::{self, AccessObject};
use engine::snapshot::controllers::{
    ControllerKind, ControllerObject, JOB, KINDS, NodeChanges, REPLICATION_CONTROLLER, Suspension,
};
use engine::snapshot::programs::Programs;

/// Page size.
const PAGE: usize = 250;
/// Limit of the pages of a list.
const MOST_PAGES: usize = 400;

/// Which controllers are read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ControllerScope {
    #[default]
    None,
    /// Those of these names.
    Named(Vec<NamedController>),
    /// All that lack pods.
    Incomplete,
    /// Those that were listed before: only the Events about them are read again.
    Kept,
}

/// A controller by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedController {
    pub kind: &'static str,
    /// Its namespace; `None` for that of the command.
    pub namespace: Option<String>,
    pub name: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Page {
    metadata: PageMeta,
    items: Vec<Box<RawValue>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PageMeta {
    #[serde(rename = "continue")]
    continue_token: String,
}

/// What is listed of a kind: a selector, and the namespace if it is only one.
#[derive(Default)]
struct Wanted<'w> {
    namespace: Option<&'w str>,
    name: Option<&'w str>,
}

/// Adds the controllers of `scope` to `programs`. `groups` are the API groups that the server has,
/// `namespace` that of the command, and `in_part` the one that is read where all of them are
/// forbidden.
///
/// # Errors
/// When the cluster cannot be reached.
pub(super) async fn read(
    reader: &Reader,
    scope: &ControllerScope,
    groups: Option<&BTreeSet<String>>,
    (namespace, in_part): (&str, Option<&str>),
    programs: &mut Programs,
) -> Result<(), Error> {
    let may_serve = |kind: &ControllerKind| {
        kind.is_built_in() || groups.is_some_and(|groups| groups.contains(kind.group))
    };
    match scope {
        ControllerScope::None | ControllerScope::Kept => {}
        ControllerScope::Named(names) => {
            for named in names {
                let wanted = Wanted {
                    namespace: Some(named.namespace.as_deref().unwrap_or(namespace)),
                    name: Some(&named.name),
                };
                let kinds = KINDS.iter().chain([&REPLICATION_CONTROLLER, &JOB]);
                for kind in kinds.filter(|kind| kind.kind == named.kind && may_serve(kind)) {
                    list(reader, kind, &wanted, None, programs).await?;
                }
            }
        }
        ControllerScope::Incomplete => {
            let kinds = KINDS.iter().chain([&REPLICATION_CONTROLLER]);
            for kind in kinds.filter(|kind| may_serve(kind)) {
                list(reader, kind, &Wanted::default(), in_part, programs).await?;
            }
            programs.controllers.retain(|one| !one.is_complete());
        }
    }
    Ok(())
}

/// Adds to `programs` who changed nodes last, from their metadata alone. Nobody misses it where it
/// cannot be read.
///
/// # Errors
/// When the cluster cannot be reached.
pub(super) async fn read_node_changes(
    reader: &Reader,
    programs: &mut Programs,
) -> Result<(), Error> {
    let mut token = String::new();
    for _ in 0..MOST_PAGES {
        let rest = if token.is_empty() { String::new() } else { format!("&continue={token}") };
        let answer = reader.metadata(&format!("/api/v1/nodes?limit={PAGE}{rest}")).await?;
        if answer.status != StatusCode::OK {
            return Ok(());
        }
        let page: Page = serde_json::from_str(&answer.body).unwrap_or_default();
        programs.nodes.extend(page.items.iter().filter_map(|item| NodeChanges::of(item.get())));
        token = encode(&page.metadata.continue_token);
        if token.is_empty() {
            break;
        }
    }
    Ok(())
}

/// Adds to `programs` who may create what. A kind that cannot be read is named.
///
/// # Errors
/// When the cluster cannot be reached.
pub(super) async fn read_access(reader: &Reader, programs: &mut Programs) -> Result<(), Error> {
    for (kind, group, plural) in access::KINDS {
        let path = format!("/apis/{group}/v1/{plural}?limit={PAGE}");
        if let Some(reason) = read_access_of(reader, kind, &path, programs).await? {
            let resource = format!("{plural}.{group}");
            programs.unread_access.push(Unreadable { resource, reason });
        }
    }
    Ok(())
}

/// Reads the objects of one kind; why some of them are missing.
async fn read_access_of(
    reader: &Reader,
    kind: &str,
    path: &str,
    programs: &mut Programs,
) -> Result<Option<String>, Error> {
    let (mut token, mut unread) = (String::new(), None);
    for _ in 0..MOST_PAGES {
        let rest = if token.is_empty() { String::new() } else { format!("&continue={token}") };
        let answer = reader.get(&format!("{path}{rest}")).await?;
        if answer.status != StatusCode::OK {
            return Ok(Some(failure::server_message(&answer)));
        }
        let page: Page = match serde_json::from_str(&answer.body) {
            Ok(page) => page,
            Err(error) => return Ok(Some(not_a_list(&error))),
        };
        for item in &page.items {
            match AccessObject::of_list(kind, item.get()) {
                Some(object) => programs.access.push(object),
                None => unread = Some(format!("a {kind} cannot be parsed")),
            }
        }
        token = encode(&page.metadata.continue_token);
        if token.is_empty() {
            return Ok(unread);
        }
    }
    Ok(Some(too_many()))
}

fn not_a_list(error: &serde_json::Error) -> String {
    format!("the answer is not a list ({error})")
}

fn too_many() -> String {
    format!("only the first {} were read", words::group_digits(PAGE * MOST_PAGES))
}

/// Lists a kind, in the newest version that the server has.
async fn list(
    reader: &Reader,
    kind: &ControllerKind,
    wanted: &Wanted<'_>,
    in_part: Option<&str>,
    programs: &mut Programs,
) -> Result<(), Error> {
    for version in kind.versions {
        let mut is_served = true;
        let mut namespace = wanted.namespace;
        let mut token = String::new();
        for at in 1..=MOST_PAGES {
            let path = path(kind, version, namespace, wanted.name, &token);
            let answer = reader.get(&path).await?;
            match answer.status {
                StatusCode::OK => {}
                // The next version is tried.
                StatusCode::NOT_FOUND => {
                    is_served = false;
                    break;
                }
                // Whoever may not read all namespaces may read one.
                StatusCode::FORBIDDEN if namespace.is_none() && in_part.is_some() => {
                    namespace = in_part;
                    continue;
                }
                _ => {
                    let reason = failure::server_message(&answer);
                    programs
                        .unread_controllers
                        .push(Unreadable { resource: kind.resource(), reason });
                    return Ok(());
                }
            }
            let page: Page = match serde_json::from_str(&answer.body) {
                Ok(page) => page,
                Err(error) => {
                    let unread =
                        Unreadable { resource: kind.resource(), reason: not_a_list(&error) };
                    programs.unread_controllers.push(unread);
                    return Ok(());
                }
            };
            for item in &page.items {
                if *kind == JOB {
                    programs.suspensions.extend(Suspension::read(item.get()));
                } else {
                    let object = ControllerObject::of_list(kind, version, item.get());
                    programs.controllers.extend(object);
                }
            }
            token = page.metadata.continue_token;
            if token.is_empty() {
                break;
            }
            if at == MOST_PAGES {
                let unread = Unreadable { resource: kind.resource(), reason: too_many() };
                programs.unread_controllers.push(unread);
            }
        }
        if is_served {
            break;
        }
    }
    Ok(())
}

fn path(
    kind: &ControllerKind,
    version: &str,
    namespace: Option<&str>,
    name: Option<&str>,
    token: &str,
) -> String {
    let of = namespace.map_or_else(String::new, |one| format!("namespaces/{}/", encode(one)));
    let api =
        if kind.group.is_empty() { "/api".to_owned() } else { format!("/apis/{}", kind.group) };
    let mut path = format!("{api}/{version}/{of}{}?limit={PAGE}", kind.plural);
    if let Some(name) = name {
        path.push_str(&format!("&fieldSelector={}", encode(&format!("metadata.name={name}"))));
    }
    if !token.is_empty() {
        path.push_str(&format!("&continue={}", encode(token)));
    }
    path
}
