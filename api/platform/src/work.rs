//! The one transaction of a write: status, ledger, audit, outbox and idempotency record together, or nothing.
//!
//! A handler begins it, changes what its rule allowed, and finishes with its answer. On a dry run the same
//! happens and is rolled back at the end. Nothing is told to the live channel before the commit.

use panel_kernel::error::{Error, Result, StoredAnswer};
use panel_kernel::rejection::RejectionKind;
use std::any::{Any, TypeId};
use std::collections::HashMap;

use futures_util::future::{BoxFuture, ready};
use panel_contract::common::UndoOffer;
use panel_contract::ids::{Id, LedgerTxnId, UserId};
use panel_contract::moment::{Stamp, Time};
use serde::Serialize;
use serde_json::Value;

use crate::audit::change::Change;
use crate::db::{DbResult, Row, Source, Sql, Tx};
use crate::metrics::Counter;
use crate::scope::Scope;
use crate::sql;

/// A write in progress.
pub struct Work {
    tx: Tx,
    scope: Scope,
    /// The moment of everything this transaction writes.
    pub now: Time,
    claimed: bool,
    /// What resources keep for the rest of the transaction, by type.
    cache: HashMap<TypeId, Box<dyn Any + Send + Sync>>,
    /// How many changed records can be restored by undoing this request.
    pub undoable: i64,
    /// Whether what is written now follows by itself from what the caller did: the audit trail names the system then.
    pub follows_by_itself: bool,
}

impl Work {
    /// Begins; a request whose idempotency key was used before ends here with its stored answer.
    pub async fn begin(scope: Scope) -> Result<Self> {
        let tx = scope.platform.db.begin().await?;
        let now = scope.now();
        let mut work = Self {
            tx,
            scope,
            now,
            claimed: false,
            cache: HashMap::new(),
            undoable: 0,
            follows_by_itself: false,
        };
        work.claim().await?;
        Ok(work)
    }

    /// The platform, who acts, and the marks of the request.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The staff member who does it; none for the system.
    #[must_use]
    pub fn actor(&self) -> Option<UserId> {
        self.scope.actor.staff().filter(|_| !self.follows_by_itself).map(|staff| staff.user_id)
    }

    /// Whom the audit trail names: the staff member, else the customer whose program calls; none for the system.
    pub fn audited_actor(&self) -> Option<UserId> {
        self.scope.actor.user_id().filter(|_| !self.follows_by_itself)
    }

    /// The moment as records keep it.
    #[must_use]
    pub fn stamp(&self) -> Stamp {
        Stamp(self.now.0)
    }

    /// What a resource kept for the rest of this transaction.
    #[must_use]
    pub fn cached<T: Any + Clone>(&self) -> Option<T> {
        self.cache.get(&TypeId::of::<T>()).and_then(|value| value.downcast_ref()).cloned()
    }

    /// Keeps a value for the rest of this transaction; one of a type.
    pub fn cache<T: Any + Send + Sync>(&mut self, value: T) {
        self.cache.insert(TypeId::of::<T>(), Box::new(value));
    }

    /// Counts `n` of the series with this label once the transaction is committed; a dry run counts nothing.
    pub fn count_on_commit(&mut self, counter: &'static Counter<1>, label: &'static str, n: u64) {
        self.tx.count_on_commit(counter, label, n);
    }

    /// Locks rows of a table, in the order of their ids, until the work ends. What depends on them is read after it, by a
    /// statement of its own: one that waited for a lock itself would see other tables as they were before the wait.
    pub async fn lock(&mut self, table: &'static str, ids: &[impl Id]) -> DbResult<()> {
        let sql = Sql::new("SELECT id FROM ").push(table).push(" WHERE id IN ").ids(ids).push(" ORDER BY id");
        self.all::<(i64,)>(sql.for_update()).await?;
        Ok(())
    }

    /// Stores the answer under the request's key and commits; rolls back on a dry run. The answer comes back.
    pub async fn finish<A: Serialize + Send>(mut self, answer: A) -> Result<A> {
        let undo = self.undo_offer();
        if self.scope.meta.dry_run {
            self.tx.rollback().await?;
        } else {
            self.store_answer(&answer, undo.as_ref()).await?;
            self.tx.commit().await?;
        }
        if let Some(undo) = undo {
            self.scope.offer_undo(undo);
        }
        if self.scope.meta.dry_run {
            return Ok(answer);
        }
        self.scope.platform.live.notify_change();
        Ok(answer)
    }

    fn undo_offer(&self) -> Option<UndoOffer> {
        let request_id = self.scope.meta.request_id.clone();
        (self.undoable > 0).then_some(UndoOffer { request_id, records: self.undoable })
    }

