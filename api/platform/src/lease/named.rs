//! Named leases: work that only one process may do at a time, such as a daily run. A row of `call_paces` holds the time of the
//! next run, and is a lease while it runs. An interrupted run is started again once its lease expires, or at once where its
//! process is dead. The module does not know the work.

use std::time::Duration;

use panel_contract::moment::{DAY_MICROS, Time};
use panel_kernel::error::{Error, Result};

use crate::db::state::Transition;
use crate::db::{DbResult, Source, Sql};
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
    until: Time,
}

impl NamedLease {
    /// Acquires the lease where the work is due, or where the process that held it is dead; none where the work is not due or
    /// another process holds the lease. A row without a process is never acquired early.
    pub async fn acquire(platform: &Platform, name: &'static str) -> DbResult<Option<Self>> {
        let now = platform.clock.now();
        let until = now.after(LEASE_DURATION);
        let sql = sql!(
            "INSERT INTO call_paces (name, next_at, held_by) VALUES (@name, @next_at, @held_by) ON CONFLICT (name) DO UPDATE
             SET next_at = excluded.next_at, held_by = excluded.held_by
             WHERE call_paces.next_at <= @now OR (call_paces.held_by IS NOT NULL AND call_paces.next_at <= @abandoned_before AND",
            {
                name,
                next_at: until,
                held_by: platform.instance.as_str(),
                now,
                abandoned_before: until.before(processes::PROCESS_TIMEOUT),
            },
        );
        let sql = sql.append(processes::is_gone("call_paces.held_by", now));
        let acquired = (&mut &platform.db).exec(sql.push(")")).await?;
        Ok((acquired == 1).then_some(Self { name, until }))
    }

    /// Extends the lease from now; false where another process holds it by now.
    pub async fn renew(&mut self, platform: &Platform) -> DbResult<bool> {
        let until = platform.clock.now().after(LEASE_DURATION);
        let update = "UPDATE call_paces SET next_at = ?";
        let is_held = self.move_to(&mut &platform.db, platform, until, update).await?.is_applied();
        if is_held {
            self.until = until;
        }
        Ok(is_held)
    }

    /// Releases the lease after the work; the next run is due at `due`.
    pub async fn release(self, platform: &Platform, due: Time) -> DbResult<()> {
        self.release_in(&mut &platform.db, platform, due).await?.ignore_superseded();
        Ok(())
    }

    /// As [`Self::release`], in the transaction that writes the result of the work. Superseded where another process holds the
    /// lease by now: then the caller must write nothing.
    pub async fn release_in(
        self,
        db: &mut impl Source,
        platform: &Platform,
        due: Time,
    ) -> DbResult<Transition> {
        self.move_to(db, platform, due, "UPDATE call_paces SET next_at = ?, held_by = NULL").await
    }

    async fn move_to(
        &self,
        db: &mut impl Source,
        platform: &Platform,
        next: Time,
        update: &'static str,
    ) -> DbResult<Transition> {
        let sql = Sql::new(update).bind(next).push(" WHERE name = ? AND next_at = ? AND held_by = ?");
        let sql = sql.bind(self.name).bind(self.until).bind(platform.instance.as_str());
        Ok(Transition::of(db.exec(sql).await?))
    }

    /// Runs the work and renews the lease meanwhile. Cancels the work and returns an error where the lease was lost.
    pub async fn run_with_renewal<T>(
        &mut self,
        platform: &Platform,
        work: impl Future<Output = T> + Send,
    ) -> Result<T> {
        tokio::select! {
            done = work => Ok(done),
            lost = self.renew_until_lost(platform) => Err(lost),
        }
    }

    async fn renew_until_lost(&mut self, platform: &Platform) -> Error {
        // Not a poller: it runs in the task of the work, and as long as the work.
        loop {
            tokio::time::sleep(RENEWAL_INTERVAL).await;
            match self.renew(platform).await {
                Ok(true) => {}
                Ok(false) => {
                    let message =
                        "Another process has taken the lease over because this process was too slow.";
                    return Error::conflict("lease_lost", message);
                }
                // The lease is longer than several renewal intervals.
                Err(error) if platform.clock.now() < self.until => {
                    tracing::warn!(%error, lease = self.name, "failed to renew a lease");
                }
                Err(error) => return error.into(),
            }
        }
    }
}

/// The next midnight, UTC.
#[must_use]
pub const fn next_utc_day(now: Time) -> Time {
    Time((now.0 / DAY_MICROS + 1) * DAY_MICROS)
}

/// Starts the interval until `next` where the work is due, so that one process does it per interval; false where it is not due.
pub async fn start_if_due(db: &mut impl Source, name: &str, next: Time, now: Time) -> DbResult<bool> {
    let sql = Sql::new(
        "INSERT INTO call_paces (name, next_at) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET next_at = excluded.next_at WHERE call_paces.next_at <= ?",
    );
    Ok(db.exec(sql.bind(name).bind(next).bind(now)).await? == 1)
}
