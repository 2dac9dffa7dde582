//! The loop of background work. A [`Poller`] claims due records and works on them until shutdown. It survives errors, panics and
//! outages of the database, drains at shutdown, and reports metrics under its name. It decides nothing about a record: the work
//! writes the time of the next attempt to the record's row.

pub mod keyed;
mod run;
mod stateful;
mod telemetry;
pub mod work;
pub mod workers;

use std::sync::Arc;
use std::time::Duration;

use panel_contract::ids::Id;
use panel_contract::moment::Time;
use panel_contract::quarantine::Poller as QuarantineKind;
use panel_kernel::error::Result;
use tokio::sync::Notify;

use crate::db::Sql;
use crate::lease::ClaimedWork;
use crate::lease::declared::Lease;
use keyed::{Keyed, Readiness};
use telemetry::PollTelemetry;
use work::{BoxFuture, PollContext, WorkSummary};

/// One poll; returns how many records it found.
type Poll<C> = Box<dyn Fn(C, PollTelemetry) -> BoxFuture<Result<usize>> + Send + Sync>;
type Backlog<C> = Box<dyn Fn(&C) -> Sql + Send + Sync>;
type Enabled<C> = Box<dyn Fn(C) -> BoxFuture<Result<bool>> + Send + Sync>;
type OnShutdown = Box<dyn Fn() -> BoxFuture<()> + Send + Sync>;

enum PollBody<C> {
    Whole(Poll<C>),
    Keyed(Keyed<C>),
}

/// Background work that runs at intervals. Its name is the label of its metrics and logs.
pub struct Poller<C> {
    name: &'static str,
    interval: Duration,
    body: PollBody<C>,
    kind: Option<QuarantineKind>,
    backlog: Option<Backlog<C>>,
    enabled: Option<Enabled<C>>,
    repoll_while_found: bool,
    skip_first_poll: bool,
    cancel_on_shutdown: bool,
    min_interval: Duration,
    wakes: Option<Arc<Notify>>,
    woken_by: Option<Arc<Notify>>,
    on_shutdown: Option<OnShutdown>,
}

impl<C: PollContext> Poller<C> {
    fn with(name: &'static str, interval: Duration, body: PollBody<C>) -> Self {
        Self {
            name,
            interval,
            body,
            kind: None,
            backlog: None,
            enabled: None,
            repoll_while_found: false,
            skip_first_poll: false,
            cancel_on_shutdown: false,
            min_interval: Duration::ZERO,
            wakes: None,
            woken_by: None,
            on_shutdown: None,
        }
    }

