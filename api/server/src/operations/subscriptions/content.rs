//! Places the orders of stored contents. A content is stored before its orders are placed. It waits until its delay has passed and
//! the balance is high enough, and is retried if the orders cannot be placed, so that no content is skipped. In a prepaid
//! subscription, each content uses its share of the amount on hold. In a subscription that is paid per content, all orders of a
//! content are charged to the balance, or none of them is placed.

use std::time::Duration;

use panel_contract::amount::Money;
use panel_contract::drip_feeds::RecurringOrderStatus;
use panel_contract::ids::{RecordId, ServiceId, SubscriptionContentId, SubscriptionId};
use panel_contract::moment::Time;
use panel_contract::orders::OrderSource;
use panel_contract::quarantine::Poller as QuarantineKind;
use panel_contract::subscriptions::BillingType;
use panel_kernel::backoff::JitterFraction;
use panel_kernel::error::{Error, Result};

use super::choose::{self, QuantityBounds};
use super::{SubscriptionListRow, content_store, end_early, lock_row, store};
use crate::app::App;
use crate::context::Ctx;
use crate::operations::advances;
use crate::operations::orders::commission;
use crate::operations::orders::create::place_paid;
use crate::operations::orders::place::{NewOrder, OrderParent, PlacedOrder, place};
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::lease::declared::{DueDateMoves, Lease};
use panel_platform::lease::{ClaimedWork, LeasedRow, LeasedRows};
use panel_platform::poller::Poller;
use panel_platform::poller::work::WorkSummary;
use panel_platform::scope::Scope;
use panel_platform::work::UnitOfWork;

const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum number of contents or subscriptions per batch.
const BATCH_SIZE: i64 = 50;
/// Delay before the first retry after the orders of a content could not be placed; it doubles with each further failure.
const FIRST_RETRY: Duration = Duration::from_mins(5);

/// The lease of a content that waits for its orders.
pub const CONTENT: Lease = Lease {
    kind: QuarantineKind::Content,
    id_column: "subscription_contents.id",
    due_column: "due_at",
    index_condition: "",
    moves: DueDateMoves::ByClaim,
    error_column: Some("last_error"),
};
/// The lease of a subscription that has expired. A claim does not move the expiry, because the customer chose it.
pub const SUBSCRIPTION_EXPIRY: Lease = Lease {
    kind: QuarantineKind::SubscriptionExpiry,
    id_column: "subscriptions.id",
    due_column: "expired_at",
    index_condition: " AND status = 'in_processing'",
    moves: DueDateMoves::Never,
    error_column: Some("poll_error"),
};

// Rules

/// The quantity range and the prepaid cost of one service, for each content of a subscription.
#[derive(Debug, Clone, Copy, sqlx::FromRow)]
struct ContentService {
    service_id: ServiceId,
    /// Minimum and maximum quantity that the customer ordered for each content.
    min_ordered: i64,
    max_ordered: i64,
    cost: Money,
    #[sqlx(flatten)]
    bounds: QuantityBounds,
}

#[derive(Debug, Clone, Copy, sqlx::FromRow)]
struct DueContent {
    id: SubscriptionContentId,
    subscription_id: SubscriptionId,
}

impl LeasedRow for DueContent {
    fn id(&self) -> RecordId {
        self.id.as_record_id()
    }
}

/// Returns the reason why a content waits, as staff and the customer see it.
fn wait_reason(error: Error) -> String {
    let rejection = error.report("subscription");
    if rejection.errors.0.contains_key("balance") || rejection.code == "insufficient_funds" {
        return "The balance is too low for the orders of a content. They are placed when the balance is high enough."
            .into();
    }
    if rejection.errors.0.keys().any(|field| field.starts_with("targets.")) {
        return "A service of the subscription now requires more details than an address, which a content cannot supply. The orders wait until the service no longer requires them.".into();
    }
    rejection.message
}

// Store

/// Returns the poller that places the orders of due contents. Several processes can run it in parallel: each content gets its
/// orders only once.
#[must_use]
pub fn poller() -> Poller<App> {
    Poller::new("content", POLL_INTERVAL, claim_due_contents, place_claimed).with_lease(&CONTENT)
}

/// Runs one poll and returns the number of claimed contents.
pub async fn place_due_contents(app: &App) -> Result<usize> {
    poller().poll_once(app).await
}

