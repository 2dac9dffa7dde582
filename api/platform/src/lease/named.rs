//! Work that one process at a time does for all, such as a daily run: a row of `call_paces` says when it is due, and is a lease
//! while it runs. A run that ends early is taken up again once its lease is over, or at once where its process is gone. It knows
//! nothing of the work.

use std::time::Duration;

use panel_contract::moment::{DAY_MICROS, Time};
use panel_kernel::error::{Error, Result};

use crate::db::state::Transition;
use crate::db::{DbResult, Source, Sql};
use crate::jobs::processes;
use crate::platform::Platform;
use crate::sql;

/// How long a process holds a lease without renewing it.
const LEASE: Duration = Duration::from_secs(600);
/// Between two renewals beside work that takes longer.
const RENEWAL: Duration = Duration::from_secs(60);

/// A lease that this process holds.
#[derive(Debug)]
pub struct NamedLease {
    name: &'static str,
    until: Time,
}

impl NamedLease {
    /// Takes it where it is due, or from a process that is gone; none where it is not due, or another process has it. A row that
    /// names no process is never taken early.
    pub async fn take(platform: &Platform, name: &'static str) -> DbResult<Option<Self>> {
        let now = platform.clock.now();
        let until = now.after(LEASE);
        let sql = sql!(
            "INSERT INTO call_paces (name, next_at, held_by) VALUES (@name, @next_at, @held_by) ON CONFLICT (name) DO UPDATE
             SET next_at = excluded.next_at, held_by = excluded.held_by
             WHERE call_paces.next_at <= @now OR (call_paces.held_by IS NOT NULL AND call_paces.next_at <= @abandoned_before AND",
            {
                name,
                next_at: until,
                held_by: platform.instance.as_str(),
                now,
                abandoned_before: until.before(processes::GONE),
            },
        );
        let sql = sql.append(processes::is_gone("call_paces.held_by", now));
        let taken = (&mut &platform.db).exec(sql.push(")")).await?;
        Ok((taken == 1).then_some(Self { name, until }))
    }

    /// Holds it for as long again; false where another process has it by now.
    pub async fn renew(&mut self, platform: &Platform) -> DbResult<bool> {
        let until = platform.clock.now().after(LEASE);
        let update = "UPDATE call_paces SET next_at = ?";
        let is_held = self.move_to(&mut &platform.db, platform, until, update).await?.is_applied();
        if is_held {
            self.until = until;
        }
        Ok(is_held)
    }

    /// The work is done, and due again at `due`.
    pub async fn release(self, platform: &Platform, due: Time) -> DbResult<()> {
        self.release_in(&mut &platform.db, platform, due).await?.or_nothing();
        Ok(())
    }

    /// As [`Self::release`], in the transaction that writes what the work brought. Superseded where another process has the lease by
    /// now: then the caller writes nothing.
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

    /// Does the work and renews the lease beside it. Ends the work with an error where the lease was lost.
    pub async fn hold<T>(&mut self, platform: &Platform, work: impl Future<Output = T> + Send) -> Result<T> {
        tokio::select! {
            done = work => Ok(done),
            lost = self.renew_until_lost(platform) => Err(lost),
        }
    }

    async fn renew_until_lost(&mut self, platform: &Platform) -> Error {
        // No poller: it lives as long as the work beside it, in the same task.
        loop {
            tokio::time::sleep(RENEWAL).await;
            match self.renew(platform).await {
                Ok(true) => {}
                Ok(false) => {
                    let message = "Another process took over, as this one was too slow.";
                    return Error::conflict("lease_lost", message);
                }
                // The lease holds for some renewals more.
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

/// Takes a turn that one process has until `next`; false where it is not due.
pub async fn take_turn(db: &mut impl Source, name: &str, next: Time, now: Time) -> DbResult<bool> {
    let sql = Sql::new(
        "INSERT INTO call_paces (name, next_at) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET next_at = excluded.next_at WHERE call_paces.next_at <= ?",
    );
    Ok(db.exec(sql.bind(name).bind(next).bind(now)).await? == 1)
}
