//! The configuration file, field by field; only the names are known of fields that do not affect
//! decisions.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::error::{ConfigError, ConfigStage};

macro_rules! strict {
    ($($(#[$meta:meta])* struct $name:ident { $($(#[$fmeta:meta])* $field:ident: $ty:ty,)* })+) => { $(
        $(#[$meta])*
        #[derive(Debug, Default, Clone, serde::Deserialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields, default, remote = "Self")]
        pub(super) struct $name {
            $($(#[$fmeta])* #[serde(deserialize_with = "crate::config::wire::nullable")] pub(super) $field: $ty,)*
        }

        model::object_only!(decode $name);

        $crate::config::wire::plain!($name);
    )+ };
}
pub(super) use strict;

/// A field, read as Go reads it: `null` is the zero value, even in a list.
pub(super) trait Field<'de>: Default {
    fn read<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error>;
}

/// Reads a field.
pub(super) fn nullable<'de, D: Deserializer<'de>, T: Field<'de>>(input: D) -> Result<T, D::Error> {
    T::read(input)
}

/// A value, or nothing in its place.
#[derive(Deserialize)]
#[serde(transparent, bound(deserialize = "T: Deserialize<'de>"))]
struct Item<T>(Option<T>);

impl<'de, T: Default + Deserialize<'de>> Field<'de> for Vec<T> {
    fn read<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let items = Option::<Vec<Item<T>>>::deserialize(input)?.unwrap_or_default();
        Ok(items.into_iter().map(|Item(item)| item.unwrap_or_default()).collect())
    }
}

impl<'de, T: Field<'de> + Deserialize<'de>> Field<'de> for Option<T> {
    fn read<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        Ok(Option::<Present<T>>::deserialize(input)?.map(|Present(value)| value))
    }
}

/// A value in an optional field.
struct Present<T>(T);

impl<'de, T: Field<'de>> Deserialize<'de> for Present<T> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        T::read(input).map(Self)
    }
}

/// Fields that are decoded as they are.
macro_rules! plain {
    ($($ty:ty),+) => { $(
        impl<'de> $crate::config::wire::Field<'de> for $ty {
            fn read<D: serde::Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
                let read: Option<Self> = serde::Deserialize::deserialize(input)?;
                Ok(read.unwrap_or_default())
            }
        }
    )+ };
}
pub(super) use plain;

plain!(String, bool, i32, i64, f32, Value);

/// Labels that do not affect decisions; a value may be `null`.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(from = "BTreeMap<String, Option<String>>")]
pub(super) struct Labels;

impl From<BTreeMap<String, Option<String>>> for Labels {
    fn from(_: BTreeMap<String, Option<String>>) -> Self {
        Self
    }
}

plain!(Labels);

/// A duration, not yet parsed; `null` is none.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(transparent)]
pub(super) struct Duration(pub(super) Option<String>);

impl<'de> Field<'de> for Duration {
    fn read<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let read = Self::deserialize(input)?;
        if read.0.is_none() {
            return Err(D::Error::custom("time: invalid duration \"\""));
        }
        Ok(read)
    }
}

/// Nanoseconds of a text such as `5s` or `-1m30s`.
///
/// # Errors
/// For an invalid text, in the scheduler's words.
pub(super) fn nanos(text: &str, path: &str) -> Result<i64, ConfigError> {
    go::parse_duration(text).ok_or_else(|| {
        ConfigError::new(path, format!("strict decoding error: time: invalid duration {text:?}"))
            .at(ConfigStage::Values)
    })
}

/// Nanoseconds as the scheduler's messages write them.
pub(super) fn duration_text(nanos: i64) -> String {
    let sign = if nanos < 0 { "-" } else { "" };
    format!("{sign}{:?}", std::time::Duration::from_nanos(nanos.unsigned_abs()))
}

/// Bytes, as base64. Parity: a list of numbers means as many bytes.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Bytes(pub(super) String);

impl<'de> Field<'de> for Bytes {
    fn read<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Text;

