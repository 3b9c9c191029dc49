//! Requests to the API server and the meaning of its responses: the bodies of writes (`request`),
//! the outcomes of writes (`outcome`), reads of single pods (`pods`), of the budget that blocks an
//! eviction (`budget`), and watches (`observe`).

pub(super) mod budget;
pub(super) mod observe;
pub(super) mod outcome;
pub(super) mod pods;
pub(super) mod request;
