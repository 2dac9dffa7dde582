//! Background work in a loop. A [`Poller`] claims due records and works on them until shutdown. It survives errors, panics and
//! outages of the database, finishes its work at shutdown, and reports metrics under its name. A poller decides nothing about a
//! record: the work writes the time of the next attempt to the row of the record.

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
use keyed::{KeyedWork, Readiness};
use telemetry::PollTelemetry;
use work::{BoxFuture, PollContext, WorkSummary};

/// Runs one poll; returns how many records it found.
type PollFn<C> = Box<dyn Fn(C, PollTelemetry) -> BoxFuture<Result<usize>> + Send + Sync>;
type SelectBacklog<C> = Box<dyn Fn(&C) -> Sql + Send + Sync>;
type CheckEnabled<C> = Box<dyn Fn(C) -> BoxFuture<Result<bool>> + Send + Sync>;
type OnShutdown = Box<dyn Fn() -> BoxFuture<()> + Send + Sync>;

enum PollBody<C> {
    Unkeyed(PollFn<C>),
    Keyed(KeyedWork<C>),
}

/// Background work that runs at intervals. Its name is the label of its metrics and logs.
pub struct Poller<C> {
    name: &'static str,
    interval: Duration,
    body: PollBody<C>,
    kind: Option<QuarantineKind>,
    select_backlog: Option<SelectBacklog<C>>,
    check_enabled: Option<CheckEnabled<C>>,
    repoll_while_found: bool,
    skip_first_poll: bool,
    cancel_on_shutdown: bool,
    min_interval: Duration,
    wakes: Option<Arc<Notify>>,
    woken_by: Option<Arc<Notify>>,
    on_shutdown: Option<OnShutdown>,
}

impl<C: PollContext> Poller<C> {
    fn from_body(name: &'static str, interval: Duration, body: PollBody<C>) -> Self {
        Self {
            name,
            interval,
            body,
            kind: None,
            select_backlog: None,
            check_enabled: None,
            repoll_while_found: false,
            skip_first_poll: false,
            cancel_on_shutdown: false,
            min_interval: Duration::ZERO,
            wakes: None,
            woken_by: None,
            on_shutdown: None,
        }
    }

    fn unkeyed<F>(
        name: &'static str,
        interval: Duration,
        poll: impl Fn(C, PollTelemetry) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<usize>> + Send + 'static,
    {
        // Boxed, because the futures of claims and work are large, and one task runs many of them.
        Self::from_body(
            name,
            interval,
            PollBody::Unkeyed(Box::new(move |context, telemetry| Box::pin(poll(context, telemetry)))),
        )
    }

    /// Creates a poller that claims a batch of records and works on it. It deletes the row of the batch at the end of the work,
    /// even after a panic.
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
        Self::unkeyed(name, interval, move |context: C, telemetry| {
            let (claim, work) = (claim(context.clone()), Arc::clone(&work));
            async move {
                let ClaimedWork { batch, records, guard } = claim.await?;
                if records > 0 {
                    let work = work(context.clone(), batch);
                    telemetry.measure_batch(records, guard.run(context.platform(), work)).await?;
                }
                Ok(records)
            }
        })
    }

