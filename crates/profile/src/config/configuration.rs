//! A decoded configuration.

use super::api::Api;
use super::extender::Extender;
use super::settings::{ConfigRemark, ProfileSettings};

/// A configuration, as far as it affects decisions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configuration {
    /// The version it is written in.
    pub api: Api,
    /// One per `schedulerName`, at least one.
    pub profiles: Vec<ProfileSettings>,
    /// Webhooks that the scheduler calls, in the order of the file.
    pub extenders: Vec<Extender>,
    /// What the scheduler ignores, or what is unknown here.
    pub remarks: Vec<ConfigRemark>,
}
