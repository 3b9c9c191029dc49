//! What the search holds on to: where it is, and what it has picked.

use super::pools::PoolKey;
use super::requests::PooledDevice;
use super::{AllocatedDevice, AllocationError};
use crate::cluster::quantity::Quantity;
use crate::cluster::symbols::Sym;

/// Why the search stops short of an answer.
pub(super) enum Stop {
    /// The claim would get more devices than it may have; another alternative may need fewer.
    TooMany,
    /// For good.
    AllocationError(AllocationError),
}

impl From<AllocationError> for Stop {
    fn from(error: AllocationError) -> Self {
        Self::AllocationError(error)
    }
}

/// Where the search is: claim, request, alternative, number of the device in the request.
#[derive(Clone, Copy)]
pub(super) struct Cursor {
    pub claim: usize,
    pub request: usize,
    pub alternative: usize,
    pub device: usize,
}

/// A device that was picked for a request.
pub(super) struct Pick<'c> {
    pub found: PooledDevice<'c>,
    pub granted: AllocatedDevice,
    pub requester: (Sym, Option<Sym>),
    /// What to undo, besides constraints.
    pub marked: bool,
    pub counted: Option<PoolKey>,
    pub shared: Option<CapacityShare>,
}

/// What was taken for a device.
pub(super) enum TakeResult<T> {
    /// There is not enough.
    TooLittle,
    /// It takes nothing.
    Nothing,
    /// This.
    This(T),
}

/// A share of a device.
pub(super) struct CapacityShare {
    pub amounts: Vec<(Sym, Quantity)>,
    /// Whether no other was picked before.
    pub is_first: bool,
}
