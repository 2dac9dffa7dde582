//! Detects outages of PostgreSQL. Every statement runs under [`Availability::watch`]. While the circuit breaker is open, `watch`
//! rejects statements immediately. While a statement waits for its response, a probe on a separate connection finds out whether
//! the database is unavailable or the statement is only slow. This module never sends a statement twice: the request, the worker
//! or the client retries.
//!
//! SQLite runs in the process itself and is always available.

use std::io;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use panel_contract::moment::Time;
use panel_kernel::circuit_breaker::BreakerTransition;
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

/// Whether one PostgreSQL answers; shared by all users of its pools.
pub struct Availability {
    options: PgConnectOptions,
    prober: Mutex<Prober>,
    is_unavailable: watch::Sender<bool>,
    started_at: Instant,
    /// When the database last answered a statement, in milliseconds after `started_at`.
    last_response_ms: AtomicU64,
    /// When a connection last broke, in milliseconds after `started_at`. The pools close connections that are older.
    last_break_ms: AtomicU64,
    /// The connection of the last probe that succeeded.
    probe_connection: Mutex<Option<PgConnection>>,
}

impl std::fmt::Debug for Availability {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The options hold the password.
        f.debug_struct("Availability").field("prober", &self.prober).finish_non_exhaustive()
    }
}

impl Availability {
    /// The database counts as available until a probe fails.
    #[must_use]
    pub fn new(options: PgConnectOptions) -> Arc<Self> {
        Arc::new(Self {
            options,
            prober: Mutex::default(),
            is_unavailable: watch::channel(false).0,
            started_at: Instant::now(),
            last_response_ms: AtomicU64::new(0),
            last_break_ms: AtomicU64::new(0),
            probe_connection: Mutex::new(None),
        })
    }

    /// Whether the breaker is closed.
    #[must_use]
    pub fn is_available(&self) -> bool {
        !*self.is_unavailable.borrow()
    }

    /// Waits until the breaker is closed.
    pub async fn wait_until_available(&self) {
        // The sender lives as long as `self`.
        drop(self.is_unavailable.subscribe().wait_for(|is_unavailable| !is_unavailable).await);
    }

    /// Whether a connection of this age was opened after the last break. A restarted database has closed all older connections,
    /// and each of them would fail one request.
    #[must_use]
    pub fn is_usable(&self, connection_age: Duration) -> bool {
        let opened_at = self.started_at.elapsed().saturating_sub(connection_age);
        millis(opened_at) >= self.last_break_ms.load(Ordering::Relaxed)
    }

    /// Waits for a free connection. A timeout means that the pool is busy, which is no outage.
    pub async fn acquire(self: &Arc<Self>, pool: &PgPool) -> DbResult<sqlx::pool::PoolConnection<Postgres>> {
        self.watch(pool.acquire()).await
    }

    /// Waits for a statement as long as the database answers probes.
    pub async fn watch<T>(self: &Arc<Self>, statement: impl Future<Output = sqlx::Result<T>>) -> DbResult<T> {
        if !self.is_available() {
            return Err(unavailable());
        }
        let mut statement = pin!(statement);
        if let Ok(result) = timeout(SLOW_STATEMENT, &mut statement).await {
            return self.handle_result(result);
        }
        let mut outage = self.is_unavailable.subscribe();
        loop {
            self.start_probe();
            tokio::select! {
                biased;
                result = &mut statement => return self.handle_result(result),
                // The sender lives as long as `self`.
                () = async { drop(outage.wait_for(|is_unavailable| *is_unavailable).await) } => return Err(unavailable()),
                () = sleep(SLOW_STATEMENT) => {}
            }
        }
    }

    /// As [`Self::watch`], for a commit or a write outside of a transaction: after it is sent, an outage leaves its outcome
    /// unknown.
    pub async fn watch_write<T>(
        self: &Arc<Self>,
        statement: impl Future<Output = sqlx::Result<T>>,
    ) -> DbResult<T> {
        if !self.is_available() {
            return Err(unavailable());
        }
        self.watch(statement).await.map_err(DbError::into_unknown_outcome)
    }

    /// Opens and closes one connection, before the pools are created.
    pub async fn check_connection(options: &PgConnectOptions) -> sqlx::Result<()> {
        let connection = timeout(PROBE_TIMEOUT, PgConnection::connect_with(options));
        connection.await.map_err(|_| no_response())??.close().await
    }

    /// Closes the connection of the probe.
    pub async fn close(&self) {
        let connection = lock(&self.probe_connection).take();
        if let Some(connection) = connection {
            drop(connection.close().await);
        }
    }

