//! Go's unstable sort, reproduced up to the positions of elements that tie.
//!
//! `sort.Slice` is not stable, so the positions of elements that tie depend on the algorithm:
//! insertion sort up to twelve items, pattern-defeating quicksort (Orson Peters, arXiv:2106.05123,
//! without its block partitioning) above. This is that algorithm with the parameters of Go 1.19 and
//! newer; another one would reprieve other pods of a tie.

#![expect(
    clippy::indexing_slicing,
    reason = "every index is derived from the bounds of the slice that is sorted"
)]

/// The largest slice that is sorted by insertion.
const SMALL: usize = 12;
/// The smallest slice whose pivot is a median of medians; an almost sorted slice of this size is
/// repaired in place.
const LARGE: usize = 50;
/// The number of exchanges while the pivot is chosen that indicates a descending slice.
const ALL_EXCHANGED: usize = 12;
/// The most out-of-order pairs that are repaired in an almost sorted slice.
const REPAIRS: usize = 5;

/// Sorts `items` by `less` as `sort.Slice` does, with ties in the same positions.
pub fn sort_slice<T>(items: &mut [T], less: impl Fn(&T, &T) -> bool) {
    let bad_pivots_allowed = usize::BITS - items.len().leading_zeros();
    let end = items.len();
    Sorter { items, less }.quick(0, end, bad_pivots_allowed);
}

struct Sorter<'i, T, F> {
    items: &'i mut [T],
    less: F,
}

/// The order of the slice as the choice of the pivot indicates it. Go calls it `sortedHint`.
#[derive(PartialEq, Eq)]
enum OrderHint {
    Ascending,
    Descending,
    Mixed,
}

