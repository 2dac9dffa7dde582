//! Places the orders of stored contents. A content is stored before its orders are placed: it waits for its delay or for money,
//! is retried if the orders cannot be placed, and is never skipped. Prepaid: each content uses its share. Paid per content: its
//! orders are charged like any others, all of them or none.

use std::time::Duration;

use panel_contract::amount::Money;
use panel_contract::drip_feeds::BatchStatus;
use panel_contract::ids::{RecordId, ServiceId, SubscriptionContentId, SubscriptionId};
use panel_contract::moment::Time;
use panel_contract::orders::OrderSource;
use panel_contract::quarantine::Poller as QuarantineKind;
use panel_contract::subscriptions::BillingType;
use panel_kernel::backoff::Chance;
use panel_kernel::error::{Error, Result};

use super::choose::{self, Bounds};
use super::{SubscriptionRecord, content_store, end_early, lock, store};
use crate::app::App;
use crate::context::Ctx;
use crate::operations::advances;
use crate::operations::orders::commission;
use crate::operations::orders::create::place_paid;
use crate::operations::orders::place::{NewOrder, OrderParent, PlacedOrder, place};
use panel_platform::db::{Source, Sql};
use panel_platform::lease::declared::{DueDateMoves, Lease};
use panel_platform::lease::{ClaimedWork, LeasedRow, LeasedRows};
use panel_platform::poller::Poller;
use panel_platform::poller::work::WorkSummary;
use panel_platform::scope::Scope;
use panel_platform::work::UnitOfWork;

/// Between two polls.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Largest number of contents or subscriptions per batch.
const BATCH: i64 = 50;
/// Delay before the first retry after the orders of a content could not be placed; it doubles with each further failure.
const FIRST_RETRY: Duration = Duration::from_mins(5);

/// The lease of a content that waits for its orders.
pub const CONTENT: Lease = Lease {
    kind: QuarantineKind::Content,
    record: "subscription_contents.id",
    due: "due_at",
    filter: "",
    moves: DueDateMoves::ByClaim,
    error: Some("last_error"),
};
/// The end of a subscription, which the customer agreed to.
pub const SUBSCRIPTION_EXPIRY: Lease = Lease {
    kind: QuarantineKind::SubscriptionExpiry,
    record: "subscriptions.id",
    due: "expired_at",
    filter: " AND status = 'in_processing'",
    moves: DueDateMoves::Never,
    error: Some("look_error"),
};

// Rules

/// The quantity range and the prepaid cost of one service, for each content of a subscription.
#[derive(Debug, Clone, Copy, sqlx::FromRow)]
struct ContentService {
    service_id: ServiceId,
    least: i64,
    most: i64,
    cost: Money,
    #[sqlx(flatten)]
    bounds: Bounds,
}

#[derive(Debug, Clone, Copy, sqlx::FromRow)]
struct DueContent {
    id: SubscriptionContentId,
    subscription_id: SubscriptionId,
}

impl LeasedRow for DueContent {
    fn id(&self) -> RecordId {
        self.id.record()
    }
}

/// The wait_reason why a content waits, for staff and the customer.
fn wait_reason(error: Error) -> String {
    let rejection = error.report("subscription");
    if rejection.errors.0.contains_key("balance") || rejection.code == "insufficient_funds" {
        return "The balance is too low for the orders of a content. They are placed once it is high enough."
            .into();
    }
    if rejection.errors.0.keys().any(|field| field.starts_with("targets.")) {
        return "A service of the subscription now requires more details than an address, which a content cannot supply. The orders wait until the service no longer requires them.".into();
    }
    rejection.message
}

// Store

/// Places the orders of due contents. Several processes can do this in parallel: a content gets its orders once.
#[must_use]
pub fn poller() -> Poller<App> {
    Poller::new("content", POLL_INTERVAL, claim, place_claimed).with_lease(&CONTENT)
}

/// Runs one poll and returns the number of claimed contents.
pub async fn place_due(app: &App) -> Result<usize> {
    poller().poll_once(app).await
}

