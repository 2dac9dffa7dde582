//! The orders of the contents that were found. A content is a row before its orders are: it waits there for its delay or
//! for money, is tried again when they cannot be placed, and is never skipped. Paid ahead: each takes its share. Paid per
//! content: its orders are charged as any others, all of them or none.

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
use super::{Record, content_store, end, lock, store};
use crate::app::App;
use crate::context::Ctx;
use crate::operations::advances;
use crate::operations::orders::commission;
use crate::operations::orders::create::place_paid;
use crate::operations::orders::place::{NewOrder, Parent, Placed, place};
use panel_platform::db::{Source, Sql};
use panel_platform::lease::declared::{DueMoves, Lease};
use panel_platform::lease::{Claimed, Leased, LeasedRow};
use panel_platform::poller::Poller;
use panel_platform::poller::worked::Worked;
use panel_platform::scope::Scope;
use panel_platform::work::Work;

/// Between two polls.
const EVERY: Duration = Duration::from_secs(1);
/// Ended, or placed, between two looks for others.
const BATCH: i64 = 50;
/// How long a content waits whose orders could not be placed; longer after each further failure.
const FIRST_RETRY: Duration = Duration::from_mins(5);

/// The lease of a content that waits for its orders.
pub const CONTENT: Lease = Lease {
    kind: QuarantineKind::Content,
    record: "subscription_contents.id",
    due: "due_at",
    filter: "",
    moves: DueMoves::ByClaim,
    error: Some("last_error"),
};
/// The end of a subscription, which the customer agreed to.
pub const SUBSCRIPTION_EXPIRY: Lease = Lease {
    kind: QuarantineKind::SubscriptionExpiry,
    record: "subscriptions.id",
    due: "expired_at",
    filter: " AND status = 'in_processing'",
    moves: DueMoves::Never,
    error: Some("look_error"),
};

// Rules

/// One service of a subscription.
#[derive(Debug, Clone, Copy, sqlx::FromRow)]
struct Part {
    service_id: ServiceId,
    least: i64,
    most: i64,
    cost: Money,
    #[sqlx(flatten)]
    bounds: Bounds,
}

/// A content whose turn it is.
#[derive(Debug, Clone, Copy, sqlx::FromRow)]
struct Due {
    id: SubscriptionContentId,
    subscription_id: SubscriptionId,
}

impl LeasedRow for Due {
    fn id(&self) -> RecordId {
        self.id.record()
    }
}

/// Why a content waits, for staff and for its customer alike.
fn reason(error: Error) -> String {
    let rejection = error.report("subscription");
    if rejection.errors.0.contains_key("balance") || rejection.code == "insufficient_funds" {
        return "The balance does not reach for the orders of a content; they are placed once it does."
            .into();
    }
    if rejection.errors.0.keys().any(|field| field.starts_with("targets.")) {
        return "A service of the subscription asks for more than an address by now, which a content cannot answer; its orders wait until the service no longer does.".into();
    }
    rejection.message
}

// Store

/// Places the orders of contents whose turn it is. Processes may do so side by side: a content gets its orders once.
#[must_use]
pub fn poller() -> Poller<App> {
    Poller::new("content", EVERY, claim, place_claimed).of(&CONTENT)
}

/// One poll; how many contents there were.
pub async fn place_due(app: &App) -> Result<usize> {
    poller().poll_once(app).await
}

async fn claim(app: App) -> Result<Claimed<Leased<Due>>> {
    let due = CONTENT.due(&app).push(" ORDER BY due_at, id LIMIT ?").bind(BATCH);
    Ok(CONTENT.claim(&app, due, "id, subscription_id").await?)
}

async fn place_claimed(app: App, claimed: Leased<Due>) -> Result<Worked> {
    let mut worked = Worked::default();
    for due in claimed.rows {
        let ctx = Ctx::system(app.clone(), "subscription");
        match place_one(&ctx, due).await {
            Ok(()) => worked.done += 1,
            // Another transaction was in the way, which says nothing of the content: it is due again after the claim.
            Err(error) if error.is_worth_a_retry() => {}
            // Nor does a database that fails: it keeps its tries.
            Err(error) if error.is_of_database() => return Err(error),
            Err(error) => match put_off(&ctx, due, claimed.until, error).await {
                Ok(()) => worked.failed += 1,
                Err(error) => worked.fail(CONTENT.kind, due.id.record(), error)?,
            },
        }
    }
    Ok(worked)
}

/// One content, in a transaction of its own.
async fn place_one(ctx: &Ctx, due: Due) -> Result<()> {
    let mut work = ctx.begin().await?;
    of_found(&mut work, due).await?;
    work.finish(()).await
}

/// Places the orders of a content that waits; none when it does no more.
async fn of_found(work: &mut Work, due: Due) -> Result<Vec<Placed>> {
    let subscription = lock(work, due.subscription_id).await?;
    if subscription.is_over(work.now) {
        return Ok(Vec::new());
    }
    let sql = Sql::new("SELECT url FROM subscription_contents WHERE id = ? AND status = 'found'");
    match work.opt::<(String,)>(sql.bind(due.id)).await? {
        Some((url,)) => orders_of(work, &subscription, due.id, &url).await,
        None => Ok(Vec::new()),
    }
}

