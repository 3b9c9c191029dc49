//! How schedulers before 1.23 are configured: the lists of their default plugins, and algorithm
//! providers.

pub mod lists;
pub mod provider;
