//! Whether PostgreSQL answers. Every statement is watched here: while the circuit breaker is open it is refused at once,
//! and while it waits for an answer that does not come, a probe on a connection of its own finds out whether the database
//! is away or the statement is only slow. It never sends a statement a second time: the request, its worker or its client
//! does.
//!
//! SQLite is where its process is, and is never away.

use std::io;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use panel_contract::moment::Time;
use panel_kernel::circuit_breaker::Transition;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, Postgres};
use sqlx::{Connection as _, Executor as _};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::db::prober::Prober;
use crate::db::{DbError, DbResult};
use crate::metrics::catalogue::DB_OUTAGES;

/// A statement that takes longer is a reason to probe. With [`PROBE_TIMEOUT`] an outage is noticed within two seconds.
const SLOW_STATEMENT: Duration = Duration::from_millis(250);
/// A database that does not answer a probe within this time is away.
const PROBE_TIMEOUT: Duration = Duration::from_millis(1_200);

/// Whether one PostgreSQL answers; shared by all that use its pool.
pub struct Availability {
    options: PgConnectOptions,
    prober: Mutex<Prober>,
    is_away: watch::Sender<bool>,
    started: Instant,
    /// When a statement was answered last, in milliseconds after `started`.
    answered_at: AtomicU64,
    /// Connections made before are not used any more, in milliseconds after `started`.
    distrusted_at: AtomicU64,
    /// The connection of the last probe that succeeded.
    connection: Mutex<Option<PgConnection>>,
}

impl std::fmt::Debug for Availability {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Its options hold the password.
        f.debug_struct("Availability").field("prober", &self.prober).finish_non_exhaustive()
    }
}

impl Availability {
    /// Of the database that `options` lead to; it counts as there until a probe fails.
    #[must_use]
    pub fn new(options: PgConnectOptions) -> Arc<Self> {
        Arc::new(Self {
            options,
            prober: Mutex::default(),
            is_away: watch::channel(false).0,
            started: Instant::now(),
            answered_at: AtomicU64::new(0),
            distrusted_at: AtomicU64::new(0),
            connection: Mutex::new(None),
        })
    }

    /// Whether the breaker is closed.
    #[must_use]
    pub fn is_available(&self) -> bool {
        !*self.is_away.borrow()
    }

    /// Waits until the breaker is closed.
    pub async fn until_available(&self) {
        // The sender lives as long as `self`.
        drop(self.is_away.subscribe().wait_for(|away| !away).await);
    }

    /// Whether a connection of this age was made after the last one that broke. A database that was restarted has ended
    /// all older ones, and each would fail one request.
    #[must_use]
    pub fn trusts(&self, age: Duration) -> bool {
        let made_at = self.started.elapsed().saturating_sub(age);
        millis(made_at) >= self.distrusted_at.load(Ordering::Relaxed)
    }

    /// Waits for a free connection. Without one in time the pool is busy, which is no outage.
    pub async fn acquire(self: &Arc<Self>, pool: &PgPool) -> DbResult<sqlx::pool::PoolConnection<Postgres>> {
        self.watch(pool.acquire()).await
    }

    /// Waits for a statement as long as the database answers probes.
    pub async fn watch<T>(self: &Arc<Self>, work: impl Future<Output = sqlx::Result<T>>) -> DbResult<T> {
        if !self.is_available() {
            return Err(away());
        }
        let mut work = pin!(work);
        if let Ok(result) = timeout(SLOW_STATEMENT, &mut work).await {
            return self.judge(result);
        }
        let mut is_away = self.is_away.subscribe();
        loop {
            self.suspect();
            tokio::select! {
                biased;
                result = &mut work => return self.judge(result),
                // The sender lives as long as `self`.
                () = async { drop(is_away.wait_for(|away| *away).await) } => return Err(away()),
                () = sleep(SLOW_STATEMENT) => {}
            }
        }
    }

    /// As [`Self::watch`], for what changes records by itself: once it was sent, an outage leaves its outcome unknown.
    pub async fn watch_write<T>(
        self: &Arc<Self>,
        work: impl Future<Output = sqlx::Result<T>>,
    ) -> DbResult<T> {
        if !self.is_available() {
            return Err(away());
        }
        self.watch(work).await.map_err(DbError::into_unknown_outcome)
    }

    /// Sees whether the database answers, before its pool is made.
    pub async fn connect(options: &PgConnectOptions) -> sqlx::Result<()> {
        let connection = timeout(PROBE_TIMEOUT, PgConnection::connect_with(options));
        connection.await.map_err(|_| no_answer())??.close().await
    }