        impl<'de> Visitor<'de> for Text {
            type Value = Bytes;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_unit<E: Error>(self) -> Result<Bytes, E> {
                Ok(Bytes::default())
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Bytes, E> {
                Ok(Bytes(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Bytes, A::Error> {
                let mut bytes = Vec::new();
                while let Some(item) = items.next_element::<Option<u8>>()? {
                    bytes.push(item.unwrap_or_default());
                }
                Ok(Bytes(go::encode_base64(&bytes)))
            }
        }

        input.deserialize_any(Text)
    }
}

strict! {
    struct Configuration {
        api_version: String,
        kind: String,
        parallelism: Option<i32>,
        leader_election: LeaderElection,
        client_connection: ClientConnection,
        healthz_bind_address: Option<String>,
        metrics_bind_address: Option<String>,
        enable_profiling: Option<bool>,
        enable_contention_profiling: Option<bool>,
        percentage_of_nodes_to_score: Option<i32>,
        percentage_of_placements_to_score: Option<i32>,
        pod_initial_backoff_seconds: Option<i64>,
        pod_max_backoff_seconds: Option<i64>,
        profiles: Vec<Profile>,
        extenders: Vec<Extender>,
        delay_cache_until_active: bool,
        scheduler_name: Option<String>,
        algorithm_source: AlgorithmSource,
        hard_pod_affinity_symmetric_weight: Option<i32>,
        disable_preemption: bool,
        bind_timeout_seconds: Option<i64>,
        plugins: Option<Plugins>,
        plugin_config: Vec<PluginConfig>,
    }

    struct LeaderElection {
        leader_elect: Option<bool>,
        lease_duration: Duration,
        renew_deadline: Duration,
        retry_period: Duration,
        resource_lock: String,
        resource_name: String,
        resource_namespace: String,
        lock_object_namespace: String,
        lock_object_name: String,
    }

    struct ClientConnection {
        kubeconfig: String,
        accept_content_types: String,
        content_type: String,
        qps: f32,
        burst: i32,
    }

    struct AlgorithmSource {
        provider: Option<String>,
        policy: Option<PolicySource>,
    }

    struct PolicySource {
        file: Option<PolicyFile>,
        config_map: Option<PolicyConfigMap>,
    }

    struct PolicyFile {
        path: String,
    }

    struct PolicyConfigMap {
        namespace: String,
        name: String,
    }

    struct Profile {
        scheduler_name: Option<String>,
        percentage_of_nodes_to_score: Option<i32>,
        percentage_of_placements_to_score: Option<i32>,
        plugins: Option<Plugins>,
        plugin_config: Vec<PluginConfig>,
    }

    struct Plugins {
        multi_point: PluginSet,
        pre_enqueue: PluginSet,
        queue_sort: PluginSet,
        pre_filter: PluginSet,
        filter: PluginSet,
        post_filter: PluginSet,
        pod_group_post_filter: PluginSet,
        pre_score: PluginSet,
        score: PluginSet,
        reserve: PluginSet,
        permit: PluginSet,
        pre_bind: PluginSet,
        bind: PluginSet,
        post_bind: PluginSet,
        placement_generate: PluginSet,
        placement_score: PluginSet,
        placement_feasible: PluginSet,
        unreserve: PluginSet,
    }

    struct PluginSet {
        enabled: Vec<Plugin>,
        disabled: Vec<Plugin>,
    }

    struct Plugin {
        name: String,
        weight: i32,
    }

    struct PluginConfig {
        name: String,
        args: Value,
    }

    struct Extender {
        url_prefix: String,
        filter_verb: String,
        preempt_verb: String,
        prioritize_verb: String,
        weight: i64,
        bind_verb: String,
        #[serde(rename = "enableHTTPS", alias = "enableHttps")]
        enable_https: bool,
        tls_config: Tls,
        http_timeout: Value,
        node_cache_capable: bool,
        managed_resources: Vec<ManagedResource>,
        ignorable: bool,
    }

    struct Tls {
        insecure: bool,
        server_name: String,
        cert_file: String,
        key_file: String,
        ca_file: String,
        cert_data: Bytes,
        key_data: Bytes,
        ca_data: Bytes,
    }

    struct ManagedResource {
        name: String,
        ignored_by_scheduler: bool,
    }
}