    /// Creates a poller whose work claims no records, or claims them itself. Metrics count its done and failed records as claimed.
    pub fn task<F>(
        name: &'static str,
        interval: Duration,
        work: impl Fn(C) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<WorkSummary>> + Send + 'static,
    {
        Self::unkeyed(name, interval, move |context, telemetry: PollTelemetry| {
            let work = work(context);
            async move { Ok(telemetry.measure_task(work).await?.done) }
        })
    }

    /// Creates a poller that runs one task for each key with due work, such as an external panel, so that a slow key does not delay
    /// the others.
    pub fn keyed<I, FK, FW>(
        name: &'static str,
        interval: Duration,
        find_keys: impl Fn(C) -> FK + Send + Sync + 'static,
        work: impl Fn(C, I) -> FW + Send + Sync + 'static,
    ) -> Self
    where
        I: Id,
        FK: Future<Output = Result<Vec<I>>> + Send + 'static,
        FW: Future<Output = Result<WorkSummary>> + Send + 'static,
    {
        Self::from_body(name, interval, PollBody::Keyed(KeyedWork::new(name, find_keys, work)))
    }

    /// Sets the lease of the records: the server quarantines them under the kind of the lease, and `/metrics` reports how many of
    /// them are due.
    #[must_use]
    pub fn with_lease(self, lease: &'static Lease) -> Self {
        self.quarantined_as(lease.kind).with_backlog(move |context| lease.select_backlog(context.platform()))
    }

    /// Sets the kind under which the server quarantines the records.
    #[must_use]
    pub fn quarantined_as(self, kind: QuarantineKind) -> Self {
        Self { kind: Some(kind), ..self }
    }

    /// Sets the statement that returns how many records are due, and the time since which the oldest is due.
    #[must_use]
    pub fn with_backlog(self, select_backlog: impl Fn(&C) -> Sql + Send + Sync + 'static) -> Self {
        Self { select_backlog: Some(Box::new(select_backlog)), ..self }
    }

    /// Sets the check of the setting that enables the poller: a disabled poller has no backlog.
    #[must_use]
    pub fn enabled_when<F>(self, check_enabled: impl Fn(C) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<bool>> + Send + 'static,
    {
        Self { check_enabled: Some(Box::new(move |context| Box::pin(check_enabled(context)))), ..self }
    }

    /// Polls again without a delay after a poll that found records; a keyed poller works on the same key again.
    #[must_use]
    pub fn repoll_while_found(self) -> Self {
        Self { repoll_while_found: true, ..self }
    }

    /// Waits for one interval before the first poll.
    #[must_use]
    pub fn skip_first_poll(self) -> Self {
        Self { skip_first_poll: true, ..self }
    }

    /// Cancels a running poll at shutdown, for work that takes longer than the shutdown timeout and that can be repeated.
    #[must_use]
    pub fn cancel_on_shutdown(self) -> Self {
        Self { cancel_on_shutdown: true, ..self }
    }

    /// Notifies `other_poller` after a poll that found records.
    #[must_use]
    pub fn wakes(self, other_poller: &Arc<Notify>) -> Self {
        Self { wakes: Some(Arc::clone(other_poller)), ..self }
    }

    /// Polls before the interval has passed if `notify` is notified, at most once per `min_interval`. A notification during a poll
    /// is not lost.
    #[must_use]
    pub fn woken_by(self, notify: &Arc<Notify>, min_interval: Duration) -> Self {
        Self { woken_by: Some(Arc::clone(notify)), min_interval, ..self }
    }

    /// Sets the check that a keyed poller makes before each step of the work on a key.
    #[must_use]
    pub fn ready_when<I: Id>(
        mut self,
        check_readiness: impl Fn(&C, I, Time) -> Readiness + Send + Sync + 'static,
    ) -> Self {
        if let PollBody::Keyed(keyed_work) = &mut self.body {
            keyed_work.check_readiness =
                Some(Arc::new(move |context, key, now| check_readiness(context, key.typed_as(), now)));
        }
        self
    }

    /// Whether the settings enable the poller now.
    pub async fn is_enabled(&self, context: &C) -> Result<bool> {
        match &self.check_enabled {
            Some(check_enabled) => check_enabled(context.clone()).await,
            None => Ok(true),
        }
    }

    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The kind under which the server quarantines the records.
    #[must_use]
    pub const fn kind(&self) -> Option<QuarantineKind> {
        self.kind
    }

    /// Polls once without spawning tasks; a keyed poller works once on each key, one after another. Returns how many records it
    /// found. Tests drop this future to simulate the death of a process at any point.
    pub async fn poll_once(&self, context: &C) -> Result<usize> {
        let telemetry = PollTelemetry::new(self.name);
        match &self.body {
            PollBody::Unkeyed(poll) => poll(context.clone(), telemetry).await,
            PollBody::Keyed(keyed_work) => keyed_work.poll_once(context, telemetry).await,
        }
    }
}
