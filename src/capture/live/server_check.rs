//! Has the API server check the manifests of a change in dry runs (`--dry-run=server`): admission and
//! validation refuse what they would refuse.

use std::collections::BTreeMap;

use http::StatusCode;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{APIResource, APIResourceList};
use serde_json::Value;

use crate::api::Env;
use crate::api::checker::{Checked, Checker, is_own};
use crate::api::client::Reader;
use crate::api::config;
use crate::api::flags::ConnectionFlags;
use crate::api::inquiry;
use crate::api::runtime;
use crate::api::url::encode;
use crate::error::Error;
use answers::doctor::access::AccessDecision;
use answers::new_pods::{Manifest, name_in_manifest};

/// Why the user lacks a permission, if so: by verb and resource, and by namespace.
type Permissions = BTreeMap<(String, String), Option<String>>;

/// Asks the server about each manifest: what it refuses is written into the manifest. Returns of which
/// objects it was not asked, and why. `namespace` is that of manifests that name none.
///
/// # Errors
/// When the cluster cannot be reached.
pub fn check(
    env: &Env,
    flags: &ConnectionFlags,
    manifests: &mut [Manifest],
    namespace: &str,
) -> Result<Vec<String>, Error> {
    let runtime = runtime::start("start checking manifests")?;
    let connection = config::resolve(flags, env)?;
    let not_asked = runtime.block_on(async {
        let mut check = ServerCheck {
            reader: Reader::new(connection.clone(), flags.request_timeout)?,
            checker: Checker::new(connection, flags.request_timeout)?,
            namespace,
            resources: BTreeMap::new(),
            permissions: BTreeMap::new(),
            made: made(manifests),
        };
        let mut not_asked: Vec<String> = Vec::new();
        for manifest in manifests {
            match check.one(&manifest.object).await {
                Checked::Taken => {}
                Checked::Refused(why) => manifest.refusal = Some(why),
                Checked::Unknown(why) => {
                    let kind = text(&manifest.object, "/kind");
                    let (_, name) = name_in_manifest(&manifest.object);
                    not_asked.push(format!("{kind} {name}: {why}"));
                }
            }
        }
        Ok(not_asked)
    });
    // Does not wait for a DNS lookup in flight.
    runtime.shutdown_background();
    not_asked
}

fn text<'v>(object: &'v Value, path: &str) -> &'v str {
    object.pointer(path).and_then(Value::as_str).unwrap_or_default()
}

/// Kind and name of what the change itself makes and other objects of it may need: a dry run stores
/// none of it.
fn made(manifests: &[Manifest]) -> Vec<(String, String)> {
    let needed = [
        "Namespace",
        "CustomResourceDefinition",
        "PriorityClass",
        "RuntimeClass",
        "ServiceAccount",
    ];
    let objects = manifests.iter().map(|manifest| &manifest.object);
    objects
        .filter(|object| needed.contains(&text(object, "/kind")))
        .map(|object| (text(object, "/kind").to_owned(), name_in_manifest(object).1))
        .collect()
}

struct ServerCheck<'c> {
    reader: Reader,
    checker: Checker,
    namespace: &'c str,
    /// The resources of each API version, and why they are not known.
    resources: BTreeMap<String, Result<Vec<APIResource>, String>>,
    permissions: Permissions,
    made: Vec<(String, String)>,
}

