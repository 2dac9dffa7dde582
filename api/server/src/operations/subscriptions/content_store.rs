//! Writes the table `subscription_contents`; no other module writes it. Each update changes only rows in a state in which
//! `panel_domain::states::subscription_contents` allows the event; a postponement also requires the lease of the worker.

use panel_contract::ids::{SubscriptionContentId, SubscriptionId};
use panel_contract::moment::Time;
use panel_contract::subscriptions::ContentStatus;
use panel_domain::states::subscription_contents::{ContentEvent, SubscriptionContents};
use panel_kernel::error::Result;
use panel_platform::db::state::{StoredStates, Transition, transition};
use panel_platform::db::{DbResult, Sql, SqlExecutor as _, Val};
use panel_platform::status_conditions;
use panel_platform::work::UnitOfWork;

use super::store::CONCURRENT_CHANGE;

/// SQL conditions of the states of a content.
pub const STATES: StoredStates<SubscriptionContents> = StoredStates {
    table: "subscription_contents",
    conditions: status_conditions!(
        "subscription_contents.status",
        ContentStatus::Found => "found",
        ContentStatus::Placed => "placed",
        ContentStatus::Skipped => "skipped",
    ),
};

/// A content of a feed that will be inserted.
pub(super) struct NewContent<'a> {
    pub(super) url: &'a str,
    /// `Found`, or `Skipped` for a content that gets no orders; it is stored so that a later poll does not treat it as new.
    pub(super) status: ContentStatus,
    pub(super) published_at: Option<Time>,
    pub(super) due_at: Option<Time>,
}

/// Inserts the contents of a feed in the given order.
pub(super) async fn insert(
    work: &mut UnitOfWork,
    subscription_id: SubscriptionId,
    contents: &[NewContent<'_>],
) -> DbResult<()> {
    if contents.is_empty() {
        return Ok(());
    }
    let row = |(position, content): (i64, &NewContent<'_>)| -> Vec<Val> {
        vec![
            position.into(),
            content.url.into(),
            content.status.as_str().into(),
            content.published_at.into(),
            content.due_at.into(),
        ]
    };
    let rows = (0..).zip(contents).map(row).collect();
    let sql = Sql::new(
        "INSERT INTO subscription_contents (subscription_id, url, status, published_at, due_at, created_at)
         SELECT CAST(? AS BIGINT), r.url, r.status, r.published_at, r.due_at, CAST(? AS BIGINT) FROM ",
    );
    let sql = sql.bind(subscription_id).bind(work.now);
    let sql = sql.rows("r", &["position", "url", "status", "published_at", "due_at"], rows);
    work.execute(sql.push(" ORDER BY r.position")).await.map(drop)
}

/// Inserts a content that is due at once and returns its id, or `None` if the subscription has a content with this URL.
pub(super) async fn insert_due_now(
    work: &mut UnitOfWork,
    subscription_id: SubscriptionId,
    url: &str,
) -> DbResult<Option<SubscriptionContentId>> {
    let now = work.now;
    let sql = Sql::new(
        "INSERT INTO subscription_contents (subscription_id, url, status, due_at, created_at) VALUES (?, ?, 'found', ?, ?)
         ON CONFLICT (subscription_id, url) DO NOTHING RETURNING id",
    );
    let inserted_row: Option<(SubscriptionContentId,)> =
        work.fetch_optional(sql.bind(subscription_id).bind(url).bind(now).bind(now)).await?;
    Ok(inserted_row.map(|(id,)| id))
}

/// Stores the reason why the orders could not be placed, and when the worker retries. The result is `Superseded` if another worker
/// claimed the content.
pub(super) async fn postpone(
    work: &mut UnitOfWork,
    (id, lease_until): (SubscriptionContentId, Time),
    reason: &str,
    retry_at: Time,
) -> DbResult<Transition> {
    let sql = Sql::new(
        "UPDATE subscription_contents SET last_error = ?, due_at = ?, tries = tries + 1 WHERE id = ? AND due_at = ?",
    );
    let sql = sql.bind(reason).bind(retry_at).bind(id).bind(lease_until);
    transition(work, sql.append(STATES.condition_for(ContentEvent::Postpone))).await
}

pub(super) async fn mark_placed(work: &mut UnitOfWork, id: SubscriptionContentId, orders: i64) -> Result<()> {
    let sql = Sql::new(
        "UPDATE subscription_contents SET status = 'placed', orders_count = ?, due_at = NULL, last_error = NULL WHERE id = ?",
    );
    let transition =
        transition(work, sql.bind(orders).bind(id).append(STATES.condition_for(ContentEvent::Place))).await?;
    transition.or_conflict(CONCURRENT_CHANGE.0, CONCURRENT_CHANGE.1)
}

/// Marks all waiting contents of a subscription as `skipped`: they get no orders.
pub(super) async fn skip_waiting(work: &mut UnitOfWork, subscription_id: SubscriptionId) -> DbResult<()> {
    let sql = Sql::new(
        "UPDATE subscription_contents SET status = 'skipped', due_at = NULL WHERE subscription_id = ?",
    );
    let sql = sql.bind(subscription_id).append(STATES.condition_for(ContentEvent::Skip));
    work.execute(sql).await.map(drop)
}
