//! The unit of work: one transaction with all writes of a request, such as the changed record, ledger entries, audit entries, jobs
//! and the idempotency key.
//!
//! A handler begins it, writes the changes that a rule allows, and finishes it with its response. A dry run does the same and
//! rolls back at the end. The unit of work notifies the live channel only after the commit.

use panel_kernel::error::{Error, Result, StoredAnswer};
use panel_kernel::rejection::RejectionKind;
use std::any::{Any, TypeId};
use std::collections::HashMap;

use futures_util::future::{BoxFuture, ready};
use panel_contract::common::UndoOffer;
use panel_contract::ids::{Id, LedgerTxnId, UserId};
use panel_contract::moment::{Time, Timestamp};
use serde::Serialize;
use serde_json::Value;

use crate::audit::change::AuditChange;
use crate::db::{DbResult, DbRow, Sql, SqlExecutor, Tx};
use crate::metrics::Counter;
use crate::scope::Scope;
use crate::sql;

/// The transaction of one write, with its scope.
pub struct UnitOfWork {
    tx: Tx,
    scope: Scope,
    /// Time of all writes of this transaction.
    pub now: Time,
    /// Whether this transaction inserted the idempotency key.
    has_claimed_key: bool,
    /// Values that resources cache for this transaction, by type.
    cache: HashMap<TypeId, Box<dyn Any + Send + Sync>>,
    /// Number of changed records that an undo of this request can restore.
    pub undoable_count: i64,
    /// Whether the current writes are automatic consequences of the caller's action. The audit trail then names the system.
    pub is_automatic: bool,
}

impl UnitOfWork {
    /// Begins the transaction. For a known idempotency key it returns the stored answer as [`Error::Replay`].
    pub async fn begin(scope: Scope) -> Result<Self> {
        let tx = scope.platform.db.begin().await?;
        let now = scope.now();
        let mut work = Self {
            tx,
            scope,
            now,
            has_claimed_key: false,
            cache: HashMap::new(),
            undoable_count: 0,
            is_automatic: false,
        };
        work.claim_idempotency_key().await?;
        Ok(work)
    }

    #[must_use]
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The acting staff member; `None` for customers and the system.
    #[must_use]
    pub fn actor(&self) -> Option<UserId> {
        self.scope.actor.staff().filter(|_| !self.is_automatic).map(|staff| staff.user_id)
    }

    /// The user of the audit entries: the staff member, or the customer who calls the API; `None` for the system.
    pub fn audited_actor(&self) -> Option<UserId> {
        self.scope.actor.user_id().filter(|_| !self.is_automatic)
    }

    /// [`Self::now`] for `updated_at` columns.
    #[must_use]
    pub fn timestamp(&self) -> Timestamp {
        Timestamp(self.now.0)
    }

    /// Returns the value of this type from [`Self::cache`].
    #[must_use]
    pub fn cached<T: Any + Clone>(&self) -> Option<T> {
        self.cache.get(&TypeId::of::<T>()).and_then(|value| value.downcast_ref()).cloned()
    }

    /// Caches a value for the rest of this transaction. A second value of the same type replaces the first.
    pub fn cache<T: Any + Send + Sync>(&mut self, value: T) {
        self.cache.insert(TypeId::of::<T>(), Box::new(value));
    }

    /// Increments the series with this label by `amount` at the commit; a dry run increments nothing.
    pub fn count_on_commit(&mut self, counter: &'static Counter<1>, label: &'static str, amount: u64) {
        self.tx.count_on_commit(counter, label, amount);
    }

    /// Locks rows of a table, in the order of their ids, until the transaction ends. The caller must read data that depends on them
    /// by a later statement, because a statement that waits for a lock sees other tables as they were before the wait.
    pub async fn lock(&mut self, table: &'static str, ids: &[impl Id]) -> DbResult<()> {
        let sql = Sql::new("SELECT id FROM ").push(table).push(" WHERE id IN ").ids(ids).push(" ORDER BY id");
        self.fetch_all::<(i64,)>(sql.for_update()).await?;
        Ok(())
    }

    /// Stores the response under the idempotency key and commits; rolls back on a dry run. Returns the response.
    pub async fn finish<A: Serialize + Send>(mut self, response: A) -> Result<A> {
        let undo = self.undo_offer();
        if self.scope.meta.dry_run {
            self.tx.rollback().await?;
        } else {
            self.store_response(&response, undo.as_ref()).await?;
            self.tx.commit().await?;
        }
        if let Some(undo) = undo {
            self.scope.offer_undo(undo);
        }
        if self.scope.meta.dry_run {
            return Ok(response);
        }
        self.scope.platform.live.notify_change();
        Ok(response)
    }

