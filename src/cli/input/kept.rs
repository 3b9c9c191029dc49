//! Input that is read once and then kept up to date, for commands that decide again and again.

use super::{InputOptions, LoadedInput, place};
use crate::api::Env;
use crate::api::flags::ConnectionFlags;
use crate::capture::live::ListProgress;
use crate::capture::live::kept::{KeptCluster, Notify};
use crate::cli::flags::GlobalFlags;
use crate::cli::output;
use crate::cli::subject::Target;
use crate::error::Error;
use engine::cluster::build::Builder;

/// A cluster that is kept up to date, and the namespace of pods that are named without one.
pub struct KeptInput {
    /// What is kept.
    pub cluster: KeptCluster,
    namespace: String,
}

impl InputOptions<'_> {
    /// Reads the cluster, and keeps it up to date from now on. `progress` gets what has been read,
    /// and is dropped after that; `notify` is called with each event.
    ///
    /// # Errors
    /// When the cluster cannot be read.
    pub fn keep(
        &self,
        env: &Env,
        targets: &[Target],
        global: &GlobalFlags,
        connection: &ConnectionFlags,
        mut progress: impl FnMut(ListProgress),
        notify: Notify,
    ) -> Result<KeptInput, Error> {
        self.check_version()?;
        let scope = self.scope(targets);
        let whole = self.args.scheduler.call_extenders;
        let cluster = KeptCluster::open(env, connection, &scope, whole, &mut progress, notify);
        drop(progress);
        let cluster = cluster?;
        for warning in &cluster.info().warnings {
            output::warn(global, warning);
        }
        let namespace =
            global.namespace.clone().unwrap_or_else(|| cluster.info().namespace.clone());
        Ok(KeptInput { cluster, namespace })
    }

    /// What is kept, as it is now.
    ///
    /// # Errors
    /// When the scheduler refuses its feature gates or configuration.
    pub fn read_kept(&self, kept: &KeptInput) -> Result<LoadedInput, Error> {
        let mut builder = Builder::new();
        let originals = kept.cluster.read(&mut builder);
        self.load(builder, originals, (kept.namespace.clone(), place(kept.cluster.info())))
    }
}