async fn claim(app: App) -> Result<ClaimedWork<LeasedRows<DueContent>>> {
    let due = CONTENT.due(&app).push(" ORDER BY due_at, id LIMIT ?").bind(BATCH);
    Ok(CONTENT.claim(&app, due, "id, subscription_id").await?)
}

async fn place_claimed(app: App, claimed: LeasedRows<DueContent>) -> Result<WorkSummary> {
    let mut worked = WorkSummary::default();
    for due in claimed.rows {
        let ctx = Ctx::system(app.clone(), "subscription");
        match place_one(&ctx, due).await {
            Ok(()) => worked.done += 1,
            // A conflict with another transaction is no error of the content, which is due again when its lease ends.
            Err(error) if error.is_worth_a_retry() => {}
            // Nor is a failure of the database: it does not record_orders as a try of the content.
            Err(error) if error.is_database_error() => return Err(error),
            Err(error) => match postpone(&ctx, due, claimed.until, error).await {
                Ok(()) => worked.failed += 1,
                Err(error) => worked.fail(CONTENT.kind, due.id.record(), error)?,
            },
        }
    }
    Ok(worked)
}

/// Places the orders of one content in its own transaction.
async fn place_one(ctx: &Ctx, due: DueContent) -> Result<()> {
    let mut work = ctx.begin().await?;
    place_waiting(&mut work, due).await?;
    work.finish(()).await
}

/// Places the orders of a content if it still waits.
async fn place_waiting(work: &mut UnitOfWork, due: DueContent) -> Result<Vec<PlacedOrder>> {
    let subscription = lock(work, due.subscription_id).await?;
    if subscription.is_over(work.now) {
        return Ok(Vec::new());
    }
    let sql = Sql::new("SELECT url FROM subscription_contents WHERE id = ? AND status = 'found'");
    match work.opt::<(String,)>(sql.bind(due.id)).await? {
        Some((url,)) => place_orders(work, &subscription, due.id, &url).await,
        None => Ok(Vec::new()),
    }
}

/// Postpones the content, and stores the wait_reason for staff and the customer.
async fn postpone(ctx: &Ctx, due: DueContent, claimed: Time, error: Error) -> Result<()> {
    let why = wait_reason(error);
    let mut work = ctx.begin().await?;
    lock(&mut work, due.subscription_id).await?;
    let sql = Sql::new("SELECT tries FROM subscription_contents WHERE id = ?");
    let (tries,): (i64,) = work.one(sql.bind(due.id)).await?;
    let next = choose::retry_backoff(FIRST_RETRY).at(tries.saturating_add(1), Chance::NONE, work.now);
    let postponed = content_store::postpone(&mut work, (due.id, claimed), &why, next).await?;
    if !postponed.is_applied() {
        // Another worker claimed it meanwhile.
        return Ok(());
    }
    store::set_wait_reason(&mut work, due.subscription_id, &why).await?;
    work.finish(()).await
}

/// Places all orders of the content with this URL, or returns an error. No orders if the content is already stored or the
/// subscription has ended.
pub async fn place_by_url(work: &mut UnitOfWork, id: SubscriptionId, url: &str) -> Result<Vec<PlacedOrder>> {
    let subscription = lock(work, id).await?;
    if subscription.is_over(work.now) || remaining_contents(work, &subscription).await? < 1 {
        return Ok(Vec::new());
    }
    match content_store::insert_named(work, id, url.trim()).await? {
        Some(content) => place_orders(work, &subscription, content, url).await,
        None => Ok(Vec::new()),
    }
}

/// Number of contents that can still get orders.
pub(super) async fn remaining_contents(
    work: &mut UnitOfWork,
    subscription: &SubscriptionRecord,
) -> Result<i64> {
    let sql =
        Sql::new("SELECT count(*) FROM subscription_contents WHERE subscription_id = ? AND status = 'found'");
    let (waiting,): (i64,) = work.one(sql.bind(subscription.id)).await?;
    Ok(subscription.contents_limit - subscription.subscription_contents_count - waiting)
}

