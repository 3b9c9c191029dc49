pub mod capture;
pub mod cli;
pub mod cluster;
pub mod error;
pub mod snapshot;