    /// Ends the probe's own connection.
    pub async fn close(&self) {
        let connection = lock(&self.connection).take();
        if let Some(connection) = connection {
            drop(connection.close().await);
        }
    }

    fn judge<T>(self: &Arc<Self>, result: sqlx::Result<T>) -> DbResult<T> {
        let error = match result {
            Ok(answer) => {
                self.note_answer();
                return Ok(answer);
            }
            Err(error) => DbError::from(error),
        };
        match &error {
            DbError::Gone(_) => {
                tracing::warn!(%error, "a connection to the database broke");
                self.distrusted_at.store(millis(self.started.elapsed()), Ordering::Relaxed);
                self.suspect();
            }
            DbError::Busy(_) => {}
            _ => self.note_answer(),
        }
        Err(error)
    }

    /// Counted from `started`, so that a clock that is set back neither ends nor lengthens an outage.
    fn now(&self) -> Time {
        Time(0).after(self.started.elapsed())
    }

    fn note_answer(&self) {
        self.answered_at.store(millis(self.started.elapsed()), Ordering::Relaxed);
    }

    /// Probes, unless a probe is under way or the last one is recent.
    fn suspect(self: &Arc<Self>) {
        if lock(&self.prober).begin_probe(self.now()) {
            tokio::spawn(probe_until_answered(Arc::downgrade(self)));
        }
    }

    /// One probe, and what follows from it; how long to wait for the next while the database is away.
    async fn probe(&self) -> Option<Duration> {
        let begun = millis(self.started.elapsed());
        let result = match timeout(PROBE_TIMEOUT, self.ask()).await {
            Ok(result) => result,
            // Statements of others were answered meanwhile: it is only slow.
            Err(_) if self.answered_at.load(Ordering::Relaxed) > begun => Ok(()),
            Err(_) => Err(no_answer()),
        };
        let now = self.now();
        let (transition, next) = {
            let mut prober = lock(&self.prober);
            (prober.end_probe(result.is_ok(), now), prober.next_probe(now))
        };
        match (transition, result) {
            (Transition::Opened, Err(error)) => {
                tracing::error!(%error, "the database does not answer; requests are refused until it does");
                DB_OUTAGES.only().increment(1);
                self.is_away.send_replace(true);
            }
            (Transition::Closed { open_for }, _) => {
                self.distrusted_at.store(millis(self.started.elapsed()), Ordering::Relaxed);
                let seconds = open_for.as_secs();
                tracing::warn!(seconds, "the database answers again");
                self.is_away.send_replace(false);
            }
            _ => {}
        }
        next
    }

    /// Asks the database by the connection of the last probe, or by a new one. A restart also breaks a connection that is
    /// being made, and is no outage: a second one is tried at once.
    async fn ask(&self) -> sqlx::Result<()> {
        let last = lock(&self.connection).take();
        if let Some(mut connection) = last
            && connection.execute("SELECT 1").await.is_ok()
        {
            *lock(&self.connection) = Some(connection);
            return Ok(());
        }
        match self.ask_by_a_new_connection().await {
            Err(_) => self.ask_by_a_new_connection().await,
            answered => answered,
        }
    }

    async fn ask_by_a_new_connection(&self) -> sqlx::Result<()> {
        let connected = PgConnection::connect_with(&self.options).await;
        let mut connection = match connected {
            Ok(connection) => connection,
            Err(error) if DbError::is_out_of_connections(&error) => return Ok(()),
            Err(error) => return Err(error),
        };
        connection.execute("SELECT 1").await?;
        *lock(&self.connection) = Some(connection);
        Ok(())
    }
}

/// Probes until the database answers, or no request uses it any more. No poller: pollers wait for this task during an outage.
async fn probe_until_answered(availability: Weak<Availability>) {
    loop {
        let Some(of) = availability.upgrade() else { return };
        let Some(wait) = of.probe().await else { return };
        drop(of);
        sleep(wait).await;
        let Some(of) = availability.upgrade() else { return };
        // A timer may be early by a millisecond.
        while !lock(&of.prober).begin_probe(of.now()) {
            sleep(Duration::from_millis(5)).await;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What it guards is whole after every statement.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn no_answer() -> sqlx::Error {
    sqlx::Error::Io(io::Error::new(io::ErrorKind::TimedOut, "no answer in time"))
}

fn away() -> DbError {
    let text = "the database does not answer; nothing is sent until a probe succeeds";
    DbError::Gone(sqlx::Error::Io(io::Error::new(io::ErrorKind::NotConnected, text)))
}
