//! Numbers that are not the same in every order that is played.

/// A number that depends on the order in which pods come to the scheduler.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Range {
    pub fewest: usize,
    pub most: usize,
}

impl Range {
    pub(super) fn of(numbers: impl Iterator<Item = usize> + Clone) -> Self {
        let (fewest, most) = (numbers.clone().min(), numbers.max());
        Self { fewest: fewest.unwrap_or_default(), most: most.unwrap_or_default() }
    }
}
