//! `--call-extenders`: calls the scheduler's extenders with the pods and nodes of the input. Only
//! this file sends cluster data, and only to addresses of the scheduler's configuration.
//!
//! Upstream: `pkg/scheduler/extender.go`, `kube-scheduler/extender/v1/types.go` (1.37): fields are
//! sent under their Go names; field names of responses are case-insensitive.

use std::collections::BTreeMap;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Map, Value, json};

use crate::capture::live::webhook::{Webhook, WebhookOptions};
use crate::error::Error;
use crate::small_file::{self, NamedBy};
use engine::cluster::{Cluster, NodeIx, PodIx};
use engine::decode::Originals;
use engine::framework::extender_client::{
    ExtenderClient, ExtenderFilterResult, ExtenderVictims, NodeVictims,
};
use engine::login::Login;
use engine::plain::json_problem;
use engine::profile::config::Extender;

/// Calls the configured extenders about one cluster.
#[derive(Debug)]
pub struct Callers<'c> {
    cluster: &'c Cluster,
    originals: &'c Originals,
    hooks: BTreeMap<(String, Login), Webhook>,
}

impl<'c> Callers<'c> {
    /// Builds the clients of `extenders`.
    ///
    /// # Errors
    /// Invalid addresses or certificates.
    pub fn new(
        cluster: &'c Cluster,
        originals: &'c Originals,
        extenders: &[Extender],
    ) -> Result<Self, Error> {
        let mut hooks = BTreeMap::new();
        for extender in extenders {
            // Binding is asked of no extender: nothing is bound here.
            if extender.verbs().iter().any(|verb| *verb != "bind") {
                hooks.insert(Self::key(extender), Webhook::new(&options(extender)?)?);
            }
        }
        Ok(Self { cluster, originals, hooks })
    }

    fn key(extender: &Extender) -> (String, Login) {
        (extender.url.clone(), extender.login.clone())
    }

    fn hook(&self, extender: &Extender) -> Result<&Webhook, String> {
        self.hooks.get(&Self::key(extender)).ok_or_else(|| "there is no such extender".to_owned())
    }

    fn ask(&self, extender: &Extender, verb: &str, request: &Value) -> Result<Value, String> {
        let hook = self.hook(extender)?;
        let body = serde_json::to_vec(request).map_err(|e| e.to_string())?;
        let answer = hook.post(verb, body, self.cluster.nodes.len())?;
        match serde_json::Deserializer::from_slice(&answer).into_iter::<Value>().next() {
            Some(value) => {
                value.map_err(|e| format!("the answer is not JSON: {}", json_problem(&e)))
            }
            None => Err("EOF".to_owned()),
        }
    }

    /// The complete pod, or only its names if the input has no complete pods.
    fn pod(&self, ix: PodIx) -> Value {
        let pod = self.cluster.pod(ix);
        let namespace = self.cluster.text(pod.namespace);
        self.originals.pod(namespace, &pod.name).cloned().unwrap_or_else(
            || json!({"metadata": {"name": &*pod.name, "namespace": namespace, "uid": &*pod.uid}}),
        )
    }

    fn node(&self, node: NodeIx) -> Value {
        let name = self.cluster.node_name(node);
        self.originals.node(name).cloned().unwrap_or_else(|| json!({"metadata": {"name": name}}))
    }

    /// `ExtenderArgs`.
    fn args(&self, extender: &Extender, pod: PodIx, nodes: &[NodeIx]) -> Value {
        let pod = self.pod(pod);
        if extender.node_cache_capable {
            let names: Vec<&str> = nodes.iter().map(|node| self.cluster.node_name(*node)).collect();
            return json!({"Pod": pod, "Nodes": null, "NodeNames": names});
        }
        let items: Vec<Value> = nodes.iter().map(|node| self.node(*node)).collect();
        json!({"Pod": pod, "Nodes": {"metadata": {}, "items": items}, "NodeNames": null})
    }
}

