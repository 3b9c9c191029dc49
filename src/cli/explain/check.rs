//! The flags of the `simulate` command that asks about the same input as an `explain`.

use super::super::input::InputArgs;
use crate::api::flags::ConnectionFlags;
use answers::explain::CheckFlags;

/// The flags that say where the objects come from and who decides.
pub(super) fn flags(input: &InputArgs, connection: &ConnectionFlags) -> CheckFlags {
    let mut flags = CheckFlags::default();
    for from in &input.from {
        flags.push("--from", Some(from.clone()));
    }
    flags.push("--now", input.now.clone());
    let scheduler = &input.scheduler;
    flags.push("--scheduler-version", scheduler.scheduler_version.clone());
    flags.push("--scheduler-config", scheduler.scheduler_config.clone());
    flags.push("--scheduler-configmap", scheduler.scheduler_configmap.clone());
    for gates in &scheduler.feature_gates {
        flags.push("--feature-gates", Some(gates.clone()));
    }
    let kubeconfig = connection.kubeconfig.as_ref().map(|path| path.display().to_string());
    flags.push("--kubeconfig", kubeconfig);
    flags.push("--context", connection.context.clone());
    flags
}
