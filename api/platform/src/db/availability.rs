//! Availability of PostgreSQL. Every statement runs under [`Availability::watch`]: while the circuit breaker is open, it is
//! refused at once; while it waits for an answer, a probe on a connection of its own finds out whether the database is
//! unavailable or the statement is only slow. This module never sends a statement a second time: the request, the worker or the
//! client does.
//!
//! SQLite runs in the process itself and is always available.

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

/// A statement that takes longer triggers a probe. With [`PROBE_TIMEOUT`] an outage is noticed within two seconds.
const SLOW_STATEMENT: Duration = Duration::from_millis(250);
/// A database that does not answer a probe within this time is unavailable.
const PROBE_TIMEOUT: Duration = Duration::from_millis(1_200);

/// Availability of one PostgreSQL, shared by all users of its pools.
pub struct Availability {
    options: PgConnectOptions,
    prober: Mutex<Prober>,
    is_unavailable: watch::Sender<bool>,
    started: Instant,
    /// When a statement was answered last, in milliseconds after `started`.
    answered_at: AtomicU64,
    /// Connections that were opened before are not used any more, in milliseconds after `started`.
    distrusted_at: AtomicU64,
    /// The connection of the last probe that succeeded.
    connection: Mutex<Option<PgConnection>>,
}

impl std::fmt::Debug for Availability {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The options hold the password.
        f.debug_struct("Availability").field("prober", &self.prober).finish_non_exhaustive()
    }
}

impl Availability {
    /// For the database that `options` name, which counts as available until a probe fails.
    #[must_use]
    pub fn new(options: PgConnectOptions) -> Arc<Self> {
        Arc::new(Self {
            options,
            prober: Mutex::default(),
            is_unavailable: watch::channel(false).0,
            started: Instant::now(),
            answered_at: AtomicU64::new(0),
            distrusted_at: AtomicU64::new(0),
            connection: Mutex::new(None),
        })
    }

    /// Whether the breaker is closed.
    #[must_use]
    pub fn is_available(&self) -> bool {
        !*self.is_unavailable.borrow()
    }

    /// Waits until the breaker is closed.
    pub async fn until_available(&self) {
        // The sender lives as long as `self`.
        drop(self.is_unavailable.subscribe().wait_for(|is_unavailable| !is_unavailable).await);
    }

    /// Whether a connection of this age was opened after the last one that broke. A restarted database has closed all older
    /// ones, and each would fail one request.
    #[must_use]
    pub fn trusts(&self, age: Duration) -> bool {
        let made_at = self.started.elapsed().saturating_sub(age);
        millis(made_at) >= self.distrusted_at.load(Ordering::Relaxed)
    }

    /// Waits for a free connection. A timeout means that the pool is busy, which is no outage.
    pub async fn acquire(self: &Arc<Self>, pool: &PgPool) -> DbResult<sqlx::pool::PoolConnection<Postgres>> {
        self.watch(pool.acquire()).await
    }

    /// Waits for a statement as long as the database answers probes.
    pub async fn watch<T>(self: &Arc<Self>, work: impl Future<Output = sqlx::Result<T>>) -> DbResult<T> {
        if !self.is_available() {
            return Err(unavailable());
        }
        let mut work = pin!(work);
        if let Ok(result) = timeout(SLOW_STATEMENT, &mut work).await {
            return self.handle_result(result);
        }
        let mut outage = self.is_unavailable.subscribe();
        loop {
            self.start_probe();
            tokio::select! {
                biased;
                result = &mut work => return self.handle_result(result),
                // The sender lives as long as `self`.
                () = async { drop(outage.wait_for(|is_unavailable| *is_unavailable).await) } => return Err(unavailable()),
                () = sleep(SLOW_STATEMENT) => {}
            }
        }
    }

    /// As [`Self::watch`], for a write outside of a transaction or a commit: once it is sent, an outage leaves its outcome
    /// unknown.
    pub async fn watch_write<T>(
        self: &Arc<Self>,
        work: impl Future<Output = sqlx::Result<T>>,
    ) -> DbResult<T> {
        if !self.is_available() {
            return Err(unavailable());
        }
        self.watch(work).await.map_err(DbError::into_unknown_outcome)
    }