impl ExtenderClient for Callers<'_> {
    fn filter(
        &self,
        extender: &Extender,
        pod: PodIx,
        nodes: &[NodeIx],
    ) -> Result<ExtenderFilterResult, String> {
        let answer = self.ask(extender, &extender.filter_verb, &self.args(extender, pod, nodes))?;
        let answer = object(&answer)?;
        let items = field(answer, "Nodes")
            .and_then(|list| field(list.as_object()?, "Items"))
            .and_then(Value::as_array);
        // A response may repeat the login in messages, but not in names of nodes, which are
        // compared.
        let hook = self.hook(extender)?;
        let name = |node: &Value| {
            node.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        Ok(ExtenderFilterResult {
            error: hook.mask(
                field(answer, "Error").and_then(Value::as_str).unwrap_or_default().to_owned(),
            ),
            names: field(answer, "NodeNames").map(texts).transpose()?,
            // A list without items is an empty list.
            nodes: field(answer, "Nodes").map(|_| items.into_iter().flatten().map(name).collect()),
            failed: reasons(field(answer, "FailedNodes"), hook)?,
            unresolvable: reasons(field(answer, "FailedAndUnresolvableNodes"), hook)?,
        })
    }

    fn prioritize(
        &self,
        extender: &Extender,
        pod: PodIx,
        nodes: &[NodeIx],
    ) -> Result<Vec<(String, i64)>, String> {
        let answer =
            self.ask(extender, &extender.prioritize_verb, &self.args(extender, pod, nodes))?;
        let list = answer.as_array().ok_or_else(|| wrong(&answer, "a list"))?;
        let mut scores = Vec::with_capacity(list.len());
        for entry in list {
            let entry = object(entry)?;
            let host = field(entry, "Host").and_then(Value::as_str).unwrap_or_default();
            let score = field(entry, "Score")
                .map_or(Ok(0), |s| s.as_i64().ok_or_else(|| wrong(s, "a whole number")))?;
            scores.push((host.to_owned(), score));
        }
        Ok(scores)
    }

    fn preempt(
        &self,
        extender: &Extender,
        pod: PodIx,
        proposed: &[NodeVictims],
    ) -> Result<Vec<ExtenderVictims>, String> {
        // An extender with a cache of its own gets UIDs, all others the pods themselves.
        let mut map = serde_json::Map::new();
        for proposal in proposed {
            let victims = proposal.victims.iter();
            let pods: Vec<Value> = if extender.node_cache_capable {
                victims.map(|pod| json!({"UID": &*self.cluster.pod(*pod).uid})).collect()
            } else {
                victims.map(|pod| self.pod(*pod)).collect()
            };
            let victims = json!({"Pods": pods, "NumPDBViolations": proposal.violations});
            map.insert(self.cluster.node_name(proposal.node).to_owned(), victims);
        }
        let map = Value::Object(map);
        let (whole, meta) =
            if extender.node_cache_capable { (Value::Null, map) } else { (map, Value::Null) };
        let request = json!({"Pod": self.pod(pod), "NodeNameToVictims": whole, "NodeNameToMetaVictims": meta});
        let answer = self.ask(extender, &extender.preempt_verb, &request)?;
        let nodes = field(object(&answer)?, "NodeNameToMetaVictims").map(object).transpose()?;
        nodes.into_iter().flatten().map(|(node, victims)| answered(node, victims)).collect()
    }
}

/// `MetaVictims` of one node. A null victim is treated like null victims: kube-scheduler
/// dereferences both.
fn answered(node: &str, victims: &Value) -> Result<ExtenderVictims, String> {
    if victims.is_null() {
        return Ok(ExtenderVictims { node: node.to_owned(), victims: None, violations: 0 });
    }
    let victims = object(victims)?;
    let mut uids = Some(Vec::new());
    for pod in field(victims, "Pods").and_then(Value::as_array).into_iter().flatten() {
        if pod.is_null() {
            uids = None;
            break;
        }
        let uid = field(object(pod)?, "UID").and_then(Value::as_str).unwrap_or_default();
        uids.iter_mut().for_each(|uids| uids.push(uid.to_owned()));
    }
    let violations = field(victims, "NumPDBViolations").and_then(Value::as_i64).unwrap_or(0);
    Ok(ExtenderVictims { node: node.to_owned(), victims: uids, violations })
}

/// A field by its Go name, case-insensitive; null is absent.
fn field<'v>(object: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    let exact = object.get(name);
    exact
        .or_else(|| object.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, v)| v))
        .filter(|v| !v.is_null())
}

fn object(value: &Value) -> Result<&Map<String, Value>, String> {
    value.as_object().ok_or_else(|| wrong(value, "an object"))
}

fn texts(value: &Value) -> Result<Vec<String>, String> {
    let list = value.as_array().ok_or_else(|| wrong(value, "a list"))?;
    list.iter()
        .map(|text| text.as_str().map(str::to_owned).ok_or_else(|| wrong(text, "a text")))
        .collect()
}

fn reasons(value: Option<&Value>, hook: &Webhook) -> Result<BTreeMap<String, String>, String> {
    let mut reasons = BTreeMap::new();
    for (node, text) in value.map(object).transpose()?.into_iter().flatten() {
        let text = text.as_str().ok_or_else(|| wrong(text, "a text"))?;
        reasons.insert(node.clone(), hook.mask(text.to_owned()));
    }
    Ok(reasons)
}

fn wrong(found: &Value, wanted: &str) -> String {
    let found = match found {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    format!("the answer has {found} where {wanted} belongs")
}

/// The connection parameters of an extender. The files of its `tlsConfig` are read on this machine.
fn options(extender: &Extender) -> Result<WebhookOptions, Error> {
    let tls = &extender.tls;
    let origin = format!("extender {}", extender.url);
    let read = |data: &str, file: &str, what: &str| -> Result<Vec<u8>, Error> {
        if !data.is_empty() {
            let decoded = BASE64.decode(data.trim());
            return decoded.map_err(|e| {
                Error::input(&origin, format!("tlsConfig.{what}Data is not base64: {e}"))
            });
        }
        if file.is_empty() {
            return Ok(Vec::new());
        }
        small_file::read(Path::new(file), NamedBy::File)
            .map_err(|e| Error::input(&origin, format!("tlsConfig.{what}File {file}: {e}")))
    };
    let authority = read(&tls.ca_data, &tls.ca_file, "ca")?;
    Ok(WebhookOptions {
        url: extender.url.clone(),
        login: extender.login.clone(),
        timeout: extender.timeout,
        // Without a CA, enableHTTPS disables the check of certificates.
        insecure: tls.insecure || tls.https && authority.is_empty(),
        server_name: tls.server_name.clone(),
        authority,
        identity: (
            read(&tls.cert_data, &tls.cert_file, "cert")?,
            read(&tls.key_data, &tls.key_file, "key")?,
        ),
    })
}
