//! What would help the pods of a list that is kept up to date, all of them together: looked for in a
//! thread of its own, because it takes longer than a person waits for the list.

use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use super::event::QueueEvent;
use answers::input::LoadedInput;
use answers::questions::suggest::{SuggestReport, SuggestRequest, suggest};

/// How many times as long as it took, nothing is looked for again.
const PAUSE: u32 = 4;

/// What was found last, and whether it is being looked for.
#[derive(Debug, Default)]
pub(super) struct QueueChanges {
    search: Arc<Mutex<Search>>,
    /// Whether the cluster has changed since it was looked for.
    is_old: bool,
}

#[derive(Debug, Default)]
struct Search {
    is_running: bool,
    /// Until when it is not looked for again.
    rests_until: Option<Instant>,
    /// What was found, or why nothing could be looked for.
    found: Option<Result<SuggestReport, String>>,
}

impl QueueChanges {
    /// Looks for what helps the waiting pods of `input`, unless that is under way or was done a moment
    /// ago. `is_same` says that the cluster has not changed since the last call.
    pub(super) fn look_for(
        &mut self,
        input: &Arc<LoadedInput>,
        all_namespaces: bool,
        is_same: bool,
        events: Sender<QueueEvent>,
    ) {
        self.is_old |= !is_same;
        let now = Instant::now();
        let mut search = lock(&self.search);
        // What was found of an earlier state is shown as that.
        if self.is_old
            && let Some(Ok(found)) = &search.found
        {
            let text = found.in_short().map(|text| format!("{text} (before the last change)"));
            // Whoever receives it may have ended.
            let _ = events.send(QueueEvent::Suggested(text));
        }
        let rests = search.rests_until.is_some_and(|until| until > now);
        if search.is_running || rests || !self.is_old {
            return;
        }
        (search.is_running, self.is_old) = (true, false);
        let (input, known) = (Arc::clone(input), Arc::clone(&self.search));
        thread::spawn(move || {
            let request = SuggestRequest { targets: Vec::new(), all_namespaces };
            let found = suggest(&input, &request).map_err(|error| error.to_string());
            let text = found.as_ref().ok().and_then(SuggestReport::in_short);
            let rests_until = Some(Instant::now() + now.elapsed() * PAUSE);
            *lock(&known) = Search { is_running: false, rests_until, found: Some(found) };
            let _ = events.send(QueueEvent::Suggested(text));
        });
    }

    /// What was found last, as `draw` draws it; else why there is nothing.
    pub(super) fn answer<T>(&self, draw: impl FnOnce(&SuggestReport) -> T) -> Result<T, String> {
        match &lock(&self.search).found {
            Some(Ok(report)) => Ok(draw(report)),
            Some(Err(why)) => Err(why.clone()),
            None => Err("Looking for what helps the pods of the list...".to_owned()),
        }
    }
}

/// The search; a thread that panicked has left it as it was.
fn lock(search: &Mutex<Search>) -> MutexGuard<'_, Search> {
    search.lock().unwrap_or_else(PoisonError::into_inner)
}