    fn undo_offer(&self) -> Option<UndoOffer> {
        let request_id = self.scope.meta.request_id.clone();
        (self.undoable_count > 0).then_some(UndoOffer { request_id, records: self.undoable_count })
    }

    /// Inserts the idempotency key of the request. A dry run inserts none, because it has no effect that a retry could repeat.
    async fn claim_idempotency_key(&mut self) -> Result<()> {
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
        if self.tx.execute(sql).await? == 1 {
            self.has_claimed_key = true;
            return Ok(());
        }
        Err(self.load_replay(&key).await?)
    }

    /// Loads the stored response of the key as [`Error::Replay`]; another error if there is none, or if the key belongs to a
    /// different request.
    async fn load_replay(&mut self, key: &str) -> Result<Error> {
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
            self.tx.fetch_optional::<(Vec<u8>, Option<i64>, Option<String>)>(sql).await?
        else {
            return Ok(Error::conflict(
                "idempotency_key_in_use",
                "A request with this Idempotency-Key is still running. Wait until it has finished.",
            ));
        };
        if hash != self.scope.meta.digest {
            let message = "This Idempotency-Key was used for another request. Use a new key.";
            return Ok(Error::rejected(RejectionKind::Invalid, "idempotency_key_reused", message));
        }
        let status = status.and_then(|status| u16::try_from(status).ok()).unwrap_or(200);
        Ok(Error::Replay(Box::new(StoredAnswer { status, body: response.unwrap_or_default() })))
    }

    async fn store_response<A: Serialize + Send>(
        &mut self,
        response: &A,
        undo: Option<&UndoOffer>,
    ) -> Result<()> {
        let (Some(key), true) = (self.scope.meta.idempotency_key.clone(), self.has_claimed_key) else {
            return Ok(());
        };
        let body = to_json_with_undo(response, undo).map_err(|error| Error::Internal(error.to_string()))?;
        let body = String::from_utf8(body).map_err(|error| Error::Internal(error.to_string()))?;
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
        self.tx.execute(sql).await?;
        Ok(())
    }
}

/// Serializes a response, and adds the offer to undo the request as the field `undo`.
pub fn to_json_with_undo<A: Serialize>(
    response: &A,
    undo: Option<&UndoOffer>,
) -> serde_json::Result<Vec<u8>> {
    let Some(undo) = undo else { return serde_json::to_vec(response) };
    let mut value = serde_json::to_value(response)?;
    if let Value::Object(fields) = &mut value {
        fields.insert("undo".to_owned(), serde_json::to_value(undo)?);
    }
    serde_json::to_vec(&value)
}

impl UnitOfWork {
    /// Publishes changed records to all event sinks.
    pub async fn publish_audited(&mut self, event: &str, changes: &[AuditChange]) -> Result<()> {
        let platform = self.scope.platform.clone();
        for sink in &platform.events {
            sink.on_audited(self, event, changes).await?;
        }
        Ok(())
    }

    /// Publishes posted ledger transactions to all event sinks.
    pub async fn publish_posted(&mut self, transactions: &[LedgerTxnId]) -> Result<()> {
        let platform = self.scope.platform.clone();
        for sink in &platform.events {
            sink.on_posted(self, transactions).await?;
        }
        Ok(())
    }
}

/// Receives events inside of the transaction in which they happen. An error of a sink fails the transaction. The default methods
/// do nothing.
pub trait EventSink: Send + Sync {
    /// Handles changed records; `event` is the event of the audit entries.
    fn on_audited<'t>(
        &'t self,
        _work: &'t mut UnitOfWork,
        _event: &'t str,
        _changes: &'t [AuditChange],
    ) -> BoxFuture<'t, Result<()>> {
        Box::pin(ready(Ok(())))
    }

    /// Handles posted ledger transactions.
    fn on_posted<'t>(
        &'t self,
        _work: &'t mut UnitOfWork,
        _transactions: &'t [LedgerTxnId],
    ) -> BoxFuture<'t, Result<()>> {
        Box::pin(ready(Ok(())))
    }
}

/// The registered sinks, in the order in which they receive an event.
pub type EventSinks = Vec<Box<dyn EventSink>>;

impl SqlExecutor for UnitOfWork {
    fn fetch_all<R: DbRow>(&mut self, sql: Sql) -> impl Future<Output = DbResult<Vec<R>>> + Send {
        self.tx.fetch_all(sql)
    }
    fn execute(&mut self, sql: Sql) -> impl Future<Output = DbResult<u64>> + Send {
        self.tx.execute(sql)
    }
}
