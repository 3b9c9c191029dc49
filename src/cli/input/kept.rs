//! Input that is read once and then kept up to date, for commands that decide repeatedly.

use super::{InputOptions, LoadedInput, place};
use crate::api::Env;
use crate::api::flags::ConnectionFlags;
use crate::capture::live::ListProgress;
use crate::capture::live::kept::{KeptCluster, KeptRead, Notify};
use crate::cli::flags::GlobalFlags;
use crate::cli::output;
use crate::error::Error;
use answers::input::{InputFlags, ReadObjects};
use answers::questions::pending::earlier::Changes;
use answers::target::Target;
use engine::cluster::build::Builder;

/// A kept cluster, and the default namespace.
pub struct KeptInput {
    pub cluster: KeptCluster,
    namespace: String,
    /// How a command asks about the same input.
    flags: InputFlags,
}

impl InputOptions<'_> {
    /// Reads the cluster and keeps it up to date from now on. `progress` receives the progress of
    /// the first read, and is dropped after it; `notify` is called with each event.
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
        let scope = self.scope(targets, global.namespace.as_deref());
        let whole = self.args.scheduler.call_extenders;
        let cluster = KeptCluster::open(env, connection, &scope, whole, &mut progress, notify);
        drop(progress);
        let cluster = cluster?;
        for warning in &cluster.info().warnings {
            output::warn(global, warning);
        }
        let namespace =
            global.namespace.clone().unwrap_or_else(|| cluster.info().namespace.clone());
        Ok(KeptInput { cluster, namespace, flags: self.flags(connection) })
    }

    /// The current state of the kept cluster.
    ///
    /// # Errors
    /// When the scheduler rejects its feature gates or configuration.
    pub fn read_kept(&self, kept: &KeptInput) -> Result<LoadedInput, Error> {
        self.read_kept_again(kept).map(|(input, _)| input)
    }

    /// The same, with what has changed since it was read before.
    ///
    /// # Errors
    /// As for [`Self::read_kept`].
    pub fn read_kept_again(&self, kept: &KeptInput) -> Result<(LoadedInput, Changes), Error> {
        let mut builder = Builder::new();
        let KeptRead { originals, changes } = kept.cluster.read(&mut builder);
        let (namespace, place) = (kept.namespace.clone(), place(kept.cluster.info()));
        let input = self.load(ReadObjects { builder, originals, place, namespace }, &kept.flags)?;
        Ok((input, changes))
    }
}