impl ServerCheck<'_> {
    fn makes(&self, kind: &str, name: &str) -> bool {
        self.made.iter().any(|(of, other)| of == kind && other == name)
    }

    async fn one(&mut self, object: &Value) -> Checked {
        let (version, kind) = (text(object, "/apiVersion"), text(object, "/kind"));
        let (own, name) = name_in_manifest(object);
        let namespace = if own.is_empty() { self.namespace.to_owned() } else { own };
        let resource = match self.resource(version, kind).await {
            Ok(Some(resource)) => resource,
            Ok(None) if self.made.iter().any(|(of, _)| of == "CustomResourceDefinition") => {
                return Checked::Unknown("its kind may be one that the change defines".to_owned());
            }
            Ok(None) => {
                return Checked::Refused(format!(
                    "no matches for kind \"{kind}\" in version \"{version}\": ensure CRDs are installed first"
                ));
            }
            Err(why) => return Checked::Unknown(why),
        };
        if !is_own(version) {
            let why = format!("an API server that does not know dry runs may serve {version}");
            return Checked::Unknown(why);
        }
        // A dry run stores nothing, so that what the change makes does not exist for later objects.
        for (of, needed) in [
            ("Namespace", namespace.as_str()),
            ("PriorityClass", text(object, "/spec/priorityClassName")),
            ("RuntimeClass", text(object, "/spec/runtimeClassName")),
            ("ServiceAccount", text(object, "/spec/serviceAccountName")),
        ] {
            if resource.namespaced && self.makes(of, needed) {
                return Checked::Unknown(format!("the change makes {of} {needed} first"));
            }
        }

        let group = version.split_once('/').map_or("", |(group, _)| group);
        let verbs: &[&str] = if name.is_empty() { &["create"] } else { &["patch", "create"] };
        let place = if resource.namespaced { namespace.as_str() } else { "" };
        if let Some(why) = self.lacks(group, &resource.name, place, verbs).await {
            return Checked::Unknown(why);
        }
        let root =
            if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{version}") };
        let path = if resource.namespaced {
            format!("{root}/namespaces/{}/{}", encode(place), resource.name)
        } else {
            format!("{root}/{}", resource.name)
        };
        let name = (!name.is_empty()).then_some(name.as_str());
        self.checker.check(&path, name, applied(object).to_string()).await
    }

    /// The resource of a kind; `None` if the server has none.
    async fn resource(&mut self, version: &str, kind: &str) -> Result<Option<APIResource>, String> {
        if !self.resources.contains_key(version) {
            let list = self.list(version).await;
            self.resources.insert(version.to_owned(), list);
        }
        let resources = match self.resources.get(version) {
            Some(Ok(resources)) => resources,
            Some(Err(why)) => return Err(why.clone()),
            None => return Ok(None),
        };
        let is_it = |one: &&APIResource| one.kind == kind && !one.name.contains('/');
        Ok(resources.iter().find(is_it).cloned())
    }

    async fn list(&self, version: &str) -> Result<Vec<APIResource>, String> {
        let root = if version.contains('/') { "/apis/" } else { "/api/" };
        let path = format!("{root}{version}");
        let answer = self.reader.get(&path).await.map_err(|error| error.to_string())?;
        match answer.status {
            StatusCode::OK => serde_json::from_str::<APIResourceList>(&answer.body)
                .map(|list| list.resources)
                .map_err(|error| error.to_string()),
            StatusCode::NOT_FOUND => Ok(Vec::new()),
            status => Err(format!("{path} answers {status}")),
        }
    }

    /// Why the user may not have the server apply objects of a resource; `None` if that is allowed.
    async fn lacks(
        &mut self,
        group: &str,
        resource: &str,
        namespace: &str,
        verbs: &[&str],
    ) -> Option<String> {
        for verb in verbs {
            let key = (format!("{verb} {resource}.{group}"), namespace.to_owned());
            if !self.permissions.contains_key(&key) {
                let place = Some(namespace).filter(|namespace| !namespace.is_empty());
                let asked = [verb, group, resource, ""];
                let why = match inquiry::may_on(&self.reader, asked, place).await {
                    AccessDecision::Allowed(_) => None,
                    AccessDecision::Unknown(why) => Some(why),
                    _ => Some(format!("you may not {verb} {resource}")),
                };
                self.permissions.insert(key.clone(), why);
            }
            let why = self.permissions.get(&key).cloned().flatten();
            if why.is_some() {
                return why;
            }
        }
        None
    }
}

/// The object as it is applied: without what only the server writes.
fn applied(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(fields) = object.as_object_mut() {
        fields.remove("status");
    }
    if let Some(meta) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        for field in ["managedFields", "resourceVersion", "uid", "creationTimestamp", "generation"]
        {
            meta.remove(field);
        }
    }
    object
}
