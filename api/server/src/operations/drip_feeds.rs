//! Lists and cancels drip-feeds; `run` starts them and places their orders. A cancellation refunds the prepaid amount of the
//! remaining runs, and does not change the orders that were already placed.

pub mod run;
pub mod store;

use panel_contract::amount::Money;
use panel_contract::common::{Data, NamedRef};
use panel_contract::drip_feeds::{DripFeed, RecurringOrderActions, RecurringOrderStatus};
use panel_contract::endpoints::drip_feeds::{CancelDripFeed, ListDripFeeds};
use panel_contract::ids::{DripFeedId, OrderId, ServiceId, UserId};
use panel_contract::moment::{Time, Timestamp};
use panel_contract::payments::UserSummary;
use panel_contract::permission::Permission;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use serde_json::json;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::advances::{self, AdvanceOwner, AdvancePlan};
use crate::operations::orders::promotable::PromotableColumns;
use crate::records::search_texts;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::table::{
    ColumnSql, CountGroup, Join, RowSource, SearchTarget, Table, TextIndex, base_column, expr,
};
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.list_route::<ListDripFeeds, _, _>(&DRIP_FEEDS, |row: DripFeedRow, ctx| {
        row.into_response(ctx.has_permission(Permission::ManageOrders))
    })
    .route::<CancelDripFeed, _, _, _>(cancel_and_respond)
}

static TEXTS: TextIndex = TextIndex::trigrams("drip_feeds", &["name", "url"]);

pub static DRIP_FEEDS: Table = Table::new(
    &panel_contract::lists::drip_feeds::DRIP_FEEDS,
    RowSource {
        base: "drip_feeds",
        alias: "d",
        key: "d.id",
        joins: &[
            Join { alias: "s", sql: "JOIN services s ON s.id = d.service_id" },
            Join { alias: "u", sql: "JOIN users u ON u.id = d.user_id" },
            Join { alias: "p", sql: JOIN_NEWEST_ORDER },
        ],
        select: SELECT,
        ..RowSource::NONE
    },
    COLUMN_SQL,
)
.global_search(&[
    SearchTarget::new("d.id", &TEXTS, "url").own_columns(&["d.name", "d.url"]),
    SearchTarget::new("d.user_id", &search_texts::USERS, "user"),
    SearchTarget::new("d.service_id", &search_texts::SERVICES, "service"),
])
.count_from("drip_feeds", "");

/// Columns whose SQL is not a table column of the same name, or that have materialized counts or a text index.
const COLUMN_SQL: &[ColumnSql] = &[
    base_column("name").text_index("d.id", &TEXTS, "name"),
    base_column("url").text_index("d.id", &TEXTS, "url"),
    base_column("status").count_group(CountGroup::FilterValue),
    expr("total_quantity", "(d.runs * d.quantity)"),
    expr("service", "s.name").join("s").text_index("d.service_id", &search_texts::SERVICES, ""),
    expr("service.id", "d.service_id"),
    expr("service.name", "s.name").join("s").text_index("d.service_id", &search_texts::SERVICES, "name"),
    expr("user", "u.name").join("u").text_index("d.user_id", &search_texts::USERS, ""),
    expr("user.id", "d.user_id"),
    expr("user.name", "u.name").join("u").text_index("d.user_id", &search_texts::USERS, "name"),
    expr("user.email", "u.email").join("u").text_index("d.user_id", &search_texts::USERS, "email"),
];

async fn cancel_and_respond(ctx: Ctx, req: Req<CancelDripFeed>) -> Result<Data<DripFeed>> {
    let mut work = ctx.begin().await?;
    cancel_drip_feed(&mut work, req.path).await?;
    let data = load_row(&mut work, req.path).await?.into_response(true);
    work.finish(Data { data }).await
}

// Rules

/// Rejects the cancellation of a drip-feed or a subscription that has ended.
pub(crate) fn check_cancel(
    status: RecurringOrderStatus,
    record_kind: &str,
    code: &'static str,
) -> Result<(), Rejection> {
    if status == RecurringOrderStatus::InProcessing {
        return Ok(());
    }
    let message = format!("You cannot cancel a {record_kind} that is {status}.");
    Err(Rejection::conflict(code, message))
}

/// Returns the actions that the caller may use on a drip-feed or a subscription in `status`.
pub(crate) fn allowed_actions(status: RecurringOrderStatus, may_manage: bool) -> RecurringOrderActions {
    RecurringOrderActions { cancelable: may_manage && status == RecurringOrderStatus::InProcessing }
}

/// Returns the amount that a cancellation refunds.
fn refundable_amount(feed: &DripFeedRow) -> Result<Money> {
    check_cancel(feed.status, "drip-feed", "drip_feed_not_cancelable")?;
    Ok(feed.plan().remainder()?)
}

// Store

/// Cancels a drip-feed on request of staff or its customer, and refunds the prepaid amount of the remaining runs. Orders that were
/// already placed stay unchanged.
pub(crate) async fn cancel_drip_feed(work: &mut UnitOfWork, id: DripFeedId) -> Result<()> {
    let feed = lock_row(work, id).await?;
    let refund_amount = refundable_amount(&feed)?;
    write_cancel(work, &feed, refund_amount).await
}

