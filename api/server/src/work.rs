//! The one transaction of a write: status, ledger, audit, outbox and idempotency record together, or nothing.
//!
//! A handler begins it, changes what its rule allowed, and finishes with its answer. On a dry run the same
//! happens and is rolled back at the end. Nothing is told to the live channel before the commit.

use panel_contract::common::UndoOffer;
use panel_contract::moment::{Stamp, Time};
use serde::Serialize;

use crate::configuration::webhooks::outbox::Wanted;
use crate::db::{DbResult, Row, Source, Sql, Tx};
use crate::http::context::Ctx;
use crate::http::error::{ApiError, Result, Stored};
use crate::http::reply::with_undo;

/// A write in progress.
pub struct Work {
    tx: Tx,
    ctx: Ctx,
    /// The moment of everything this transaction writes.
    pub now: Time,
    claimed: bool,
    /// Which webhooks there are to tell, once somebody asked.
    pub(crate) wanted: Option<Wanted>,
    /// How many changed records can be restored by undoing this request.
    pub(crate) undoable: i64,
    /// Whether what is written now follows by itself from what the caller did: the audit trail names the system then.
    pub(crate) follows_by_itself: bool,
}

impl Work {
    /// Begins; a request whose idempotency key was used before ends here with its stored answer.
    pub async fn begin(ctx: Ctx) -> Result<Self> {
        let tx = ctx.app.db.begin().await?;
        let now = ctx.now();
        let mut work =
            Self { tx, ctx, now, claimed: false, wanted: None, undoable: 0, follows_by_itself: false };
        work.claim().await?;
        Ok(work)
    }

    /// The request's context.
    #[must_use]
    pub fn ctx(&self) -> &Ctx {
        &self.ctx
    }

    /// The staff member who does it; none for the system.
    #[must_use]
    pub fn actor(&self) -> Option<i64> {
        self.ctx.caller.as_deref().filter(|_| !self.follows_by_itself).map(|caller| caller.user_id)
    }

    /// Whom the audit trail names: the staff member, else the customer whose program calls; none for the system.
    pub(crate) fn audited_actor(&self) -> Option<i64> {
        self.actor().or(self.ctx.acts_as.filter(|_| !self.follows_by_itself))
    }

    /// The moment as records keep it.
    #[must_use]
    pub fn stamp(&self) -> Stamp {
        Stamp(self.now.0)
    }

    /// Locks rows of a table, in the order of their ids, until the work ends. What depends on them is read after it, by a
    /// statement of its own: one that waited for a lock itself would see other tables as they were before the wait.
    pub async fn lock(&mut self, table: &'static str, ids: &[i64]) -> DbResult<()> {
        let sql = Sql::new("SELECT id FROM ").push(table).push(" WHERE id IN ").ids(ids).push(" ORDER BY id");
        self.all::<(i64,)>(sql.for_update()).await?;
        Ok(())
    }

    /// Stores the answer under the request's key and commits; rolls back on a dry run. The answer comes back.
    pub async fn finish<A: Serialize + Send>(mut self, answer: A) -> Result<A> {
        let undo = self.undo_offer();
        if self.ctx.meta.dry_run {
            self.tx.rollback().await?;
        } else {
            self.store_answer(&answer, undo.as_ref()).await?;
            self.tx.commit().await?;
        }
        if let Some(undo) = undo {
            // One request answers once; a second transaction of it adds nothing to the offer.
            drop(self.ctx.undo.set(undo));
        }
        if self.ctx.meta.dry_run {
            return Ok(answer);
        }
        self.ctx.app.live.stir();
        Ok(answer)
    }

    fn undo_offer(&self) -> Option<UndoOffer> {
        let request_id = self.ctx.meta.request_id.clone();
        (self.undoable > 0).then_some(UndoOffer { request_id, records: self.undoable })
    }

    /// Takes the key for this request. A dry run takes none: it has no effect to repeat.
    async fn claim(&mut self) -> Result<()> {
        let (Some(key), false) = (self.ctx.meta.idempotency_key.clone(), self.ctx.meta.dry_run) else {
            return Ok(());
        };
        let sql = Sql::new(
            "INSERT INTO idempotency (actor_id, method, path, key, body_hash, created_at) VALUES (?, ?, ?, ?, ?, ?)
             ON CONFLICT (actor_id, method, path, key) DO NOTHING",
        );
        let sql = self.keyed(sql, &key).bind(self.ctx.meta.digest.to_vec()).bind(self.now.0);
        if self.tx.exec(sql).await? == 1 {
            self.claimed = true;
            return Ok(());
        }
        Err(self.stored(&key).await?)
    }

    fn keyed(&self, sql: Sql, key: &str) -> Sql {
        let meta = &self.ctx.meta;
        sql.bind(self.actor().unwrap_or(0))
            .bind(meta.op.method.to_owned())
            .bind(meta.path.clone())
            .bind(key.to_owned())
    }

    async fn stored(&mut self, key: &str) -> Result<ApiError> {
        let sql = Sql::new(
            "SELECT body_hash, status, response FROM idempotency WHERE actor_id = ? AND method = ? AND path = ? AND key = ?",
        );
        let sql = self.keyed(sql, key);
        let Some((hash, status, response)) =
            self.tx.opt::<(Vec<u8>, Option<i64>, Option<String>)>(sql).await?
        else {
            return Ok(ApiError::conflict(
                "idempotency_key_in_use",
                "A request with this Idempotency-Key is running; wait for it.",
            ));
        };
        if hash != self.ctx.meta.digest {
            let message = "This Idempotency-Key was used for another request; take a new key.";
            let status = axum::http::StatusCode::UNPROCESSABLE_ENTITY;
            return Ok(ApiError::told(status, "idempotency_key_reused", message));
        }
        let status = status.and_then(|status| u16::try_from(status).ok()).unwrap_or(200);
        Ok(ApiError::Replay(Box::new(Stored { status, body: response.unwrap_or_default() })))
    }

    async fn store_answer<A: Serialize + Send>(
        &mut self,
        answer: &A,
        undo: Option<&UndoOffer>,
    ) -> Result<()> {
        let (Some(key), true) = (self.ctx.meta.idempotency_key.clone(), self.claimed) else { return Ok(()) };
        let body = with_undo(answer, undo).map_err(|error| ApiError::Fault(error.to_string()))?;
        let body = String::from_utf8(body).map_err(|error| ApiError::Fault(error.to_string()))?;
        let sql = Sql::new(
            "UPDATE idempotency SET status = 200, response = ? WHERE actor_id = ? AND method = ? AND path = ? AND key = ?",
        );
        let sql = self.keyed(sql.bind(body), &key);
        self.tx.exec(sql).await?;
        Ok(())
    }
}

impl Source for Work {
    fn all<R: Row>(&mut self, sql: Sql) -> impl Future<Output = DbResult<Vec<R>>> + Send {
        self.tx.all(sql)
    }
    fn exec(&mut self, sql: Sql) -> impl Future<Output = DbResult<u64>> + Send {
        self.tx.exec(sql)
    }
}