    /// Checks that the database answers, before its pools are created.
    pub async fn check_connection(options: &PgConnectOptions) -> sqlx::Result<()> {
        let connection = timeout(PROBE_TIMEOUT, PgConnection::connect_with(options));
        connection.await.map_err(|_| no_answer())??.close().await
    }

    /// Closes the connection of the probe.
    pub async fn close(&self) {
        let connection = lock(&self.connection).take();
        if let Some(connection) = connection {
            drop(connection.close().await);
        }
    }

    /// Records whether the result shows that the database answers, and starts a probe where the connection broke.
    fn handle_result<T>(self: &Arc<Self>, result: sqlx::Result<T>) -> DbResult<T> {
        let error = match result {
            Ok(answer) => {
                self.record_answer();
                return Ok(answer);
            }
            Err(error) => DbError::from(error),
        };
        match &error {
            DbError::Unavailable(_) => {
                tracing::warn!(%error, "a connection to the database broke");
                self.distrusted_at.store(millis(self.started.elapsed()), Ordering::Relaxed);
                self.start_probe();
            }
            DbError::Busy(_) => {}
            _ => self.record_answer(),
        }
        Err(error)
    }

    /// Time since `started`, so that a clock that is set back neither ends nor lengthens an outage.
    fn now(&self) -> Time {
        Time(0).after(self.started.elapsed())
    }

    fn record_answer(&self) {
        self.answered_at.store(millis(self.started.elapsed()), Ordering::Relaxed);
    }

    /// Starts a probe, unless one is running or the last one is recent.
    fn start_probe(self: &Arc<Self>) {
        if lock(&self.prober).begin_probe(self.now()) {
            tokio::spawn(probe_until_answered(Arc::downgrade(self)));
        }
    }

    /// Runs one probe and updates the breaker; returns the delay until the next probe while the database is unavailable.
    async fn probe(&self) -> Option<Duration> {
        let begun = millis(self.started.elapsed());
        let result = match timeout(PROBE_TIMEOUT, self.ping()).await {
            Ok(result) => result,
            // Other statements were answered meanwhile: the database is only slow.
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
                self.is_unavailable.send_replace(true);
            }
            (Transition::Closed { open_for }, _) => {
                self.distrusted_at.store(millis(self.started.elapsed()), Ordering::Relaxed);
                let seconds = open_for.as_secs();
                tracing::warn!(seconds, "the database answers again");
                self.is_unavailable.send_replace(false);
            }
            _ => {}
        }
        next
    }

    /// Queries the database on the connection of the last probe, or on a new one. A restart, which is no outage, also breaks
    /// a connection that is being opened: therefore a second one is tried at once.
    async fn ping(&self) -> sqlx::Result<()> {
        let last = lock(&self.connection).take();
        if let Some(mut connection) = last
            && connection.execute("SELECT 1").await.is_ok()
        {
            *lock(&self.connection) = Some(connection);
            return Ok(());
        }
        match self.ping_on_new_connection().await {
            Err(_) => self.ping_on_new_connection().await,
            success => success,
        }
    }

    async fn ping_on_new_connection(&self) -> sqlx::Result<()> {
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

/// Probes until the database answers, or the panel has closed it. Not a poller: pollers wait for this task during an outage.
async fn probe_until_answered(availability: Weak<Availability>) {
    loop {
        let Some(database) = availability.upgrade() else { return };
        let Some(wait) = database.probe().await else { return };
        drop(database);
        sleep(wait).await;
        let Some(database) = availability.upgrade() else { return };
        // A timer may fire a millisecond early.
        while !lock(&database.prober).begin_probe(database.now()) {
            sleep(Duration::from_millis(5)).await;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // The guarded values are consistent after every statement, so a poisoned lock is usable.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn no_answer() -> sqlx::Error {
    sqlx::Error::Io(io::Error::new(io::ErrorKind::TimedOut, "no answer in time"))
}

fn unavailable() -> DbError {
    let text = "the database does not answer; nothing is sent until a probe succeeds";
    DbError::Unavailable(sqlx::Error::Io(io::Error::new(io::ErrorKind::NotConnected, text)))
}
