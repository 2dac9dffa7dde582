//! Work that remembers something from one poll to the next. What it remembers is lost where a poll panics, and begins anew.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use panel_kernel::error::Result;

use super::Poller;
use super::telemetry::PollTelemetry;
use super::worked::{PollContext, Worked};

/// A state between two polls; none before the first, and while a poll has it.
type Held<S> = Arc<Mutex<Option<S>>>;

fn take<S: Default>(held: &Held<S>) -> S {
    held.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default()
}

impl<C: PollContext> Poller<C> {
    /// Work that gives its state back for the next poll.
    pub fn stateful<S, F>(
        name: &'static str,
        every: Duration,
        work: impl Fn(C, S) -> F + Send + Sync + 'static,
    ) -> Self
    where
        S: Default + Send + 'static,
        F: Future<Output = (S, Result<Worked>)> + Send + 'static,
    {
        Self::holding(name, every, Held::default(), work)
    }

    /// The same, where the state is ended after the last poll: a process of its own, say.
    pub fn stateful_until<S, F, FE>(
        name: &'static str,
        every: Duration,
        work: impl Fn(C, S) -> F + Send + Sync + 'static,
        end: impl Fn(S) -> FE + Send + Sync + 'static,
    ) -> Self
    where
        S: Default + Send + 'static,
        F: Future<Output = (S, Result<Worked>)> + Send + 'static,
        FE: Future<Output = ()> + Send + 'static,
    {
        let held = Held::default();
        let poller = Self::holding(name, every, Arc::clone(&held), work);
        Self { end: Some(Box::new(move || Box::pin(end(take(&held))))), ..poller }
    }

    fn holding<S, F>(
        name: &'static str,
        every: Duration,
        held: Held<S>,
        work: impl Fn(C, S) -> F + Send + Sync + 'static,
    ) -> Self
    where
        S: Default + Send + 'static,
        F: Future<Output = (S, Result<Worked>)> + Send + 'static,
    {
        Self::whole(name, every, move |context, telemetry: PollTelemetry| {
            let (held, work) = (Arc::clone(&held), work(context, take(&held)));
            let work = async move {
                let (state, worked) = work.await;
                *held.lock().unwrap_or_else(PoisonError::into_inner) = Some(state);
                worked
            };
            async move { Ok(telemetry.task(work).await?.done) }
        })
    }
}
