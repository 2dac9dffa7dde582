//! The one loop of background work. A [`Poller`] claims what is due and works on it, again and again, until the process is to
//! end. It survives errors, panics and outages of the database, drains at the end, and counts what it does under its name. It
//! decides nothing about a record: the work writes the moment of its next try to the record's row.

pub mod keyed;
mod run;
mod stateful;
mod telemetry;
pub mod worked;
pub mod workers;

use std::sync::Arc;
use std::time::Duration;

use panel_contract::ids::Id;
use panel_contract::moment::Time;
use panel_contract::quarantine::Poller as QuarantineKind;
use panel_kernel::error::Result;
use tokio::sync::Notify;

use crate::db::Sql;
use crate::lease::Claimed;
use crate::lease::declared::Lease;
use keyed::{Keyed, Readiness};
use telemetry::PollTelemetry;
use worked::{BoxFuture, PollContext, Worked};

/// One poll of a poller; how many records it found.
type Poll<C> = Box<dyn Fn(C, PollTelemetry) -> BoxFuture<Result<usize>> + Send + Sync>;
type Backlog<C> = Box<dyn Fn(&C) -> Sql + Send + Sync>;
type Enabled<C> = Box<dyn Fn(C) -> BoxFuture<Result<bool>> + Send + Sync>;
type End = Box<dyn Fn() -> BoxFuture<()> + Send + Sync>;

enum Body<C> {
    Whole(Poll<C>),
    Keyed(Keyed<C>),
}

/// Background work with a name, which is the label of its metrics and logs.
pub struct Poller<C> {
    name: &'static str,
    every: Duration,
    body: Body<C>,
    kind: Option<QuarantineKind>,
    backlog: Option<Backlog<C>>,
    enabled: Option<Enabled<C>>,
    again_while_found: bool,
    first_after_interval: bool,
    dropped_at_stop: bool,
    min_interval: Duration,
    wakes: Option<Arc<Notify>>,
    woken_by: Option<Arc<Notify>>,
    end: Option<End>,
}

impl<C: PollContext> Poller<C> {
    fn with(name: &'static str, every: Duration, body: Body<C>) -> Self {
        Self {
            name,
            every,
            body,
            kind: None,
            backlog: None,
            enabled: None,
            again_while_found: false,
            first_after_interval: false,
            dropped_at_stop: false,
            min_interval: Duration::ZERO,
            wakes: None,
            woken_by: None,
            end: None,
        }
    }