impl<T, F: Fn(&T, &T) -> bool> Sorter<'_, T, F> {
    fn less(&self, a: usize, b: usize) -> bool {
        (self.less)(&self.items[a], &self.items[b])
    }

    fn quick(&mut self, mut from: usize, mut to: usize, mut bad_pivots_allowed: u32) {
        let (mut balanced, mut was_partitioned) = (true, true);
        while to - from > SMALL {
            let length = to - from;
            if bad_pivots_allowed == 0 {
                self.heap(from, to);
                return;
            }
            if !balanced {
                self.scatter(from, to);
                bad_pivots_allowed -= 1;
            }
            let (mut pivot, mut order_hint) = self.choose_pivot(from, to);
            if order_hint == OrderHint::Descending {
                self.items[from..to].reverse();
                pivot = (to - 1) - (pivot - from);
                order_hint = OrderHint::Ascending;
            }
            if balanced
                && was_partitioned
                && order_hint == OrderHint::Ascending
                && self.repair(from, to)
            {
                return;
            }
            // No item here is less than the one before the slice: if the pivot equals that one,
            // many others do, too.
            if from > 0 && !self.less(from - 1, pivot) {
                from = self.split_off_equal(from, to, pivot);
                continue;
            }
            let middle;
            (middle, was_partitioned) = self.partition(from, to, pivot);
            let (left, right) = (middle - from, to - middle);
            balanced = left.min(right) >= length / 8;
            if left < right {
                self.quick(from, middle, bad_pivots_allowed);
                from = middle + 1;
            } else {
                self.quick(middle + 1, to, bad_pivots_allowed);
                to = middle;
            }
        }
        self.insertion(from, to);
    }

    fn insertion(&mut self, from: usize, to: usize) {
        for start in from + 1..to {
            let mut at = start;
            while at > from && self.less(at, at - 1) {
                self.items.swap(at, at - 1);
                at -= 1;
            }
        }
    }

    fn heap(&mut self, from: usize, to: usize) {
        let length = to - from;
        for root in (0..=(length - 1) / 2).rev() {
            self.sift_down(root, length, from);
        }
        for last in (0..length).rev() {
            self.items.swap(from, from + last);
            self.sift_down(0, last, from);
        }
    }

    fn sift_down(&mut self, mut root: usize, length: usize, from: usize) {
        loop {
            let mut child = 2 * root + 1;
            if child >= length {
                return;
            }
            if child + 1 < length && self.less(from + child, from + child + 1) {
                child += 1;
            }
            if !self.less(from + root, from + child) {
                return;
            }
            self.items.swap(from + root, from + child);
            root = child;
        }
    }

    /// Moves items less than the pivot to its left and the others to its right. Returns the
    /// position of the pivot, and whether the slice was partitioned already.
    fn partition(&mut self, from: usize, to: usize, pivot: usize) -> (usize, bool) {
        self.items.swap(from, pivot);
        let (mut low, mut high) = (from + 1, to - 1);
        let mut untouched = true;
        loop {
            while low <= high && self.less(low, from) {
                low += 1;
            }
            while low <= high && !self.less(high, from) {
                high -= 1;
            }
            if low > high {
                self.items.swap(high, from);
                return (high, untouched);
            }
            untouched = false;
            self.items.swap(low, high);
            low += 1;
            high -= 1;
        }
    }

    /// Moves items equal to the pivot to the front. Returns the position of the first greater one.
    fn split_off_equal(&mut self, from: usize, to: usize, pivot: usize) -> usize {
        self.items.swap(from, pivot);
        let (mut low, mut high) = (from + 1, to - 1);
        loop {
            while low <= high && !self.less(from, low) {
                low += 1;
            }
            while low <= high && self.less(from, high) {
                high -= 1;
            }
            if low > high {
                return low;
            }
            self.items.swap(low, high);
            low += 1;
            high -= 1;
        }
    }

    /// Sorts a slice in which only a few adjacent items are out of order; false if there are more.
    fn repair(&mut self, from: usize, to: usize) -> bool {
        let mut at = from + 1;
        for _ in 0..REPAIRS {
            while at < to && !self.less(at, at - 1) {
                at += 1;
            }
            if at == to {
                return true;
            }
            if to - from < LARGE {
                return false;
            }

            // Of a pair that was exchanged, the smaller item moves left and the larger one right.
            self.items.swap(at, at - 1);
            if at - from >= 2 {
                let mut left = at - 1;
                while left >= 1 && self.less(left, left - 1) {
                    self.items.swap(left, left - 1);
                    left -= 1;
                }
            }
            if to - at >= 2 {
                let mut right = at + 1;
                while right < to && self.less(right, right - 1) {
                    self.items.swap(right, right - 1);
                    right += 1;
                }
            }
        }
        false
    }

    /// Swaps a few items pseudo-randomly, so that no input makes every pivot a bad one.
    fn scatter(&mut self, from: usize, to: usize) {
        let length = to - from;
        let mut state = length as u64;
        let mask = (1usize << (usize::BITS - length.leading_zeros())) - 1;
        let middle = from + (length / 4) * 2;
        for at in middle - 1..=middle + 1 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let mut other = (state as usize) & mask;
            if other >= length {
                other -= length;
            }
            self.items.swap(at, from + other);
        }
    }

    fn choose_pivot(&self, from: usize, to: usize) -> (usize, OrderHint) {
        let quarter = (to - from) / 4;
        let mut exchanged = 0;
        let mut quartiles = [from + quarter, from + quarter * 2, from + quarter * 3];
        if to - from >= LARGE {
            quartiles = quartiles.map(|at| self.median([at - 1, at, at + 1], &mut exchanged));
        }
        let pivot = self.median(quartiles, &mut exchanged);
        let order_hint = match exchanged {
            0 => OrderHint::Ascending,
            ALL_EXCHANGED => OrderHint::Descending,
            _ => OrderHint::Mixed,
        };
        (pivot, order_hint)
    }

    fn median(&self, [a, b, c]: [usize; 3], exchanged: &mut usize) -> usize {
        let [a, b] = self.ordered([a, b], exchanged);
        let [b, _] = self.ordered([b, c], exchanged);
        let [_, median] = self.ordered([a, b], exchanged);
        median
    }

    fn ordered(&self, [a, b]: [usize; 2], exchanged: &mut usize) -> [usize; 2] {
        if self.less(b, a) {
            *exchanged += 1;
            return [b, a];
        }
        [a, b]
    }
}

#[cfg(test)]
mod tests;