async fn place_orders(
    work: &mut UnitOfWork,
    subscription: &SubscriptionRecord,
    content: SubscriptionContentId,
    url: &str,
) -> Result<Vec<PlacedOrder>> {
    let sql = Sql::new(
        "SELECT x.service_id, x.quantity AS least, COALESCE(x.max_quantity, x.quantity) AS most, x.cost, s.min_quantity, s.max_quantity, s.quantity_step
         FROM subscription_services x JOIN services s ON s.id = x.service_id WHERE x.subscription_id = ? ORDER BY x.service_id",
    );
    let services: Vec<ContentService> = work.all(sql.bind(subscription.id)).await?;
    commission::lock_with_affiliate(work, subscription.user_id).await?;
    let mut placed = Vec::new();
    for (at, service) in (subscription.orders_count..).zip(&services) {
        let random = u64::from_le_bytes(work.scope().platform.random.bytes::<8>());
        // If no quantity fits the current bounds of the service, `place` returns the error that names them.
        let quantity = choose::random_quantity(service.least, service.most, service.bounds, random)
            .unwrap_or(service.least);
        let plain = NewOrder::plain(subscription.user_id, service.service_id, url, quantity);
        let (parent, source) = (Some(OrderParent::Subscription(subscription.id)), OrderSource::Subscription);
        let new = NewOrder { source, parent, ..plain };
        placed.push(match subscription.billing_type {
            BillingType::PerContent => place_paid(work, &new).await?,
            _ => {
                let prepaid =
                    Some(advances::release_unit(work, subscription.owner(), at, service.cost).await?);
                place(work, &NewOrder { prepaid, ..new }).await?
            }
        });
    }
    let orders = i64::try_from(placed.len()).unwrap_or(0);
    content_store::mark_placed(work, content, orders).await?;
    record_orders(work, subscription, orders).await?;
    Ok(placed)
}

async fn record_orders(work: &mut UnitOfWork, subscription: &SubscriptionRecord, orders: i64) -> Result<()> {
    // A recurring subscription is never completed by its last content: it waits for its next period.
    let contents = subscription.subscription_contents_count;
    let is_last = contents + 1 == subscription.contents_limit && subscription.period_days.is_none();
    let which = (subscription.id, contents);
    store::record_content(work, which, orders, subscription.look_at, is_last).await?;
    if is_last {
        content_store::leave_all(work, subscription.id).await?;
    }
    Ok(())
}

/// Completes subscriptions whose time is over, and refunds the prepaid money of contents without orders.
#[must_use]
pub fn expiry_poller() -> Poller<App> {
    Poller::new("subscription_expiry", POLL_INTERVAL, claim_expired, end_each)
        .with_lease(&SUBSCRIPTION_EXPIRY)
}

/// Runs one poll and returns the number of ended subscriptions.
pub async fn end_expired(app: &App) -> Result<usize> {
    expiry_poller().poll_once(app).await
}

async fn claim_expired(app: App) -> Result<ClaimedWork<Vec<SubscriptionId>>> {
    let due = SUBSCRIPTION_EXPIRY.due_unclaimed(&app).push(" ORDER BY expired_at LIMIT ?").bind(BATCH);
    Ok(SUBSCRIPTION_EXPIRY.claim_batch(&app, due).await?)
}

async fn end_each(app: App, expired: Vec<SubscriptionId>) -> Result<WorkSummary> {
    let mut worked = WorkSummary::default();
    for id in expired {
        match end_one(&app, id).await {
            Ok(()) => worked.done += 1,
            Err(error) => worked.fail(SUBSCRIPTION_EXPIRY.kind, id.record(), error)?,
        }
    }
    Ok(worked)
}

/// Ends one subscription in its own transaction.
async fn end_one(app: &App, id: SubscriptionId) -> Result<()> {
    let mut work = Scope::system(app, "subscription").begin().await?;
    let subscription = lock(&mut work, id).await?;
    if subscription.status != BatchStatus::InProcessing {
        return Ok(());
    }
    end_early(&mut work, &subscription, BatchStatus::Completed).await?;
    work.finish(()).await
}
