//! Drip-feeds: the list, starting one, placing its next run, canceling. All runs are paid ahead and held; a run that
//! cannot be placed keeps its money and its turn.

use panel_contract::amount::{Money, Overflow};
use panel_contract::common::{Data, Named};
use panel_contract::drip_feeds::{BatchActions, BatchStatus, DripFeed};
use panel_contract::endpoints::drip_feeds::{CancelDripFeed, ListDripFeeds};
use panel_contract::fields::FieldErrors;
use panel_contract::moment::{Stamp, Time};
use panel_contract::orders::OrderSource;
use panel_contract::payments::{BalanceType, PaymentUser};
use panel_contract::permission::Permission;
use serde_json::json;

use crate::audit::{self, Change};
use crate::configuration::settings;
use crate::db::{Source, Sql};
use crate::http::api::Api;
use crate::http::error::{ApiError, Result};
use crate::http::{Ctx, Req};
use crate::operations::advances::{self, Owner, Plan};
use crate::operations::orders::list::{SERVICE_TEXTS, USER_TEXTS};
use crate::operations::orders::place::{NewOrder, Parent, Placed, place};
use crate::operations::orders::{edit, price};
use crate::refusal::Refusal;
use crate::table::{Arm, Column, Group, Index, Join, Kind, Table};
use crate::words_of;
use crate::work::Work;

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.table::<ListDripFeeds, _, _>(&DRIP_FEEDS, |record: Record, ctx| {
        record.shown(ctx.may(Permission::ManageOrders))
    })
    .on::<CancelDripFeed, _, _, _>(cancel)
}

static TEXTS: Index = Index { table: "drip_feeds", fts: "drip_feeds_fts", columns: &["name", "url"] };

/// All drip-feeds, newest first.
pub static DRIP_FEEDS: Table = Table {
    name: "drip-feeds",
    base: "drip_feeds",
    alias: "d",
    key: "d.id",
    scope: None,
    joins: &[
        Join { alias: "s", sql: "JOIN services s ON s.id = d.service_id" },
        Join { alias: "u", sql: "JOIN users u ON u.id = d.user_id" },
    ],
    select: SELECT,
    columns: &[
        Column::new("id", "d.id", Kind::Id),
        Column::new("name", "d.name", Kind::Text).found("d.id", &TEXTS, "name"),
        Column::new("url", "d.url", Kind::Text).found("d.id", &TEXTS, "url"),
        Column::new("status", "d.status", words_of!(BatchStatus)).counted(Group::Word),
        Column::new("runs", "d.runs", Kind::Number),
        Column::new("orders_count", "d.orders_count", Kind::Number),
        Column::new("price", "d.price", Kind::Money),
        Column::new("quantity", "d.quantity", Kind::Number),
        Column::new("total_quantity", "(d.runs * d.quantity)", Kind::Number),
        Column::new("cost", "d.cost", Kind::Money),
        Column::new("returned", "d.returned", Kind::Money),
        Column::new("minutes_between_runs", "d.minutes_between_runs", Kind::Number),
        Column::new("next_run_at", "d.next_run_at", Kind::Time).nullable(),
        Column::new("last_error", "d.last_error", Kind::Text).nullable(),
        Column::new("created_at", "d.created_at", Kind::Time),
        Column::new("completed_at", "d.completed_at", Kind::Time).nullable(),
        Column::new("canceled_at", "d.canceled_at", Kind::Time).nullable(),
        Column::new("service", "s.name", Kind::Ref).of("s").found("d.service_id", &SERVICE_TEXTS, "").hidden(),
        Column::new("service.id", "d.service_id", Kind::Id),
        Column::new("service.name", "s.name", Kind::Text).of("s").found("d.service_id", &SERVICE_TEXTS, "name"),
        Column::new("user", "u.name", Kind::Ref).of("u").found("d.user_id", &USER_TEXTS, "").hidden(),
        Column::new("user.id", "d.user_id", Kind::Id),
        Column::new("user.name", "u.name", Kind::Text).of("u").found("d.user_id", &USER_TEXTS, "name"),
        Column::new("user.email", "u.email", Kind::Text).of("u").found("d.user_id", &USER_TEXTS, "email"),
    ],
    plain: &[Column::new("user_id", "d.user_id", Kind::Id)],
    common: &[
        Arm { key: "d.id", index: &TEXTS, here: &["d.name", "d.url"], column: "url" },
        Arm { key: "d.user_id", index: &USER_TEXTS, here: &[], column: "user" },
        Arm { key: "d.service_id", index: &SERVICE_TEXTS, here: &[], column: "service" },
    ],
    order: &[],
    kept: Some(("drip_feeds", "")),
};

