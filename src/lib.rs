pub mod capture;
pub mod cluster;
pub mod error;
pub mod snapshot;
