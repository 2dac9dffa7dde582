//! The only place that writes the audit trail: who, when, from where, what changed. Always in the transaction
//! of the change; secrets never. What is written is sealed in a chain soon after, beside the requests.

pub mod list;
pub mod seal;
pub mod verify;

use serde_json::Value;

use crate::configuration::notifications::tell;
use crate::db::{Source, Sql, Val};
use crate::http::error::Result;
use crate::work::Work;

/// One changed record.
#[derive(Debug, Clone)]
pub struct Change {
    /// Its id.
    pub id: i64,
    /// The changed fields as they were.
    pub old: Value,
    /// The changed fields as they are.
    pub new: Value,
}

/// Records one change, such as `("order.canceled", "order", …)`.
pub async fn record(work: &mut Work, event: &str, kind: &str, change: Change) -> Result<()> {
    record_all(work, event, kind, vec![change]).await
}

/// Records many changes of one kind in one statement.
pub async fn record_all(work: &mut Work, event: &str, kind: &str, changes: Vec<Change>) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    tell::of_event(work, event, &changes).await?;
    let (now, actor) = (work.now.0, work.actor());
    let meta = work.ctx().meta.clone();
    let rows = changes.into_iter().map(|change| {
        vec![Val::from(change.id), Val::from(change.old.to_string()), Val::from(change.new.to_string())]
    });
    let sql = Sql::new(
        "INSERT INTO audits (created_at, user_id, ip_address, user_agent, request_id, event, auditable_type, auditable_id, old_values, new_values)
         SELECT ?, ?, ?, ?, ?, ?, ?, r.id, r.old_values, r.new_values FROM ",
    )
    .bind(now)
    .bind(actor)
    .bind(meta.ip.to_string())
    .bind(meta.user_agent.clone())
    .bind(meta.request_id.clone())
    .bind(event.to_owned())
    .bind(kind.to_owned())
    .rows("r", &["id", "old_values", "new_values"], rows.collect());
    work.exec(sql).await?;
    Ok(())
}