    fn whole<F>(
        name: &'static str,
        interval: Duration,
        poll: impl Fn(C, PollTelemetry) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<usize>> + Send + 'static,
    {
        // Boxed: futures of claims and work are large, and one task runs many of them.
        Self::with(
            name,
            interval,
            PollBody::Whole(Box::new(move |context, telemetry| Box::pin(poll(context, telemetry)))),
        )
    }

    /// Claims a batch and works on it. The batch's row is deleted once the work has ended, also after a panic.
    pub fn new<B, FC, FW>(
        name: &'static str,
        interval: Duration,
        claim: impl Fn(C) -> FC + Send + Sync + 'static,
        work: impl Fn(C, B) -> FW + Send + Sync + 'static,
    ) -> Self
    where
        B: Send + 'static,
        FC: Future<Output = Result<ClaimedWork<B>>> + Send + 'static,
        FW: Future<Output = Result<WorkSummary>> + Send + 'static,
    {
        let work = Arc::new(work);
        Self::whole(name, interval, move |context: C, telemetry| {
            let (claimed, work) = (claim(context.clone()), Arc::clone(&work));
            async move {
                let ClaimedWork { batch, records, guard } = claimed.await?;
                if records > 0 {
                    let summary = work(context.clone(), batch);
                    telemetry.work(records, guard.work(context.platform(), summary)).await?;
                }
                Ok(records)
            }
        })
    }

    /// Work that claims nothing, or claims by itself. Its done and failed records count as claimed.
    pub fn task<F>(
        name: &'static str,
        interval: Duration,
        work: impl Fn(C) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<WorkSummary>> + Send + 'static,
    {
        Self::whole(name, interval, move |context, telemetry: PollTelemetry| {
            let work = work(context);
            async move { Ok(telemetry.task(work).await?.done) }
        })
    }

    /// Runs one task per key with due work, such as an external panel, so that a slow key delays no other.
    pub fn keyed<I, FK, FW>(
        name: &'static str,
        interval: Duration,
        keys: impl Fn(C) -> FK + Send + Sync + 'static,
        work: impl Fn(C, I) -> FW + Send + Sync + 'static,
    ) -> Self
    where
        I: Id,
        FK: Future<Output = Result<Vec<I>>> + Send + 'static,
        FW: Future<Output = Result<WorkSummary>> + Send + 'static,
    {
        Self::with(name, interval, PollBody::Keyed(Keyed::new(name, keys, work)))
    }

    /// Sets the lease of the records: they are quarantined under its kind, and `/metrics` reports how many are due.
    #[must_use]
    pub fn with_lease(self, lease: &'static Lease) -> Self {
        self.quarantined_as(lease.kind).with_backlog(move |context| lease.backlog(context.platform()))
    }

    /// Sets the kind under which the records are quarantined.
    #[must_use]
    pub fn quarantined_as(self, kind: QuarantineKind) -> Self {
        Self { kind: Some(kind), ..self }
    }

    /// Sets the statement that returns how many records are due and since when the oldest is.
    #[must_use]
    pub fn with_backlog(self, backlog: impl Fn(&C) -> Sql + Send + Sync + 'static) -> Self {
        Self { backlog: Some(Box::new(backlog)), ..self }
    }

    /// Sets the check of the setting that enables the poller: a disabled poller has no backlog.
    #[must_use]
    pub fn enabled_when<F>(self, enabled: impl Fn(C) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<bool>> + Send + 'static,
    {
        Self { enabled: Some(Box::new(move |context| Box::pin(enabled(context)))), ..self }
    }

    /// Polls again at once after a poll that found records; with keys, works on the same key again.
    #[must_use]
    pub fn repoll_while_found(self) -> Self {
        Self { repoll_while_found: true, ..self }
    }

    /// Waits for one interval before the first poll.
    #[must_use]
    pub fn skip_first_poll(self) -> Self {
        Self { skip_first_poll: true, ..self }
    }

    /// Cancels a running poll at shutdown: for work that takes longer than a shutdown may and that loses nothing.
    #[must_use]
    pub fn cancel_on_shutdown(self) -> Self {
        Self { cancel_on_shutdown: true, ..self }
    }

    /// Notifies `other` after a poll that found records.
    #[must_use]
    pub fn wakes(self, other: &Arc<Notify>) -> Self {
        Self { wakes: Some(Arc::clone(other)), ..self }
    }

    /// Polls early when notified, at most once per `min_interval`. A notification during a poll is not lost.
    #[must_use]
    pub fn woken_by(self, by: &Arc<Notify>, min_interval: Duration) -> Self {
        Self { woken_by: Some(Arc::clone(by)), min_interval, ..self }
    }

    /// With keys: sets the check that runs before each step of a key's work.
    #[must_use]
    pub fn ready_when<I: Id>(
        mut self,
        ready: impl Fn(&C, I, Time) -> Readiness + Send + Sync + 'static,
    ) -> Self {
        if let PollBody::Keyed(keyed) = &mut self.body {
            keyed.ready = Some(Arc::new(move |context, key, now| ready(context, key.typed_as(), now)));
        }
        self
    }

    /// Whether the settings enable the poller now.
    pub async fn is_enabled(&self, context: &C) -> Result<bool> {
        match &self.enabled {
            Some(enabled) => enabled(context.clone()).await,
            None => Ok(true),
        }
    }

    /// The name of the poller.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The kind under which the records are quarantined.
    #[must_use]
    pub const fn kind(&self) -> Option<QuarantineKind> {
        self.kind
    }

    /// Polls once in the caller's future and spawns no tasks; keys are processed one after the other, once each. Returns how
    /// many records it found. Tests drop this future to simulate the end of a process at any point.
    pub async fn poll_once(&self, context: &C) -> Result<usize> {
        let telemetry = PollTelemetry::new(self.name);
        match &self.body {
            PollBody::Whole(poll) => poll(context.clone(), telemetry).await,
            PollBody::Keyed(keyed) => keyed.poll_once(context, telemetry).await,
        }
    }
}