/// The content keeps its turn; staff and its customer see why it waits.
async fn put_off(ctx: &Ctx, due: Due, claimed: Time, error: Error) -> Result<()> {
    let why = reason(error);
    let mut work = ctx.begin().await?;
    lock(&mut work, due.subscription_id).await?;
    let sql = Sql::new("SELECT tries FROM subscription_contents WHERE id = ?");
    let (tries,): (i64,) = work.one(sql.bind(due.id)).await?;
    let next = choose::retry_backoff(FIRST_RETRY).at(tries.saturating_add(1), Chance::NONE, work.now);
    let postponed = content_store::postpone(&mut work, (due.id, claimed), &why, next).await?;
    if !postponed.is_applied() {
        // Another worker took it meanwhile, so nothing waits.
        return Ok(());
    }
    store::set_wait_reason(&mut work, due.subscription_id, &why).await?;
    work.finish(()).await
}

/// Places the orders of a content that somebody names; none when it is known already or the subscription is over. All of
/// them or an error.
pub async fn found(work: &mut Work, id: SubscriptionId, url: &str) -> Result<Vec<Placed>> {
    let subscription = lock(work, id).await?;
    if subscription.is_over(work.now) || room(work, &subscription).await? < 1 {
        return Ok(Vec::new());
    }
    match content_store::insert_named(work, id, url.trim()).await? {
        Some(content) => orders_of(work, &subscription, content, url).await,
        None => Ok(Vec::new()),
    }
}

/// Contents that may still be taken.
pub(super) async fn room(work: &mut Work, subscription: &Record) -> Result<i64> {
    let sql =
        Sql::new("SELECT count(*) FROM subscription_contents WHERE subscription_id = ? AND status = 'found'");
    let (waiting,): (i64,) = work.one(sql.bind(subscription.id)).await?;
    Ok(subscription.contents_limit - subscription.subscription_contents_count - waiting)
}

async fn orders_of(
    work: &mut Work,
    subscription: &Record,
    content: SubscriptionContentId,
    url: &str,
) -> Result<Vec<Placed>> {
    let sql = Sql::new(
        "SELECT x.service_id, x.quantity AS least, COALESCE(x.max_quantity, x.quantity) AS most, x.cost, s.min_quantity, s.max_quantity, s.quantity_step
         FROM subscription_services x JOIN services s ON s.id = x.service_id WHERE x.subscription_id = ? ORDER BY x.service_id",
    );
    let parts: Vec<Part> = work.all(sql.bind(subscription.id)).await?;
    commission::lock(work, subscription.user_id).await?;
    let mut placed = Vec::new();
    for (at, part) in (subscription.orders_count..).zip(&parts) {
        let dice = u64::from_le_bytes(work.scope().platform.random.bytes::<8>());
        // Where the service's bounds have moved away, placing says what they are.
        let quantity = choose::quantity(part.least, part.most, part.bounds, dice).unwrap_or(part.least);
        let plain = NewOrder::plain(subscription.user_id, part.service_id, url, quantity);
        let (parent, source) = (Some(Parent::Subscription(subscription.id)), OrderSource::Subscription);
        let new = NewOrder { source, parent, ..plain };
        placed.push(match subscription.billing_type {
            BillingType::PerContent => place_paid(work, &new).await?,
            _ => {
                let prepaid = Some(advances::take(work, subscription.owner(), at, part.cost).await?);
                place(work, &NewOrder { prepaid, ..new }).await?
            }
        });
    }
    let orders = i64::try_from(placed.len()).unwrap_or(0);
    content_store::mark_placed(work, content, orders).await?;
    count(work, subscription, orders).await?;
    Ok(placed)
}

async fn count(work: &mut Work, subscription: &Record, orders: i64) -> Result<()> {
    // One that recurs waits for its next period.
    let contents = subscription.subscription_contents_count;
    let is_last = contents + 1 == subscription.contents_limit && subscription.period_days.is_none();
    let which = (subscription.id, contents);
    store::record_content(work, which, orders, subscription.look_at, is_last).await?;
    if is_last {
        content_store::leave_all(work, subscription.id).await?;
    }
    Ok(())
}

/// Ends subscriptions whose time is over: they are completed, and what was not placed goes back.
#[must_use]
pub fn expiry_poller() -> Poller<App> {
    Poller::new("subscription_expiry", EVERY, claim_expired, end_each).of(&SUBSCRIPTION_EXPIRY)
}

/// One poll; how many subscriptions there were.
pub async fn end_expired(app: &App) -> Result<usize> {
    expiry_poller().poll_once(app).await
}

async fn claim_expired(app: App) -> Result<Claimed<Vec<SubscriptionId>>> {
    let due = SUBSCRIPTION_EXPIRY.due_unclaimed(&app).push(" ORDER BY expired_at LIMIT ?").bind(BATCH);
    Ok(SUBSCRIPTION_EXPIRY.claim_batch(&app, due).await?)
}

async fn end_each(app: App, expired: Vec<SubscriptionId>) -> Result<Worked> {
    let mut worked = Worked::default();
    for id in expired {
        match end_one(&app, id).await {
            Ok(()) => worked.done += 1,
            Err(error) => worked.fail(SUBSCRIPTION_EXPIRY.kind, id.record(), error)?,
        }
    }
    Ok(worked)
}

/// One subscription, in a transaction of its own.
async fn end_one(app: &App, id: SubscriptionId) -> Result<()> {
    let mut work = Scope::system(app, "subscription").begin().await?;
    let subscription = lock(&mut work, id).await?;
    if subscription.status != BatchStatus::InProcessing {
        return Ok(());
    }
    end(&mut work, &subscription, BatchStatus::Completed).await?;
    work.finish(()).await
}