async fn cancel(ctx: Ctx, req: Req<CancelDripFeed>) -> Result<Data<DripFeed>> {
    let mut work = ctx.begin().await?;
    let feed = lock(&mut work, req.path).await?;
    let returned = close(&feed)?;
    write_cancel(&mut work, &feed, returned).await?;
    let data = find(&mut work, feed.id).await?.shown(true);
    work.finish(Data { data }).await
}

// Rules

/// A drip-feed to be started.
#[derive(Debug, Clone)]
pub struct NewDripFeed {
    /// The customer.
    pub user_id: i64,
    /// The service; must allow drip-feeds.
    pub service_id: i64,
    /// Where to deliver.
    pub url: String,
    /// Of each run, within the service's bounds.
    pub quantity: i64,
    /// How many runs.
    pub runs: i64,
    /// Minutes from one to the next.
    pub minutes_between_runs: i64,
    /// The balance that pays all runs ahead.
    pub pays: BalanceType,
}

/// Why a drip-feed or a subscription cannot be canceled, in one sentence.
pub(crate) fn check_cancel(status: BatchStatus, what: &str, code: &'static str) -> Result<(), Refusal> {
    if status == BatchStatus::InProcessing {
        return Ok(());
    }
    let message = format!("You cannot cancel a {what} that is {status}; nothing more can be done to it.");
    Err(Refusal::conflict(code, message))
}

/// What the caller may do with a drip-feed or a subscription in `status`.
pub(crate) fn actions(status: BatchStatus, may_manage: bool) -> BatchActions {
    BatchActions { cancelable: may_manage && status == BatchStatus::InProcessing }
}

fn close(feed: &Record) -> Result<Money> {
    check_cancel(feed.status, "drip-feed", "drip_feed_not_cancelable")?;
    Ok(feed.plan().rest()?)
}

fn check(new: &NewDripFeed, (allowed, min, max, step): (bool, i64, i64, i64)) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    if !allowed {
        errors.add("service_id", "This service does not allow drip-feeds; choose another.");
    }
    if !(min..=max).contains(&new.quantity) || (new.quantity - min) % step.max(1) != 0 {
        errors.add("quantity", format!("Each run orders {min} to {max} in steps of {step}, counted from {min}."));
    }
    for (field, value, most) in
        [("runs", new.runs, 10_000), ("minutes_between_runs", new.minutes_between_runs, 527_040)]
    {
        if !(1..=most).contains(&value) {
            errors.add(field, format!("Give 1 to {most}."));
        }
    }
    errors.or(())
}

// Store