    /// Takes the key for this request. A dry run takes none: it has no effect to repeat.
    async fn claim(&mut self) -> Result<()> {
        let (Some(key), false) = (self.scope.meta.idempotency_key.clone(), self.scope.meta.dry_run) else {
            return Ok(());
        };
        let meta = &self.scope.meta;
        let sql = sql!(
            "INSERT INTO idempotency (actor_id, method, path, key, body_hash, created_at) \
               VALUES (@actor_id, @method, @path, @key, @body_hash, @now)
             ON CONFLICT (actor_id, method, path, key) DO NOTHING",
            {
                actor_id: self.actor().map_or(0, UserId::get),
                method: meta.method(),
                path: meta.path.as_str(),
                key: key.as_str(),
                body_hash: meta.digest.to_vec(),
                now: self.now,
            },
        );
        if self.tx.exec(sql).await? == 1 {
            self.claimed = true;
            return Ok(());
        }
        Err(self.stored(&key).await?)
    }

    async fn stored(&mut self, key: &str) -> Result<Error> {
        let sql = Sql::new(
            "SELECT body_hash, status, response FROM idempotency WHERE actor_id = ? AND method = ? AND path = ? AND key = ?",
        );
        let meta = &self.scope.meta;
        let sql = sql
            .bind(self.actor().map_or(0, UserId::get))
            .bind(meta.method())
            .bind(meta.path.as_str())
            .bind(key);
        let Some((hash, status, response)) =
            self.tx.opt::<(Vec<u8>, Option<i64>, Option<String>)>(sql).await?
        else {
            return Ok(Error::conflict(
                "idempotency_key_in_use",
                "A request with this Idempotency-Key is running; wait for it.",
            ));
        };
        if hash != self.scope.meta.digest {
            let message = "This Idempotency-Key was used for another request; take a new key.";
            return Ok(Error::rejected(RejectionKind::Invalid, "idempotency_key_reused", message));
        }
        let status = status.and_then(|status| u16::try_from(status).ok()).unwrap_or(200);
        Ok(Error::Replay(Box::new(StoredAnswer { status, body: response.unwrap_or_default() })))
    }

    async fn store_answer<A: Serialize + Send>(
        &mut self,
        answer: &A,
        undo: Option<&UndoOffer>,
    ) -> Result<()> {
        let (Some(key), true) = (self.scope.meta.idempotency_key.clone(), self.claimed) else {
            return Ok(());
        };
        let body = with_undo(answer, undo).map_err(|error| Error::Fault(error.to_string()))?;
        let body = String::from_utf8(body).map_err(|error| Error::Fault(error.to_string()))?;
        let meta = &self.scope.meta;
        let sql = sql!(
            "UPDATE idempotency SET status = 200, response = @response \
               WHERE actor_id = @actor_id AND method = @method AND path = @path AND key = @key",
            {
                response: body,
                actor_id: self.actor().map_or(0, UserId::get),
                method: meta.method(),
                path: meta.path.as_str(),
                key: key.as_str(),
            },
        );
        self.tx.exec(sql).await?;
        Ok(())
    }
}

/// An answer as JSON, with the offer to take the request back beside its other fields.
pub fn with_undo<A: Serialize>(answer: &A, undo: Option<&UndoOffer>) -> serde_json::Result<Vec<u8>> {
    let Some(undo) = undo else { return serde_json::to_vec(answer) };
    let mut value = serde_json::to_value(answer)?;
    if let Value::Object(fields) = &mut value {
        fields.insert("undo".to_owned(), serde_json::to_value(undo)?);
    }
    serde_json::to_vec(&value)
}

impl Work {
    /// Publishes changed records to all sinks.
    pub async fn publish_audited(&mut self, event: &str, changes: &[Change]) -> Result<()> {
        let platform = self.scope.platform.clone();
        for sink in &platform.events {
            sink.on_audited(self, event, changes).await?;
        }
        Ok(())
    }

    /// Publishes posted payments to all sinks.
    pub async fn publish_posted(&mut self, transactions: &[LedgerTxnId]) -> Result<()> {
        let platform = self.scope.platform.clone();
        for sink in &platform.events {
            sink.on_posted(self, transactions).await?;
        }
        Ok(())
    }
}

/// Receives events inside of the transaction in which they happen; its error ends the transaction. Each method does nothing unless
/// a sink says otherwise.
pub trait EventSink: Send + Sync {
    /// Records changed, as the audit trail has it under `event`.
    fn on_audited<'t>(
        &'t self,
        _work: &'t mut Work,
        _event: &'t str,
        _changes: &'t [Change],
    ) -> BoxFuture<'t, Result<()>> {
        Box::pin(ready(Ok(())))
    }

    /// Money moved: the ids of the ledger's transactions.
    fn on_posted<'t>(
        &'t self,
        _work: &'t mut Work,
        _transactions: &'t [LedgerTxnId],
    ) -> BoxFuture<'t, Result<()>> {
        Box::pin(ready(Ok(())))
    }
}

/// The registered sinks, in the order in which they hear of an event.
pub type EventSinks = Vec<Box<dyn EventSink>>;

impl Source for Work {
    fn all<R: Row>(&mut self, sql: Sql) -> impl Future<Output = DbResult<Vec<R>>> + Send {
        self.tx.all(sql)
    }
    fn exec(&mut self, sql: Sql) -> impl Future<Output = DbResult<u64>> + Send {
        self.tx.exec(sql)
    }
}