async fn claim_due_contents(app: App) -> Result<ClaimedWork<LeasedRows<DueContent>>> {
    let select_due_sql = CONTENT.select_claimable(&app).push(" ORDER BY due_at, id LIMIT ?").bind(BATCH_SIZE);
    Ok(CONTENT.claim(&app, select_due_sql, "id, subscription_id").await?)
}

async fn place_claimed(app: App, claimed_contents: LeasedRows<DueContent>) -> Result<WorkSummary> {
    let mut summary = WorkSummary::default();
    for content in claimed_contents.rows {
        let ctx = Ctx::system(app.clone(), "subscription");
        match place_content(&ctx, content).await {
            Ok(()) => summary.done += 1,
            // A conflict with another transaction is not an error of the content. The content is due again when its lease ends.
            Err(error) if error.is_retryable() => {}
            // A failure of the database does not count as a failed try of the content.
            Err(error) if error.is_database_error() => return Err(error),
            Err(error) => match postpone(&ctx, content, claimed_contents.until, error).await {
                Ok(()) => summary.failed += 1,
                Err(error) => summary.record_failure(CONTENT.kind, content.id.as_record_id(), error)?,
            },
        }
    }
    Ok(summary)
}

/// Places the orders of one content in a separate transaction.
async fn place_content(ctx: &Ctx, content: DueContent) -> Result<()> {
    let mut work = ctx.begin().await?;
    place_if_waiting(&mut work, content).await?;
    work.finish(()).await
}

/// Places the orders of a content if the content still waits for them.
async fn place_if_waiting(work: &mut UnitOfWork, content: DueContent) -> Result<Vec<PlacedOrder>> {
    let subscription = lock_row(work, content.subscription_id).await?;
    if subscription.is_over(work.now) {
        return Ok(Vec::new());
    }
    let sql = Sql::new("SELECT url FROM subscription_contents WHERE id = ? AND status = 'found'");
    match work.fetch_optional::<(String,)>(sql.bind(content.id)).await? {
        Some((url,)) => place_orders(work, &subscription, content.id, &url).await,
        None => Ok(Vec::new()),
    }
}

/// Postpones the content, and stores the reason for staff and the customer.
async fn postpone(ctx: &Ctx, content: DueContent, lease_until: Time, error: Error) -> Result<()> {
    let reason = wait_reason(error);
    let mut work = ctx.begin().await?;
    lock_row(&mut work, content.subscription_id).await?;
    let sql = Sql::new("SELECT tries FROM subscription_contents WHERE id = ?");
    let (tries,): (i64,) = work.fetch_one(sql.bind(content.id)).await?;
    let retry_at = choose::retry_backoff(FIRST_RETRY).next_attempt_at(
        tries.saturating_add(1),
        JitterFraction::NONE,
        work.now,
    );
    let transition = content_store::postpone(&mut work, (content.id, lease_until), &reason, retry_at).await?;
    if !transition.is_applied() {
        // Another worker has claimed the content.
        return Ok(());
    }
    store::set_wait_reason(&mut work, content.subscription_id, &reason).await?;
    work.finish(()).await
}

/// Stores a content with this URL and places all its orders, or returns an error. Places no orders if the content is already stored
/// or the subscription has ended.
pub async fn place_by_url(work: &mut UnitOfWork, id: SubscriptionId, url: &str) -> Result<Vec<PlacedOrder>> {
    let subscription = lock_row(work, id).await?;
    if subscription.is_over(work.now) || count_remaining_contents(work, &subscription).await? < 1 {
        return Ok(Vec::new());
    }
    match content_store::insert_due_now(work, id, url.trim()).await? {
        Some(content) => place_orders(work, &subscription, content, url).await,
        None => Ok(Vec::new()),
    }
}

/// Counts how many further contents can get orders before the limit is reached.
pub(super) async fn count_remaining_contents(
    work: &mut UnitOfWork,
    subscription: &SubscriptionListRow,
) -> Result<i64> {
    let sql =
        Sql::new("SELECT count(*) FROM subscription_contents WHERE subscription_id = ? AND status = 'found'");
    let (waiting_count,): (i64,) = work.fetch_one(sql.bind(subscription.id)).await?;
    Ok(subscription.contents_limit - subscription.subscription_contents_count - waiting_count)
}

