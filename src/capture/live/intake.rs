//! What the lists of a cluster may bring, so that no server can make the program take more memory
//! than there is: compressed, a million objects without a field are 2 kB.
//!
//! How many objects a page has is not limited by how many were asked for: an API server may return
//! all of them, from its cache. They have to be as large as objects are.

use std::cell::Cell;

/// Number of objects of a list that may have any size.
const SMALL_OBJECTS: usize = 20_000;
/// Average number of bytes of further ones, at least. Name, UID, creation time and managed fields
/// of an object of an API server take more.
const LEAST_OBJECT: usize = 128;
/// Memory that all objects may take as they are counted here, in bytes. Four million objects take as
/// much, or objects of 16 GiB.
const MOST_MEMORY: usize = 8 << 30;
/// Memory that an object takes besides its fields.
const OBJECT_MEMORY: usize = 2 << 10;
/// Resident memory of the program, in bytes, which is known on Linux: fields may take more memory
/// than bytes.
const MOST_RESIDENT: usize = 6 << 30;
/// Number of bytes received between two looks at the resident memory.
const LOOK_BYTES: usize = 4 << 20;

/// What was received of one list.
#[derive(Debug, Default)]
pub(super) struct Listed {
    objects: usize,
    bytes: usize,
}

impl Listed {
    /// Counts objects, and bytes after decompression.
    ///
    /// # Errors
    /// When there are more objects than an API server writes into so many bytes.
    pub(super) fn count(&mut self, objects: usize, bytes: usize) -> Result<(), String> {
        self.objects = self.objects.saturating_add(objects);
        self.bytes = self.bytes.saturating_add(bytes);
        if self.objects <= SMALL_OBJECTS.saturating_add(self.bytes / LEAST_OBJECT) {
            return Ok(());
        }
        Err(format!(
            "it has at least {} objects in {} KiB, fewer than {LEAST_OBJECT} bytes for each",
            self.objects,
            self.bytes >> 10
        ))
    }
}

/// What was received of all lists.
#[derive(Debug, Default)]
pub(super) struct Intake {
    memory: Cell<usize>,
    /// Bytes received since the resident memory was looked at.
    unseen: Cell<usize>,
}

impl Intake {
    /// Counts objects, and bytes after decompression.
    ///
    /// # Errors
    /// When they take too much memory.
    pub(super) fn count(&self, objects: usize, bytes: usize) -> Result<(), String> {
        let memory = objects.saturating_mul(OBJECT_MEMORY).saturating_add(bytes / 2);
        self.memory.set(self.memory.get().saturating_add(memory));
        self.unseen.set(self.unseen.get().saturating_add(memory));
        let most = if self.memory.get() > MOST_MEMORY {
            MOST_MEMORY
        } else if self.unseen.get() > LOOK_BYTES {
            self.unseen.set(0);
            if resident().is_none_or(|resident| resident <= MOST_RESIDENT) {
                return Ok(());
            }
            MOST_RESIDENT
        } else {
            return Ok(());
        };
        Err(format!(
            "the objects of all lists take more than {} GiB of memory, more than those of the largest clusters",
            most >> 30
        ))
    }
}

/// The resident memory of this process in bytes; `None` where it is not known.
fn resident() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<usize>().ok().map(|kib| kib << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_objects_that_are_too_small_is_refused() {
        for (row, objects, bytes, is_accepted) in [
            ("few may be empty", 20_000, 0, true),
            ("many may not", 20_001, 100, false),
            ("a page of the largest clusters, without a limit", 150_000, 150_000 * 700, true),
            ("two million empty ones", 2_000_000, 4_000_000, false),
        ] {
            let mut listed = Listed::default();
            assert_eq!(listed.count(objects, bytes).is_ok(), is_accepted, "{row}");
        }
        let mut listed = Listed::default();
        let pages = (1..100).find(|_| listed.count(2000, 4000).is_err());
        assert_eq!(pages, Some(11), "all pages of a list are counted together");
    }

    #[test]
    fn all_lists_together_have_one_bound() {
        let intake = Intake::default();
        for (objects, size) in [(150_000, 15_000), (5_000, 30_000), (300_000, 2_000)] {
            assert_eq!(intake.count(objects, objects * size), Ok(()));
        }
        let error = intake.count(4_000_000, 128 * 4_000_000).unwrap_err();
        assert!(error.contains("more than 8 GiB of memory"), "{error}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn resident_memory_is_that_of_this_process() {
        assert!(resident().unwrap() > 1 << 20);
    }
}