async fn write_cancel(work: &mut UnitOfWork, feed: &DripFeedRow, refund_amount: Money) -> Result<()> {
    store::cancel(work, feed.id, refund_amount).await?;
    advances::refund_remainder(work, feed.owner(), refund_amount).await?;
    let old = json!({ "status": feed.status, "orders_count": feed.orders_count });
    let new = json!({ "status": RecurringOrderStatus::Canceled, "refunded": refund_amount });
    audit::record(
        work,
        "drip_feed.canceled",
        "drip_feed",
        AuditChange { id: feed.id.as_record_id(), old, new },
    )
    .await
}

fn select_by_id(id: DripFeedId) -> Sql {
    Sql::new("SELECT ").push(SELECT).push(FROM).push(JOIN_NEWEST_ORDER).push(" WHERE d.id = ?").bind(id)
}

async fn lock_row(work: &mut UnitOfWork, id: DripFeedId) -> Result<DripFeedRow> {
    work.lock("drip_feeds", &[id]).await?;
    load_row(work, id).await
}

async fn load_row(db: &mut impl SqlExecutor, id: DripFeedId) -> Result<DripFeedRow> {
    db.fetch_optional(select_by_id(id)).await?.ok_or_else(|| Error::not_found("drip-feed", id))
}

const SELECT: &str = "d.id, d.name, d.url, d.user_id, u.name AS user_name, u.email AS user_email, d.service_id, s.name AS service_name, d.status, d.runs,
  d.orders_count, d.price, d.pricing_per, d.quantity, d.cost, d.refunded, d.rounding_precision, d.minutes_between_runs, d.countries,
  d.next_run_at, d.last_error, d.created_at, d.completed_at, d.canceled_at, d.updated_at,
  p.promotable_embed_url, p.promotable_region_restriction, p.promotable_average_viewers, p.promotable_first_statistic_viewers,
  p.promotable_supported_at, p.promotable_supported_until,
  (SELECT string_agg(CAST(r.id AS TEXT), ',') FROM (SELECT x.id FROM orders x WHERE x.drip_feed_id = d.id ORDER BY x.id DESC LIMIT 100) r) AS orders";
const FROM: &str =
    " FROM drip_feeds d JOIN services s ON s.id = d.service_id JOIN users u ON u.id = d.user_id ";
/// Joins the newest order, which has the latest data about the promoted account or channel.
const JOIN_NEWEST_ORDER: &str =
    "LEFT JOIN orders p ON p.id = (SELECT max(x.id) FROM orders x WHERE x.drip_feed_id = d.id)";

/// A row of `drip_feeds`, with its customer, service and newest order.
#[derive(Debug, sqlx::FromRow)]
pub struct DripFeedRow {
    id: DripFeedId,
    name: String,
    url: String,
    user_id: UserId,
    user_name: String,
    user_email: String,
    service_id: ServiceId,
    service_name: String,
    status: RecurringOrderStatus,
    runs: i64,
    orders_count: i64,
    price: Money,
    pricing_per: i64,
    quantity: i64,
    cost: Money,
    refunded: Money,
    rounding_precision: i64,
    minutes_between_runs: i64,
    countries: String,
    next_run_at: Option<Time>,
    last_error: Option<String>,
    created_at: Time,
    completed_at: Option<Time>,
    canceled_at: Option<Time>,
    updated_at: Timestamp,
    /// Ids separated by commas.
    orders: Option<String>,
    #[sqlx(flatten)]
    promotable: PromotableColumns,
}

impl DripFeedRow {
    fn owner(&self) -> AdvanceOwner {
        AdvanceOwner { kind: "drip_feed", id: self.id.as_record_id(), user_id: self.user_id }
    }

    fn is_due(&self, now: Time) -> bool {
        self.status == RecurringOrderStatus::InProcessing
            && self.orders_count < self.runs
            && self.next_run_at.is_some_and(|next_run_at| next_run_at <= now)
    }

    fn plan(&self) -> AdvancePlan {
        AdvancePlan {
            cost: self.cost,
            returned: self.refunded,
            units: self.runs,
            placed_units: self.orders_count,
            precision: u8::try_from(self.rounding_precision).unwrap_or(6),
        }
    }

    fn into_response(self, may_manage: bool) -> DripFeed {
        let is_active = self.status == RecurringOrderStatus::InProcessing;
        let orders = self.orders.as_deref().unwrap_or_default();
        let mut orders: Vec<OrderId> = orders.split(',').filter_map(|id| id.parse().ok()).collect();
        orders.sort_unstable_by(|left, right| right.cmp(left));
        DripFeed {
            orders,
            refund_amount: self.plan().remainder().ok().filter(|_| is_active).unwrap_or_default(),
            actions: allowed_actions(self.status, may_manage),
            id: self.id,
            name: self.name,
            url: self.url,
            user: UserSummary { id: self.user_id, name: self.user_name, email: self.user_email },
            service: NamedRef { id: self.service_id, name: self.service_name },
            status: self.status,
            runs: self.runs,
            orders_count: self.orders_count,
            price: self.price,
            pricing_per: self.pricing_per,
            quantity: self.quantity,
            total_quantity: self.quantity.saturating_mul(self.runs),
            cost: self.cost,
            refunded: self.refunded,
            minutes_between_runs: self.minutes_between_runs,
            countries: serde_json::from_str(&self.countries).unwrap_or_default(),
            next_run_at: self.next_run_at,
            last_error: self.last_error,
            created_at: self.created_at,
            completed_at: self.completed_at,
            canceled_at: self.canceled_at,
            updated_at: self.updated_at,
            promotable: self.promotable.into(),
        }
    }
}
