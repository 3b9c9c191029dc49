//! The channel from the download of one kind's list to its decoder. It holds a few batches, so that
//! objects do not accumulate before the decoder. The decoder processes one kind after another,
//! however, and a server is never kept waiting for long while it sends a page.

use std::sync::Arc;
use std::time::Duration;

use engine::decode::Items;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::{Instant, timeout};

use crate::error::Error;

/// Maximum number of undecoded batches of one kind.
const BATCHES: usize = 8;

/// An event during the download of one kind's list.
pub(super) enum ListEvent {
    /// Objects of a page.
    Items(Items, Option<OwnedSemaphorePermit>),
    PageEnd {
        resource_version: String,
    },
    /// The list has expired on the server. The following pages start over.
    Restarted,
    /// The user may not list this kind, or the server does not serve it; the server's message.
    Unreadable(String),
    Failed(Error),
}

/// The sender of the download.
pub(super) struct Sender {
    events: mpsc::UnboundedSender<ListEvent>,
    room: Arc<Semaphore>,
}

/// A channel for one kind. The receiver releases a batch's slot by dropping the batch.
pub(super) fn channel() -> (Sender, mpsc::UnboundedReceiver<ListEvent>) {
    let (events, receiver) = mpsc::unbounded_channel();
    (Sender { events, room: Arc::new(Semaphore::new(BATCHES)) }, receiver)
}

impl Sender {
    /// Sends an event. A dropped receiver is noticed before the next page ([`Self::has_room`]).
    pub(super) fn send(&self, event: ListEvent) {
        let _ = self.events.send(event);
    }

    /// Waits for a free slot; `false` if the receiver was dropped.
    pub(super) async fn has_room(&self) -> bool {
        tokio::select! {
            biased;
            () = self.events.closed() => false,
            _ = self.room.acquire() => true,
        }
    }

    /// Sends objects as soon as a slot is free, or after `patience`.
    pub(super) async fn send_items(&self, items: Items, patience: &mut Duration) {
        let since = Instant::now();
        let permit = timeout(*patience, self.room.clone().acquire_owned()).await;
        *patience = patience.saturating_sub(since.elapsed());
        self.send(ListEvent::Items(items, permit.ok().and_then(Result::ok)));
    }
}

#[cfg(test)]
mod tests {
    use engine::decode::{ListPage, WireEncoding};
    use engine::snapshot::Kind;

    use super::*;

    fn items() -> Items {
        let mut page = ListPage::new(Kind::Node, WireEncoding::Json, "here");
        page.push(br#"{"items":[{}]}"#).unwrap();
        page.finish().unwrap().0
    }

    #[tokio::test]
    async fn a_page_waits_for_the_decoder_but_not_for_ever() {
        let (sender, mut receiver) = channel();
        let (mut long, mut none) = (Duration::from_secs(3600), Duration::ZERO);
        for _ in 0..BATCHES {
            assert!(sender.has_room().await);
            sender.send_items(items(), &mut long).await;
        }
        assert!(
            timeout(Duration::from_millis(1), sender.has_room()).await.is_err(),
            "the next page has to wait"
        );
        sender.send_items(items(), &mut none).await;
        drop(receiver.recv().await);
        assert!(sender.has_room().await, "what has been decoded makes room");
        drop(receiver);
        assert!(!sender.has_room().await);
    }
}
