//! From the download of one kind's list to its decoder. A few batches fit into the channel, so that
//! objects do not pile up before the decoder; the decoder takes one kind after the other, however,
//! and no server waits long while it sends a page.

use std::sync::Arc;
use std::time::Duration;

use engine::decode::Items;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::{Instant, timeout};

use crate::error::Error;

/// Batches of one kind that may wait to be decoded.
const BATCHES: usize = 8;

/// What is received while one kind's list is downloaded.
pub(super) enum ListEvent {
    /// Objects of a page.
    Items(Items, Option<OwnedSemaphorePermit>),
    /// The end of a page.
    PageEnd {
        /// That of the list.
        resource_version: String,
    },
    /// The list has expired on the server. The following pages are all of it again.
    Restarted,
    /// The user may not list this kind, or the server does not serve it: the server's message.
    Unreadable(String),
    /// The download has failed.
    Failed(Error),
}

/// The end at which the download is.
pub(super) struct Sender {
    events: mpsc::UnboundedSender<ListEvent>,
    room: Arc<Semaphore>,
}

/// A channel for one kind. Who receives a batch frees its room by dropping it.
pub(super) fn channel() -> (Sender, mpsc::UnboundedReceiver<ListEvent>) {
    let (events, receiver) = mpsc::unbounded_channel();
    (Sender { events, room: Arc::new(Semaphore::new(BATCHES)) }, receiver)
}

impl Sender {
    /// Sends an event. That the receiver has stopped reading is seen before the next page
    /// ([`Self::has_room`]).
    pub(super) fn send(&self, event: ListEvent) {
        let _ = self.events.send(event);
    }

    /// Waits until a batch has room; `false` if the receiver has stopped reading.
    pub(super) async fn has_room(&self) -> bool {
        tokio::select! {
            biased;
            () = self.events.closed() => false,
            _ = self.room.acquire() => true,
        }
    }

    /// Sends objects once they have room, or when `patience` is over.
    pub(super) async fn send_items(&self, items: Items, patience: &mut Duration) {
        let since = Instant::now();
        let permit = timeout(*patience, self.room.clone().acquire_owned()).await;
        *patience = patience.saturating_sub(since.elapsed());
        self.send(ListEvent::Items(items, permit.ok().and_then(Result::ok)));
    }
}

#[cfg(test)]
mod tests {
    use engine::decode::{Encoding, Page};
    use engine::snapshot::Kind;

    use super::*;

    fn items() -> Items {
        let mut page = Page::new(Kind::Node, Encoding::Json, "here");
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
