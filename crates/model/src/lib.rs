//! Kubernetes objects as `kubectl preempt` reads them: which fields of which kinds, how text
//! becomes objects, and the facts of a cluster that every kube-scheduler version shares. Pure: no
//! IO.

pub mod cluster;
pub mod decode;
pub mod edits;
pub mod labels;
pub mod login;
pub mod notes;
pub mod object_only;
pub mod parallel;
pub mod plain;
pub mod snapshot;
pub mod words;
pub mod wrong_value;
