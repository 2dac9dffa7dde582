//! Pollers with a state that each poll passes to the next poll. After a panic the next poll starts with the default state.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use panel_kernel::error::Result;

use super::Poller;
use super::telemetry::PollTelemetry;
use super::work::{PollContext, WorkSummary};

/// The state between two polls; `None` before the first poll and during a poll.
type SharedState<S> = Arc<Mutex<Option<S>>>;

fn take_state<S: Default>(shared: &SharedState<S>) -> S {
    shared.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default()
}

impl<C: PollContext> Poller<C> {
    /// Creates a poller whose work returns the state for the next poll.
    pub fn stateful<S, F>(
        name: &'static str,
        interval: Duration,
        work: impl Fn(C, S) -> F + Send + Sync + 'static,
    ) -> Self
    where
        S: Default + Send + 'static,
        F: Future<Output = (S, Result<WorkSummary>)> + Send + 'static,
    {
        Self::with_shared_state(name, interval, SharedState::default(), work)
    }

    /// As [`Self::stateful`]; `on_shutdown` gets the state after the last poll, for example to end a child process.
    pub fn stateful_with_shutdown<S, F, FE>(
        name: &'static str,
        interval: Duration,
        work: impl Fn(C, S) -> F + Send + Sync + 'static,
        on_shutdown: impl Fn(S) -> FE + Send + Sync + 'static,
    ) -> Self
    where
        S: Default + Send + 'static,
        F: Future<Output = (S, Result<WorkSummary>)> + Send + 'static,
        FE: Future<Output = ()> + Send + 'static,
    {
        let shared = SharedState::default();
        let poller = Self::with_shared_state(name, interval, Arc::clone(&shared), work);
        Self { on_shutdown: Some(Box::new(move || Box::pin(on_shutdown(take_state(&shared))))), ..poller }
    }

    fn with_shared_state<S, F>(
        name: &'static str,
        interval: Duration,
        shared: SharedState<S>,
        work: impl Fn(C, S) -> F + Send + Sync + 'static,
    ) -> Self
    where
        S: Default + Send + 'static,
        F: Future<Output = (S, Result<WorkSummary>)> + Send + 'static,
    {
        Self::unkeyed(name, interval, move |context, telemetry: PollTelemetry| {
            let (shared, work) = (Arc::clone(&shared), work(context, take_state(&shared)));
            let work = async move {
                let (state, summary) = work.await;
                *shared.lock().unwrap_or_else(PoisonError::into_inner) = Some(state);
                summary
            };
            async move { Ok(telemetry.measure_task(work).await?.done) }
        })
    }
}
