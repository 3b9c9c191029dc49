//! A configuration that was read.

use super::api::Api;
use super::extender::Extender;
use super::settings::{ProfileSettings, Remark};

/// A configuration as far as it decides anything here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configuration {
    /// Which of the versions it is written in.
    pub api: Api,
    /// One per `schedulerName`, at least one.
    pub profiles: Vec<ProfileSettings>,
    /// Webhooks that the scheduler asks, in the order of the file.
    pub extenders: Vec<Extender>,
    /// What of it the scheduler passes over, or what is not known here.
    pub remarks: Vec<Remark>,
}
