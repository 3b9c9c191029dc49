//! Configurations that only schedulers before 1.23 read: `Policy`.

pub mod policy;
