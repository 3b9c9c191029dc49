//! The configuration file, field by field; what decides nothing here is only known by name.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

macro_rules! strict {
    ($($(#[$meta:meta])* struct $name:ident { $($(#[$fmeta:meta])* $field:ident: $ty:ty,)* })+) => { $(
        $(#[$meta])*
        #[derive(Debug, Default, Clone, serde::Deserialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields, default, remote = "Self")]
        pub(super) struct $name {
            $($(#[$fmeta])* #[serde(deserialize_with = "crate::config::wire::nullable")] pub(super) $field: $ty,)*
        }

        model::object_only!(decode $name);
    )+ };
}
pub(super) use strict;

/// Go reads `null` as the zero value.
pub(super) fn nullable<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}

/// A field that decides nothing here.
pub(super) type Unused = Option<Anything>;

/// Any value.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "IgnoredAny")]
pub(super) struct Anything;

impl From<IgnoredAny> for Anything {
    fn from(_: IgnoredAny) -> Self {
        Self
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
        lease_duration: Option<Value>,
        renew_deadline: Option<Value>,
        retry_period: Option<Value>,
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
        cert_data: String,
        key_data: String,
        ca_data: String,
    }

    struct ManagedResource {
        name: String,
        ignored_by_scheduler: bool,
    }
}
