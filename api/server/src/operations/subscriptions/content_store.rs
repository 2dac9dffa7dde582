//! Contents of subscriptions in the database: the only writes of the table. Each update applies only to rows in a state that
//! `panel_domain::states::subscription_contents` allows its event to leave; a postponement also compares its lease.

use panel_contract::ids::{SubscriptionContentId, SubscriptionId};
use panel_contract::moment::Time;
use panel_contract::subscriptions::ContentStatus;
use panel_domain::states::subscription_contents::{ContentEvent, SubscriptionContents};
use panel_kernel::error::Result;
use panel_platform::db::state::{StoredStates, Transition, transition};
use panel_platform::db::{DbResult, Source as _, Sql, Val};
use panel_platform::word_conditions;
use panel_platform::work::UnitOfWork;

use super::store::CHANGED;

/// How the states of a content are stored.
pub const STATES: StoredStates<SubscriptionContents> = StoredStates {
    table: "subscription_contents",
    conditions: word_conditions!(
        "subscription_contents.status",
        ContentStatus::Found => "found",
        ContentStatus::Placed => "placed",
        ContentStatus::Left => "left",
    ),
};

/// A content of a feed that will be inserted.
pub(super) struct NewContent<'a> {
    pub(super) url: &'a str,
    /// `Found`, or `Left`: stored, so that a later poll does not take it for a new one, but without orders.
    pub(super) status: ContentStatus,
    pub(super) published_at: Option<Time>,
    pub(super) due_at: Option<Time>,
}

/// Inserts the contents of a feed in the given order.
pub(super) async fn insert(
    work: &mut UnitOfWork,
    subscription: SubscriptionId,
    contents: &[NewContent<'_>],
) -> DbResult<()> {
    if contents.is_empty() {
        return Ok(());
    }
    let row = |(n, new): (i64, &NewContent<'_>)| -> Vec<Val> {
        vec![n.into(), new.url.into(), new.status.as_str().into(), new.published_at.into(), new.due_at.into()]
    };
    let rows = (0..).zip(contents).map(row).collect();
    let sql = Sql::new(
        "INSERT INTO subscription_contents (subscription_id, url, status, published_at, due_at, created_at)
         SELECT CAST(? AS BIGINT), r.url, r.status, r.published_at, r.due_at, CAST(? AS BIGINT) FROM ",
    );
    let sql = sql.bind(subscription).bind(work.now);
    let sql = sql.rows("r", &["n", "url", "status", "published_at", "due_at"], rows);
    work.exec(sql.push(" ORDER BY r.n")).await.map(drop)
}

/// Inserts a content that is due at once and returns its id, or `None` if the subscription has a content with this URL.
pub(super) async fn insert_named(
    work: &mut UnitOfWork,
    subscription: SubscriptionId,
    url: &str,
) -> DbResult<Option<SubscriptionContentId>> {
    let now = work.now;
    let sql = Sql::new(
        "INSERT INTO subscription_contents (subscription_id, url, status, due_at, created_at) VALUES (?, ?, 'found', ?, ?)
         ON CONFLICT (subscription_id, url) DO NOTHING RETURNING id",
    );
    let inserted: Option<(SubscriptionContentId,)> =
        work.opt(sql.bind(subscription).bind(url).bind(now).bind(now)).await?;
    Ok(inserted.map(|(id,)| id))
}

/// Stores why the orders could not be placed, and when the worker tries again. Superseded if another worker claimed the content.
pub(super) async fn postpone(
    work: &mut UnitOfWork,
    (id, lease): (SubscriptionContentId, Time),
    why: &str,
    until: Time,
) -> DbResult<Transition> {
    let sql = Sql::new(
        "UPDATE subscription_contents SET last_error = ?, due_at = ?, tries = tries + 1 WHERE id = ? AND due_at = ?",
    );
    let sql = sql.bind(why).bind(until).bind(id).bind(lease);
    transition(work, sql.append(STATES.leaving(ContentEvent::Postpone))).await
}

pub(super) async fn mark_placed(work: &mut UnitOfWork, id: SubscriptionContentId, orders: i64) -> Result<()> {
    let sql = Sql::new(
        "UPDATE subscription_contents SET status = 'placed', orders_count = ?, due_at = NULL, last_error = NULL WHERE id = ?",
    );
    let placed =
        transition(work, sql.bind(orders).bind(id).append(STATES.leaving(ContentEvent::Place))).await?;
    placed.or_conflict(CHANGED.0, CHANGED.1)
}

/// Marks all waiting contents of a subscription as `left`: they get no orders.
pub(super) async fn leave_all(work: &mut UnitOfWork, subscription: SubscriptionId) -> DbResult<()> {
    let sql =
        Sql::new("UPDATE subscription_contents SET status = 'left', due_at = NULL WHERE subscription_id = ?");
    let sql = sql.bind(subscription).append(STATES.leaving(ContentEvent::Leave));
    work.exec(sql).await.map(drop)
}
