//! The state of the search: its position and the devices picked so far.

use super::AllocationError;
use super::compatibility::Before;
use super::pools::PoolKey;
use super::requests::PooledDevice;
use model::cluster::{Quantity, Sym};

/// Why the search stops before it has a result.
pub(super) enum SearchStop {
    /// The claim would exceed the limit of devices; another alternative may need fewer.
    TooMany,
    /// The allocation failed.
    AllocationError(AllocationError),
}

impl From<AllocationError> for SearchStop {
    fn from(error: AllocationError) -> Self {
        Self::AllocationError(error)
    }
}

/// What the search allocates next: indices of claim, request and alternative, and of the device in
/// the request.
#[derive(Clone, Copy)]
pub(super) struct Cursor {
    pub claim: usize,
    pub request: usize,
    pub alternative: usize,
    /// Whether the alternative of the request is already chosen, so that no other one is tried.
    pub alternative_chosen: bool,
    pub device: usize,
}

impl Cursor {
    /// The first device of a claim.
    pub(super) const fn of_claim(claim: usize) -> Self {
        Self { claim, request: 0, alternative: 0, alternative_chosen: false, device: 0 }
    }

    /// The first device of the next request.
    pub(super) const fn next_request(self) -> Self {
        Self { request: self.request + 1, ..Self::of_claim(self.claim) }
    }
}

/// Where to start trying devices: the pool, and the device in it.
#[derive(Clone, Copy, Default)]
pub(super) struct DevicePosition {
    pub pool: usize,
    pub device: usize,
}

/// A device that was picked for a request.
pub(super) struct Pick<'c> {
    pub found: PooledDevice<'c>,
    /// Whether the request is for admin access.
    pub admin_access: bool,
    /// Names of the request and of its alternative.
    pub requester: (Sym, Option<Sym>),
    /// Whether the device was added to the picked ones; undone with the pick.
    pub marked: bool,
    pub counted: Option<ConsumedCounters>,
    pub shared: Option<CapacityShare>,
}

/// The counters that a device consumes.
pub(super) struct ConsumedCounters {
    pub key: PoolKey,
    /// The compatibility groups before the pick, if they matter.
    pub groups: Option<Before>,
}

/// The result of consuming counters or capacity for a device.
pub(super) enum TakeResult<T> {
    /// The remaining amount is too small.
    TooLittle,
    /// The device consumes nothing.
    Nothing,
    /// What was consumed.
    This(T),
}

/// A part of the capacity of a shared device.
pub(super) struct CapacityShare {
    pub amounts: Vec<(Sym, Quantity)>,
    /// Whether it is the first part that was picked of this device.
    pub is_first: bool,
}
