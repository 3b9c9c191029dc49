//! The `simulate` command for the same pod and input as an `explain`.

use super::super::input::InputArgs;
use crate::api::flags::ConnectionFlags;
use engine::cluster::Cluster;
use engine::cluster::pod::PodIx;

/// The command without the program's name, to which the flags of assumptions are appended.
pub(super) fn command(
    input: &InputArgs,
    connection: &ConnectionFlags,
    cluster: &Cluster,
    pod: PodIx,
) -> Vec<String> {
    let pod = cluster.pod(pod);
    let mut words = vec!["simulate".to_owned(), pod.name.to_string()];
    words.extend(["-n".to_owned(), cluster.text(pod.namespace).to_owned()]);
    let mut flag = |name: &str, value: Option<String>| {
        words.extend(value.into_iter().flat_map(|value| [name.to_owned(), value]));
    };
    flag("--from", input.from.clone());
    flag("--now", input.now.clone());
    let scheduler = &input.scheduler;
    flag("--scheduler-version", scheduler.scheduler_version.clone());
    flag("--scheduler-config", scheduler.scheduler_config.clone());
    flag("--scheduler-configmap", scheduler.scheduler_configmap.clone());
    for gates in &scheduler.feature_gates {
        flag("--feature-gates", Some(gates.clone()));
    }
    flag("--kubeconfig", connection.kubeconfig.as_ref().map(|path| path.display().to_string()));
    flag("--context", connection.context.clone());
    words
}