/// Starts one: all its runs are paid and held; the first is due at once.
pub async fn start(work: &mut Work, new: &NewDripFeed) -> Result<i64> {
    edit::url(&new.url)?;
    let sql = Sql::new(
        "SELECT s.name, COALESCE(own.default_price, s.default_price), s.pricing_per,
           s.drip_feed_is_allowed AND s.is_enabled AND NOT s.is_archived AND NOT s.is_deactivated, s.min_quantity, s.max_quantity, s.quantity_step
         FROM services s LEFT JOIN user_services own ON own.service_id = s.id AND own.user_id = ? WHERE s.id = ?",
    );
    let terms: Option<(String, Money, i64, bool, i64, i64, i64)> =
        work.opt(sql.bind(new.user_id).bind(new.service_id)).await?;
    let (name, price, per, allowed, min, max, step) =
        terms.ok_or_else(|| ApiError::not_found("service", new.service_id))?;
    check(new, (allowed, min, max, step))?;
    let places = settings::rounding_precision(work).await?;
    let one = price::cost(price, new.quantity, per, places, [])?.cost;
    let cost = Money(one.0.checked_mul(new.runs).ok_or(Overflow)?);
    let (now, stamp) = (work.now, work.stamp());
    let sql = Sql::new(
        "INSERT INTO drip_feeds (name, url, user_id, service_id, status, runs, price, pricing_per, cost, rounding_precision, quantity,
           minutes_between_runs, next_run_at, created_at, updated_at) VALUES (?, ?, ?, ?, 'in_processing', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
    );
    let sql = sql.bind(name).bind(new.url.trim()).bind(new.user_id).bind(new.service_id).bind(new.runs).bind(price);
    let sql = sql.bind(per).bind(cost).bind(i64::from(places)).bind(new.quantity).bind(new.minutes_between_runs);
    let (id,): (i64,) = work.one(sql.bind(now).bind(now).bind(stamp)).await?;
    if cost > Money::ZERO {
        let owner = Owner { kind: "drip_feed", id, user_id: new.user_id };
        advances::hold(work, owner, &[(new.pays, cost)]).await?;
    }
    let shown = json!({ "runs": new.runs, "quantity": new.quantity, "cost": cost, "user_id": new.user_id });
    audit::record(work, "drip_feed.started", "drip_feed", Change { id, old: json!({}), new: shown }).await?;
    Ok(id)
}

/// Places the next run; none when there is no more to place. An order that cannot be placed is an error, and the run
/// stays due.
pub async fn run(work: &mut Work, id: i64) -> Result<Option<Placed>> {
    let feed = lock(work, id).await?;
    if feed.status != BatchStatus::InProcessing || feed.orders_count >= feed.runs {
        return Ok(None);
    }
    let cost = feed.plan().next()?;
    let parts = advances::take(work, feed.owner(), feed.orders_count, cost).await?;
    let plain = NewOrder::plain(feed.user_id, feed.service_id, &feed.url, feed.quantity);
    let (parent, source) = (Some(Parent::DripFeed(id)), OrderSource::DripFeed);
    let placed = place(work, &NewOrder { source, parent, prepaid: Some(parts), ..plain }).await?;
    let (now, stamp) = (work.now, work.stamp());
    let is_last = feed.orders_count + 1 == feed.runs;
    let next = (!is_last).then_some(now.0 + feed.minutes_between_runs * 60_000_000);
    let sql = Sql::new(
        "UPDATE drip_feeds SET orders_count = orders_count + 1, next_run_at = ?, last_error = NULL, status = ?, completed_at = ?, updated_at = ?
         WHERE id = ? AND status = 'in_processing' AND orders_count = ?",
    );
    let status = if is_last { BatchStatus::Completed } else { BatchStatus::InProcessing };
    let sql = sql.bind(next).bind(status.as_str()).bind(is_last.then_some(now)).bind(stamp).bind(id);
    written(work.exec(sql.bind(feed.orders_count)).await?)?;
    Ok(Some(placed))
}

/// Zero rows: somebody else was faster.
fn written(rows: u64) -> Result<()> {
    match rows {
        1 => Ok(()),
        _ => Err(ApiError::conflict("drip_feed_changed_meanwhile", "The drip-feed changed meanwhile; reload and try again.")),
    }
}