async fn place_orders(
    work: &mut UnitOfWork,
    subscription: &SubscriptionListRow,
    content_id: SubscriptionContentId,
    url: &str,
) -> Result<Vec<PlacedOrder>> {
    let sql = Sql::new(
        "SELECT x.service_id, x.quantity AS min_ordered, COALESCE(x.max_quantity, x.quantity) AS max_ordered, x.cost, s.min_quantity, s.max_quantity, s.quantity_step
         FROM subscription_services x JOIN services s ON s.id = x.service_id WHERE x.subscription_id = ? ORDER BY x.service_id",
    );
    let services: Vec<ContentService> = work.fetch_all(sql.bind(subscription.id)).await?;
    commission::lock_customer_with_affiliate(work, subscription.user_id).await?;
    let mut placed_orders = Vec::new();
    for (unit_index, service) in (subscription.orders_count..).zip(&services) {
        let random = u64::from_le_bytes(work.scope().platform.random.bytes::<8>());
        // If the service accepts no quantity of the ordered range, `place` returns an error with the allowed quantities.
        let quantity =
            choose::random_quantity(service.min_ordered, service.max_ordered, service.bounds, random)
                .unwrap_or(service.min_ordered);
        let order_without_options =
            NewOrder::without_options(subscription.user_id, service.service_id, url, quantity);
        let (parent, source) = (Some(OrderParent::Subscription(subscription.id)), OrderSource::Subscription);
        let order = NewOrder { source, parent, ..order_without_options };
        placed_orders.push(match subscription.billing_type {
            BillingType::PerContent => place_paid(work, &order).await?,
            _ => {
                let prepaid =
                    Some(advances::release_unit(work, subscription.owner(), unit_index, service.cost).await?);
                place(work, &NewOrder { prepaid, ..order }).await?
            }
        });
    }
    let orders_count = i64::try_from(placed_orders.len()).unwrap_or(0);
    content_store::mark_placed(work, content_id, orders_count).await?;
    record_orders(work, subscription, orders_count).await?;
    Ok(placed_orders)
}

async fn record_orders(
    work: &mut UnitOfWork,
    subscription: &SubscriptionListRow,
    new_orders: i64,
) -> Result<()> {
    // The last content does not complete a recurring subscription, which waits for its next period.
    let current_count = subscription.subscription_contents_count;
    let is_last = current_count + 1 == subscription.contents_limit && subscription.period_days.is_none();
    store::record_content(
        work,
        (subscription.id, current_count),
        new_orders,
        subscription.next_poll_at,
        is_last,
    )
    .await?;
    if is_last {
        content_store::skip_waiting(work, subscription.id).await?;
    }
    Ok(())
}

/// Returns the poller that completes expired subscriptions, and refunds the prepaid amount of contents without orders.
#[must_use]
pub fn expiry_poller() -> Poller<App> {
    Poller::new("subscription_expiry", POLL_INTERVAL, claim_expired, end_claimed)
        .with_lease(&SUBSCRIPTION_EXPIRY)
}

/// Runs one poll and returns the number of ended subscriptions.
pub async fn end_expired(app: &App) -> Result<usize> {
    expiry_poller().poll_once(app).await
}

async fn claim_expired(app: App) -> Result<ClaimedWork<Vec<SubscriptionId>>> {
    let select_expired_sql = SUBSCRIPTION_EXPIRY
        .select_claimable_outside_of_batches(&app)
        .push(" ORDER BY expired_at LIMIT ?")
        .bind(BATCH_SIZE);
    Ok(SUBSCRIPTION_EXPIRY.claim_batch(&app, select_expired_sql).await?)
}

async fn end_claimed(app: App, ids: Vec<SubscriptionId>) -> Result<WorkSummary> {
    let mut summary = WorkSummary::default();
    for id in ids {
        match end_expired_subscription(&app, id).await {
            Ok(()) => summary.done += 1,
            Err(error) => summary.record_failure(SUBSCRIPTION_EXPIRY.kind, id.as_record_id(), error)?,
        }
    }
    Ok(summary)
}

/// Ends one expired subscription in a separate transaction.
async fn end_expired_subscription(app: &App, id: SubscriptionId) -> Result<()> {
    let mut work = Scope::system(app, "subscription").begin().await?;
    let subscription = lock_row(&mut work, id).await?;
    if subscription.status != RecurringOrderStatus::InProcessing {
        return Ok(());
    }
    end_early(&mut work, &subscription, RecurringOrderStatus::Completed).await?;
    work.finish(()).await
}