    fn whole<F>(
        name: &'static str,
        every: Duration,
        poll: impl Fn(C, PollTelemetry) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<usize>> + Send + 'static,
    {
        // Boxed: futures of claims and work are large, and one task polls many of them.
        Self::with(
            name,
            every,
            Body::Whole(Box::new(move |context, telemetry| Box::pin(poll(context, telemetry)))),
        )
    }

    /// Claims a batch and works on it. The batch's row is deleted once the work has ended, also where it panics.
    pub fn new<B, FC, FW>(
        name: &'static str,
        every: Duration,
        claim: impl Fn(C) -> FC + Send + Sync + 'static,
        work: impl Fn(C, B) -> FW + Send + Sync + 'static,
    ) -> Self
    where
        B: Send + 'static,
        FC: Future<Output = Result<Claimed<B>>> + Send + 'static,
        FW: Future<Output = Result<Worked>> + Send + 'static,
    {
        let work = Arc::new(work);
        Self::whole(name, every, move |context: C, telemetry| {
            let (claimed, work) = (claim(context.clone()), Arc::clone(&work));
            async move {
                let Claimed { batch, records, guard } = claimed.await?;
                if records > 0 {
                    let worked = work(context.clone(), batch);
                    telemetry.work(records, guard.work(context.platform(), worked)).await?;
                }
                Ok(records)
            }
        })
    }

    /// Work that claims nothing, or claims by itself. What it did counts as claimed.
    pub fn task<F>(name: &'static str, every: Duration, work: impl Fn(C) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Worked>> + Send + 'static,
    {
        Self::whole(name, every, move |context, telemetry: PollTelemetry| {
            let work = work(context);
            async move { Ok(telemetry.task(work).await?.done) }
        })
    }

    /// One task for each key that has something due, such as an external panel, so that a key that hangs delays no other.
    pub fn keyed<I, FK, FW>(
        name: &'static str,
        every: Duration,
        keys: impl Fn(C) -> FK + Send + Sync + 'static,
        work: impl Fn(C, I) -> FW + Send + Sync + 'static,
    ) -> Self
    where
        I: Id,
        FK: Future<Output = Result<Vec<I>>> + Send + 'static,
        FW: Future<Output = Result<Worked>> + Send + 'static,
    {
        Self::with(name, every, Body::Keyed(Keyed::new(name, keys, work)))
    }

    /// Its records have this lease: they are quarantined under its kind, and `/metrics` says how many are due.
    #[must_use]
    pub fn of(self, lease: &'static Lease) -> Self {
        self.quarantined_as(lease.kind).with_backlog(move |context| lease.backlog(context.platform()))
    }

    /// Its records are quarantined under this kind.
    #[must_use]
    pub fn quarantined_as(self, kind: QuarantineKind) -> Self {
        Self { kind: Some(kind), ..self }
    }

    /// A statement that answers how many records are due, and the moment since which the first is.
    #[must_use]
    pub fn with_backlog(self, backlog: impl Fn(&C) -> Sql + Send + Sync + 'static) -> Self {
        Self { backlog: Some(Box::new(backlog)), ..self }
    }

    /// Says whether it works at all, for one that a setting can switch off: nothing waits for a poller that is off.
    #[must_use]
    pub fn enabled_when<F>(self, enabled: impl Fn(C) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<bool>> + Send + 'static,
    {
        Self { enabled: Some(Box::new(move |context| Box::pin(enabled(context)))), ..self }
    }

    /// Polls again at once when it found something; with keys, works for the same key again.
    #[must_use]
    pub fn again_while_found(self) -> Self {
        Self { again_while_found: true, ..self }
    }

    /// Does not poll at the start.
    #[must_use]
    pub fn first_after_interval(self) -> Self {
        Self { first_after_interval: true, ..self }
    }

    /// Gives up the poll that is under way when the process is to end: for work that takes longer than a stop and loses nothing.
    #[must_use]
    pub fn dropped_at_stop(self) -> Self {
        Self { dropped_at_stop: true, ..self }
    }

    /// Notifies after a poll that found something.
    #[must_use]
    pub fn wakes(self, other: &Arc<Notify>) -> Self {
        Self { wakes: Some(Arc::clone(other)), ..self }
    }

    /// Polls early when notified, at most once in `min_interval`. A notification during a poll is not lost.
    #[must_use]
    pub fn woken_by(self, by: &Arc<Notify>, min_interval: Duration) -> Self {
        Self { woken_by: Some(Arc::clone(by)), min_interval, ..self }
    }

    /// With keys: asked before each step of a key's work.
    #[must_use]
    pub fn ready_when<I: Id>(
        mut self,
        ready: impl Fn(&C, I, Time) -> Readiness + Send + Sync + 'static,
    ) -> Self {
        if let Body::Keyed(keyed) = &mut self.body {
            keyed.ready = Some(Arc::new(move |context, key, now| ready(context, key.known_as(), now)));
        }
        self
    }

    /// Whether it works at all, as its settings have it now.
    pub async fn is_enabled(&self, context: &C) -> Result<bool> {
        match &self.enabled {
            Some(enabled) => enabled(context.clone()).await,
            None => Ok(true),
        }
    }

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Under which word its records are quarantined.
    #[must_use]
    pub const fn kind(&self) -> Option<QuarantineKind> {
        self.kind
    }

    /// Polls once in the caller's future and spawns nothing; keys are worked for one after the other, once each. How many
    /// records it found. Tests drop this future to end a process at any point.
    pub async fn poll_once(&self, context: &C) -> Result<usize> {
        let telemetry = PollTelemetry::new(self.name);
        match &self.body {
            Body::Whole(poll) => poll(context.clone(), telemetry).await,
            Body::Keyed(keyed) => keyed.poll_once(context, telemetry).await,
        }
    }
}
