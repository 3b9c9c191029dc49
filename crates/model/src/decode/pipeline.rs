//! Decodes items on all threads while one thread finds them, and passes them to the sink in the
//! order of the input.

use serde_json::value::RawValue;

use super::item::{self, Decoded, ListOf};
use crate::parallel::JobsInOrder;
use crate::snapshot::Sink;

/// Number of items that one task decodes.
const WINDOW_ITEMS: usize = 512;
/// Maximum number of windows decoded ahead of the sink, which bounds memory.
const WINDOWS_IN_FLIGHT: usize = 16;

/// The decoded items of one task.
type Window<'a> = Vec<Decoded<'a>>;

/// Runs `produce` on this thread, which pushes items one by one. Other threads decode them, if
/// there are any.
pub(super) fn run<'de>(
    sink: &mut dyn Sink,
    list: &ListOf,
    produce: impl FnOnce(&mut dyn FnMut(&'de RawValue)),
) {
    if rayon::current_num_threads() == 1 {
        // Without threads, as in a browser, waiting is not possible.
        produce(&mut |raw| item::accept(item::decode(raw, list), sink));
        return;
    }
    rayon::in_place_scope(|scope| {
        let mut windows = JobsInOrder::new(scope);
        let mut window: Vec<&'de RawValue> = Vec::with_capacity(WINDOW_ITEMS);
        produce(&mut |raw| {
            window.push(raw);
            if window.len() < WINDOW_ITEMS {
                return;
            }
            let full = std::mem::replace(&mut window, Vec::with_capacity(WINDOW_ITEMS));
            windows.begin(move || decode_window(&full, list));
            while let Some(decoded) = windows.next_ended() {
                accept(decoded, sink);
            }
            while windows.open() > WINDOWS_IN_FLIGHT
                && let Some(decoded) = windows.wait()
            {
                accept(decoded, sink);
            }
        });
        // The remainder is decoded here, so a small input needs no other thread.
        let last = decode_window(&window, list);
        while let Some(decoded) = windows.wait() {
            accept(decoded, sink);
        }
        accept(last, sink);
    });
}

fn accept(window: Window<'_>, sink: &mut dyn Sink) {
    window.into_iter().for_each(|decoded| item::accept(decoded, sink));
}

fn decode_window<'de>(items: &[&'de RawValue], list: &ListOf) -> Window<'de> {
    items.iter().map(|raw| item::decode(raw, list)).collect()
}
