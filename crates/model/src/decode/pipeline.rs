//! Decodes items on all threads while one thread finds them, and passes them to the sink in the
//! order of the input.

use std::collections::BTreeMap;
use std::sync::mpsc;

use serde_json::value::RawValue;

use super::item::{self, Decoded, ListOf};
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
    let (done, results) = mpsc::channel::<(usize, Window<'de>)>();
    let mut order = InOrder { next: 0, waiting: BTreeMap::new(), sink };
    rayon::in_place_scope(|scope| {
        let mut window: Vec<&'de RawValue> = Vec::with_capacity(WINDOW_ITEMS);
        let mut sent = 0usize;
        produce(&mut |raw| {
            window.push(raw);
            if window.len() < WINDOW_ITEMS {
                return;
            }
            let full = std::mem::replace(&mut window, Vec::with_capacity(WINDOW_ITEMS));
            let (number, done) = (sent, done.clone());
            sent += 1;
            scope.spawn(move |_| {
                // The receiver lives as long as the scope.
                let _ = done.send((number, decode_window(&full, list)));
            });
            while let Ok(result) = results.try_recv() {
                order.accept(result);
            }
            while sent - order.next > WINDOWS_IN_FLIGHT {
                let Ok(result) = results.recv() else { break };
                order.accept(result);
            }
        });
        while order.next < sent {
            let Ok(result) = results.recv() else { break };
            order.accept(result);
        }
        // The remainder is decoded here, so a small input needs no other thread.
        order.accept((sent, decode_window(&window, list)));
    });
}

/// Holds windows back until the previous ones have been passed to the sink.
struct InOrder<'s, 'a> {
    next: usize,
    waiting: BTreeMap<usize, Window<'a>>,
    sink: &'s mut dyn Sink,
}

impl<'a> InOrder<'_, 'a> {
    fn accept(&mut self, (number, window): (usize, Window<'a>)) {
        self.waiting.insert(number, window);
        while let Some(window) = self.waiting.remove(&self.next) {
            self.next += 1;
            window.into_iter().for_each(|decoded| item::accept(decoded, self.sink));
        }
    }
}

fn decode_window<'de>(items: &[&'de RawValue], list: &ListOf) -> Window<'de> {
    items.iter().map(|raw| item::decode(raw, list)).collect()
}