async fn write_cancel(work: &mut Work, feed: &Record, returned: Money) -> Result<()> {
    let (now, stamp) = (work.now, work.stamp());
    let sql = Sql::new(
        "UPDATE drip_feeds SET status = 'canceled', canceled_at = ?, next_run_at = NULL, returned = returned + ?, updated_at = ?
         WHERE id = ? AND status = 'in_processing'",
    );
    written(work.exec(sql.bind(now).bind(returned).bind(stamp).bind(feed.id)).await?)?;
    advances::give_back(work, feed.owner(), returned).await?;
    let old = json!({ "status": feed.status, "orders_count": feed.orders_count });
    let new = json!({ "status": BatchStatus::Canceled, "returned": returned });
    audit::record(work, "drip_feed.canceled", "drip_feed", Change { id: feed.id, old, new }).await
}

async fn lock(work: &mut Work, id: i64) -> Result<Record> {
    let sql = Sql::new("SELECT ").push(SELECT).push(FROM).bind(id).for_update_of("d");
    work.opt(sql).await?.ok_or_else(|| ApiError::not_found("drip-feed", id))
}

async fn find(db: &mut impl Source, id: i64) -> Result<Record> {
    let sql = Sql::new("SELECT ").push(SELECT).push(FROM).bind(id);
    db.opt(sql).await?.ok_or_else(|| ApiError::not_found("drip-feed", id))
}

const SELECT: &str = "d.id, d.name, d.url, d.user_id, u.name AS user_name, u.email AS user_email, d.service_id, s.name AS service_name, d.status, d.runs,
  d.orders_count, d.price, d.pricing_per, d.quantity, d.cost, d.returned, d.rounding_precision, d.minutes_between_runs, d.countries,
  d.next_run_at, d.last_error, d.created_at, d.completed_at, d.canceled_at, d.updated_at";
const FROM: &str =
    " FROM drip_feeds d JOIN services s ON s.id = d.service_id JOIN users u ON u.id = d.user_id WHERE d.id = ?";

/// A drip-feed as the database has it.
#[derive(Debug, sqlx::FromRow)]
pub struct Record {
    id: i64,
    name: String,
    url: String,
    user_id: i64,
    user_name: String,
    user_email: String,
    service_id: i64,
    service_name: String,
    status: BatchStatus,
    runs: i64,
    orders_count: i64,
    price: Money,
    pricing_per: i64,
    quantity: i64,
    cost: Money,
    returned: Money,
    rounding_precision: i64,
    minutes_between_runs: i64,
    countries: String,
    next_run_at: Option<Time>,
    last_error: Option<String>,
    created_at: Time,
    completed_at: Option<Time>,
    canceled_at: Option<Time>,
    updated_at: Stamp,
}

impl Record {
    fn owner(&self) -> Owner {
        Owner { kind: "drip_feed", id: self.id, user_id: self.user_id }
    }

    fn plan(&self) -> Plan {
        Plan {
            cost: self.cost,
            returned: self.returned,
            units: self.runs,
            done: self.orders_count,
            precision: u8::try_from(self.rounding_precision).unwrap_or(6),
        }
    }

    fn shown(self, may_manage: bool) -> DripFeed {
        let open = self.status == BatchStatus::InProcessing;
        DripFeed {
            refund_amount: self.plan().rest().ok().filter(|_| open).unwrap_or_default(),
            actions: actions(self.status, may_manage),
            id: self.id,
            name: self.name,
            url: self.url,
            user: PaymentUser { id: self.user_id, name: self.user_name, email: self.user_email },
            service: Named { id: self.service_id, name: self.service_name },
            status: self.status,
            runs: self.runs,
            orders_count: self.orders_count,
            price: self.price,
            pricing_per: self.pricing_per,
            quantity: self.quantity,
            total_quantity: self.quantity.saturating_mul(self.runs),
            cost: self.cost,
            returned: self.returned,
            minutes_between_runs: self.minutes_between_runs,
            countries: serde_json::from_str(&self.countries).unwrap_or_default(),
            next_run_at: self.next_run_at,
            last_error: self.last_error,
            created_at: self.created_at,
            completed_at: self.completed_at,
            canceled_at: self.canceled_at,
            updated_at: self.updated_at,
        }
    }
}
