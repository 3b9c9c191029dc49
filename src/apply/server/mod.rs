//! What is sent to the API server and what its answers mean: the bodies of writes (`request`), the
//! outcomes of writes (`outcome`), reads of single pods (`pods`), of the budget behind a blocked
//! eviction (`budget`), and watches (`observe`).

pub(super) mod budget;
pub(super) mod observe;
pub(super) mod outcome;
pub(super) mod pods;
pub(super) mod request;
