//! Named leases, for work that only one process may do at a time, such as a daily run. A row of `shared_schedules` holds the time
//! of the next run, and is the lease during the run. Another process repeats an interrupted run after its lease has expired, or as
//! soon as its process is dead. This module does not know the work.

use std::time::Duration;

use panel_contract::moment::{DAY_MICROS, Time};
use panel_kernel::error::{Error, Result};

use crate::db::state::Transition;
use crate::db::{DbResult, Sql, SqlExecutor};
use crate::jobs::processes;
use crate::platform::Platform;
use crate::sql;

/// Duration of a lease after its last renewal.
const LEASE_DURATION: Duration = Duration::from_secs(600);
/// Interval of the renewals while the work runs.
const RENEWAL_INTERVAL: Duration = Duration::from_secs(60);

/// A lease that this process holds.
#[derive(Debug)]
pub struct NamedLease {
    name: &'static str,
    expires_at: Time,
}

impl NamedLease {
    /// Acquires the lease if the work is due, or if the process that holds the lease is dead. Returns `None` if the work is not due
    /// or a live process holds the lease. If no process holds the lease, it is never acquired before the work is due.
    pub async fn acquire(platform: &Platform, name: &'static str) -> DbResult<Option<Self>> {
        let now = platform.clock.now();
        let expires_at = now.plus(LEASE_DURATION);
        let sql = sql!(
            "INSERT INTO shared_schedules (name, next_at, leased_by) VALUES (@name, @next_at, @leased_by) ON CONFLICT (name) DO UPDATE
             SET next_at = excluded.next_at, leased_by = excluded.leased_by
             WHERE shared_schedules.next_at <= @now OR (shared_schedules.leased_by IS NOT NULL AND shared_schedules.next_at <= @abandoned_before AND",
            {
                name,
                next_at: expires_at,
                leased_by: platform.instance.as_str(),
                now,
                abandoned_before: expires_at.minus(processes::PROCESS_TIMEOUT),
            },
        );
        let sql = sql.append(processes::is_dead("shared_schedules.leased_by", now));
        let written_rows = (&mut &platform.db).execute(sql.push(")")).await?;
        Ok((written_rows == 1).then_some(Self { name, expires_at }))
    }

    /// Extends the lease to its full duration from now; returns false if another process has acquired it.
    pub async fn renew(&mut self, platform: &Platform) -> DbResult<bool> {
        let expires_at = platform.clock.now().plus(LEASE_DURATION);
        let update = "UPDATE shared_schedules SET next_at = ?";
        let is_held = self.set_next_at(&mut &platform.db, platform, expires_at, update).await?.is_applied();
        if is_held {
            self.expires_at = expires_at;
        }
        Ok(is_held)
    }

    /// Releases the lease after the work.
    pub async fn release(self, platform: &Platform, next_run_at: Time) -> DbResult<()> {
        self.release_in(&mut &platform.db, platform, next_run_at).await?.ignore_superseded();
        Ok(())
    }

    /// As [`Self::release`], in the transaction that writes the result of the work. The result is [`Transition::Superseded`] if
    /// another process has acquired the lease: then the caller must write nothing.
    pub async fn release_in(
        self,
        db: &mut impl SqlExecutor,
        platform: &Platform,
        next_run_at: Time,
    ) -> DbResult<Transition> {
        let update = "UPDATE shared_schedules SET next_at = ?, leased_by = NULL";
        self.set_next_at(db, platform, next_run_at, update).await
    }

    /// Runs `update`, whose `?` takes `next_at`, on condition that this process still holds the lease.
    async fn set_next_at(
        &self,
        db: &mut impl SqlExecutor,
        platform: &Platform,
        next_at: Time,
        update: &'static str,
    ) -> DbResult<Transition> {
        let sql = Sql::new(update).bind(next_at).push(" WHERE name = ? AND next_at = ? AND leased_by = ?");
        let sql = sql.bind(self.name).bind(self.expires_at).bind(platform.instance.as_str());
        Ok(Transition::from_row_count(db.execute(sql).await?))
    }

    /// Runs the work and renews the lease at intervals. If another process acquires the lease, cancels the work and returns an
    /// error.
    pub async fn run_with_renewal<T>(
        &mut self,
        platform: &Platform,
        work: impl Future<Output = T> + Send,
    ) -> Result<T> {
        tokio::select! {
            result = work => Ok(result),
            error = self.renew_until_lost(platform) => Err(error),
        }
    }

    async fn renew_until_lost(&mut self, platform: &Platform) -> Error {
        // Not a poller: it runs in the task of the work, and ends with the work.
        loop {
            tokio::time::sleep(RENEWAL_INTERVAL).await;
            match self.renew(platform).await {
                Ok(true) => {}
                Ok(false) => {
                    let message = "Another process acquired the lease because this process was too slow.";
                    return Error::conflict("lease_lost", message);
                }
                // The lease lasts several renewal intervals, so the next renewal may succeed before it expires.
                Err(error) if platform.clock.now() < self.expires_at => {
                    tracing::warn!(%error, lease = self.name, "failed to renew a lease");
                }
                Err(error) => return error.into(),
            }
        }
    }
}

#[must_use]
pub const fn next_utc_midnight(now: Time) -> Time {
    Time((now.0 / DAY_MICROS + 1) * DAY_MICROS)
}

/// Claims a run of periodic work: if it is due, sets `next_run_at` and returns true. Only one process gets true for each run.
pub async fn claim_run_if_due(
    db: &mut impl SqlExecutor,
    name: &str,
    next_run_at: Time,
    now: Time,
) -> DbResult<bool> {
    let sql = Sql::new(
        "INSERT INTO shared_schedules (name, next_at) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET next_at = excluded.next_at WHERE shared_schedules.next_at <= ?",
    );
    Ok(db.execute(sql.bind(name).bind(next_run_at).bind(now)).await? == 1)
}