    /// Records that the database answered, or starts a probe if the connection broke.
    fn handle_result<T>(self: &Arc<Self>, result: sqlx::Result<T>) -> DbResult<T> {
        let error = match result {
            Ok(value) => {
                self.record_response();
                return Ok(value);
            }
            Err(error) => DbError::from(error),
        };
        match &error {
            DbError::Unavailable(_) => {
                tracing::warn!(%error, "a connection to the database broke");
                self.last_break_ms.store(millis(self.started_at.elapsed()), Ordering::Relaxed);
                self.start_probe();
            }
            DbError::Busy(_) => {}
            _ => self.record_response(),
        }
        Err(error)
    }

    /// Returns the time since `started_at`, so that a change of the system clock neither ends nor lengthens an outage.
    fn now(&self) -> Time {
        Time(0).plus(self.started_at.elapsed())
    }

    fn record_response(&self) {
        self.last_response_ms.store(millis(self.started_at.elapsed()), Ordering::Relaxed);
    }

    /// Starts a probe, unless one is running or the last one is recent.
    fn start_probe(self: &Arc<Self>) {
        if lock(&self.prober).begin_probe(self.now()) {
            tokio::spawn(probe_until_available(Arc::downgrade(self)));
        }
    }

    /// Runs one probe and updates the breaker; returns the delay until the next probe while the database is unavailable.
    async fn probe(&self) -> Option<Duration> {
        let probe_started_ms = millis(self.started_at.elapsed());
        let result = match timeout(PROBE_TIMEOUT, self.ping()).await {
            Ok(result) => result,
            // The database has answered other statements during the probe: it is only slow.
            Err(_) if self.last_response_ms.load(Ordering::Relaxed) > probe_started_ms => Ok(()),
            Err(_) => Err(no_response()),
        };
        let now = self.now();
        let (transition, delay) = {
            let mut prober = lock(&self.prober);
            (prober.end_probe(result.is_ok(), now), prober.delay_to_next_probe(now))
        };
        match (transition, result) {
            (BreakerTransition::Opened, Err(error)) => {
                tracing::error!(%error, "the database does not answer; requests are rejected until it does");
                DB_OUTAGES.unlabeled().increment(1);
                self.is_unavailable.send_replace(true);
            }
            (BreakerTransition::Closed { open_for }, _) => {
                self.last_break_ms.store(millis(self.started_at.elapsed()), Ordering::Relaxed);
                let seconds = open_for.as_secs();
                tracing::warn!(seconds, "the database answers again");
                self.is_unavailable.send_replace(false);
            }
            _ => {}
        }
        delay
    }

    /// Queries the database on the connection of the last probe, or on a new one. A restart of the database is not an outage, but
    /// it breaks a connection that is just being opened. `ping` therefore tries a second one immediately.
    async fn ping(&self) -> sqlx::Result<()> {
        let last_connection = lock(&self.probe_connection).take();
        if let Some(mut connection) = last_connection
            && connection.execute("SELECT 1").await.is_ok()
        {
            *lock(&self.probe_connection) = Some(connection);
            return Ok(());
        }
        match self.ping_on_new_connection().await {
            Err(_) => self.ping_on_new_connection().await,
            success => success,
        }
    }

    async fn ping_on_new_connection(&self) -> sqlx::Result<()> {
        let mut connection = match PgConnection::connect_with(&self.options).await {
            Ok(connection) => connection,
            Err(error) if DbError::is_out_of_connections(&error) => return Ok(()),
            Err(error) => return Err(error),
        };
        connection.execute("SELECT 1").await?;
        *lock(&self.probe_connection) = Some(connection);
        Ok(())
    }
}

/// Probes until the database answers, or the panel has closed it. Not a poller: pollers wait for this task during an outage.
async fn probe_until_available(weak_availability: Weak<Availability>) {
    loop {
        let Some(availability) = weak_availability.upgrade() else { return };
        let Some(delay) = availability.probe().await else { return };
        drop(availability);
        sleep(delay).await;
        let Some(availability) = weak_availability.upgrade() else { return };
        // A timer may fire a millisecond early.
        while !lock(&availability.prober).begin_probe(availability.now()) {
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

fn no_response() -> sqlx::Error {
    sqlx::Error::Io(io::Error::new(io::ErrorKind::TimedOut, "no response in time"))
}

fn unavailable() -> DbError {
    let text = "the database does not answer; no statement is sent until a probe succeeds";
    DbError::Unavailable(sqlx::Error::Io(io::Error::new(io::ErrorKind::NotConnected, text)))
}
