//! Endpoints for subscriptions, which place orders for every new content of a channel: they list, show, renew and cancel
//! subscriptions. `start` starts a subscription, `renew` renews it, `poll_feeds` polls the feed of its channel, and `content`
//! places the orders.

mod choose;
pub mod content;
pub mod content_store;
mod feed;
pub mod poll_feeds;
pub mod renew;
pub mod start;
pub mod store;

use panel_contract::amount::Money;
use panel_contract::common::{Choice, Data, NamedRef};
use panel_contract::drip_feeds::RecurringOrderStatus;
use panel_contract::endpoints::subscriptions::{
    CancelSubscription, GetSubscription, GetSubscriptionCollections, ListSubscriptions, RenewSubscription,
};
use panel_contract::ids::{SubscriptionContentId, SubscriptionId, UserId};
use panel_contract::moment::{Time, Timestamp};
use panel_contract::payments::UserSummary;
use panel_contract::permission::Permission;
use panel_contract::subscriptions::{
    BillingType, ContentStatus, RenewedSubscription, Subscription, SubscriptionActions,
    SubscriptionCollections, SubscriptionContent, SubscriptionRow, SubscriptionService,
};
use panel_contract::users::UserStatus;
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::advances::{self, AdvanceOwner};
use crate::operations::drip_feeds::{allowed_actions, check_cancel};
use crate::records::search_texts;
use panel_contract::dictionary::enum_label;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::scope::Scope;
use panel_platform::table::{CountGroup, Join, RowSource, SearchTarget, Table, TextIndex, base_column, expr};
use panel_platform::work::UnitOfWork;

/// Maximum number of contents in the response for one subscription. The response contains the newest contents.
const MAX_SHOWN_CONTENTS: i64 = 100;

// Routes

pub fn routes(api: Api) -> Api {
    api.list_route::<ListSubscriptions, _, _>(&SUBSCRIPTIONS, |row: SubscriptionListRow, ctx| {
        row.into_response(ctx)
    })
    .route::<GetSubscriptionCollections, _, _, _>(list_collections)
    .route::<GetSubscription, _, _, _>(get)
    .route::<CancelSubscription, _, _, _>(cancel_and_respond)
    .route::<RenewSubscription, _, _, _>(renew_paused_subscription)
}

static TEXTS: TextIndex = TextIndex::trigrams("subscriptions", &["name", "url"]);

pub static SUBSCRIPTIONS: Table = Table::new(
    &panel_contract::lists::subscriptions::SUBSCRIPTIONS,
    RowSource {
        base: "subscriptions",
        alias: "b",
        key: "b.id",
        joins: &[Join { alias: "u", sql: "JOIN users u ON u.id = b.user_id" }],
        select: SELECT,
        ..RowSource::NONE
    },
    &[
        base_column("name").text_index("b.id", &TEXTS, "name"),
        base_column("url").text_index("b.id", &TEXTS, "url"),
        base_column("status").count_group(CountGroup::FilterValue),
        expr("last_error", "b.poll_error"),
        expr(
            "subscription_services",
            "(SELECT min(v.name) FROM subscription_services x JOIN services v ON v.id = x.service_id WHERE x.subscription_id = b.id)",
        ).text_index("b.id", &search_texts::SERVICES, "").through_join_table(SUBSCRIPTIONS_WITH_SERVICE, "service_id"),
        expr("user", "u.name").join("u").text_index("b.user_id", &search_texts::USERS, ""),
        expr("user.id", "b.user_id"),
        expr("user.name", "u.name").join("u").text_index("b.user_id", &search_texts::USERS, "name"),
        expr("user.email", "u.email").join("u").text_index("b.user_id", &search_texts::USERS, "email"),
    ],
)
.global_search(&[
    SearchTarget::new("b.id", &TEXTS, "url").own_columns(&["b.name", "b.url"]),
    SearchTarget::new("b.user_id", &search_texts::USERS, "user"),
])
.count_from("subscriptions", "");

async fn list_collections(
    _ctx: Ctx,
    _req: Req<GetSubscriptionCollections>,
) -> Result<Data<SubscriptionCollections>> {
    let choice = |value: &BillingType| Choice { kind: value.to_string(), label: enum_label(value.as_str()) };
    Ok(Data {
        data: SubscriptionCollections { billing_types: BillingType::ALL.iter().map(choice).collect() },
    })
}

async fn get(ctx: Ctx, req: Req<GetSubscription>) -> Result<Data<Subscription>> {
    Ok(Data { data: load_with_contents(&ctx, &mut ctx.db(), req.path).await? })
}

async fn cancel_and_respond(ctx: Ctx, req: Req<CancelSubscription>) -> Result<Data<Subscription>> {
    let mut work = ctx.begin().await?;
    cancel_subscription(&mut work, req.path).await?;
    let data = load_with_contents(&ctx, &mut work, req.path).await?;
    work.finish(Data { data }).await
}

async fn renew_paused_subscription(ctx: Ctx, req: Req<RenewSubscription>) -> Result<RenewedSubscription> {
    let mut work = ctx.begin().await?;
    let subscription = lock_row(&mut work, req.path).await?;
    renew::check_renewable(&subscription)?;
    let renewal = renew::quote(&mut work, &subscription).await?;
    renew::renew(&mut work, &subscription, &renewal).await?;
    let data = load_with_contents(&ctx, &mut work, req.path).await?;
    work.finish(RenewedSubscription { data, charged: renewal.cost }).await
}

// Store

/// Cancels a subscription. The customer cancels it through the reseller API, and staff through the console.
pub(crate) async fn cancel_subscription(work: &mut UnitOfWork, id: SubscriptionId) -> Result<()> {
    let subscription = lock_row(work, id).await?;
    check_cancel(subscription.status, "subscription", "subscription_not_cancelable")?;
    end_early(work, &subscription, RecurringOrderStatus::Canceled).await
}

/// Ends a subscription before its limit is reached: waiting contents get no orders, and the prepaid amount of the remaining
/// contents is refunded.
async fn end_early(
    work: &mut UnitOfWork,
    subscription: &SubscriptionListRow,
    status: RecurringOrderStatus,
) -> Result<()> {
    let refund_amount = subscription.held;
    store::end(work, subscription.id, status, refund_amount).await?;
    content_store::skip_waiting(work, subscription.id).await?;
    advances::refund_remainder(work, subscription.owner(), refund_amount).await?;
    let event = if status == RecurringOrderStatus::Canceled {
        "subscription.canceled"
    } else {
        "subscription.expired"
    };
    let old = json!({ "status": subscription.status, "orders_count": subscription.orders_count });
    let new = json!({ "status": status, "refunded": refund_amount });
    audit::record(work, event, "subscription", AuditChange { id: subscription.id.as_record_id(), old, new })
        .await
}

async fn lock_row(work: &mut UnitOfWork, id: SubscriptionId) -> Result<SubscriptionListRow> {
    work.lock("subscriptions", &[id]).await?;
    load_row(work, id).await
}

async fn load_row(db: &mut impl SqlExecutor, id: SubscriptionId) -> Result<SubscriptionListRow> {
    let sql = Sql::new("SELECT ").push(SELECT).push(FROM).bind(id);
    db.fetch_optional(sql).await?.ok_or_else(|| Error::not_found("subscription", id))
}

async fn load_with_contents(
    ctx: &Ctx,
    db: &mut impl SqlExecutor,
    id: SubscriptionId,
) -> Result<Subscription> {
    let row = load_row(db, id).await?.into_response(ctx);
    let sql = Sql::new(
        "SELECT id, url, orders_count, created_at, status, published_at, due_at, last_error FROM subscription_contents
         WHERE subscription_id = ? ORDER BY id DESC LIMIT ?",
    );
    let contents: Vec<ContentRow> = db.fetch_all(sql.bind(id).bind(MAX_SHOWN_CONTENTS)).await?;
    Ok(Subscription {
        row,
        subscription_contents: contents.into_iter().map(ContentRow::into_response).collect(),
    })
}

const SUBSCRIPTIONS_WITH_SERVICE: &str = "SELECT subscription_id FROM subscription_services WHERE ";
const SELECT: &str = "b.id, b.name, b.url, b.type AS kind, b.user_id, u.name AS user_name, u.email AS user_email, u.status AS user_status, b.status, b.billing_type, b.contents_limit,
  b.subscription_contents_count, b.orders_count, b.cost, b.refunded, b.rounding_precision, b.recurring_payment_methods, b.delay_minutes, b.old_contents, b.last_polled_at,
  b.next_poll_at, b.poll_error, b.poll_failures, b.poll_failing_since, b.poll_alerted_at, b.wait_reason, b.period_days, b.period_contents, b.periods, b.renews_at, b.paused_at, b.expired_at, b.created_at,
  b.completed_at, b.canceled_at, b.updated_at,
  (SELECT CAST(COALESCE(sum(a.amount - a.used - a.returned), 0) AS BIGINT) FROM advances a WHERE a.ref_type = 'subscription' AND a.ref_id = b.id) AS held,
  (SELECT string_agg(x.service_id || ' ' || x.quantity || ' ' || COALESCE(x.max_quantity, x.quantity) || ' ' || s.name, '\n' ORDER BY x.service_id) FROM subscription_services x JOIN services s ON s.id = x.service_id
     WHERE x.subscription_id = b.id) AS services";
const FROM: &str = " FROM subscriptions b JOIN users u ON u.id = b.user_id WHERE b.id = ?";

/// A row of `subscriptions`, with its customer and services.
#[derive(Debug, sqlx::FromRow)]
pub struct SubscriptionListRow {
    id: SubscriptionId,
    name: String,
    url: String,
    kind: String,
    user_id: UserId,
    user_name: String,
    user_email: String,
    user_status: UserStatus,
    status: RecurringOrderStatus,
    billing_type: BillingType,
    contents_limit: i64,
    subscription_contents_count: i64,
    orders_count: i64,
    cost: Money,
    refunded: Money,
    rounding_precision: i64,
    recurring_payment_methods: String,
    delay_minutes: i64,
    old_contents: i64,
    last_polled_at: Option<Time>,
    next_poll_at: Option<Time>,
    poll_error: Option<String>,
    poll_failures: i64,
    poll_failing_since: Option<Time>,
    poll_alerted_at: Option<Time>,
    wait_reason: Option<String>,
    period_days: Option<i64>,
    period_contents: Option<i64>,
    periods: i64,
    renews_at: Option<Time>,
    paused_at: Option<Time>,
    expired_at: Option<Time>,
    created_at: Time,
    completed_at: Option<Time>,
    canceled_at: Option<Time>,
    updated_at: Timestamp,
    /// The prepaid amount that is neither spent nor refunded. It cannot be computed from `cost`, because contents of different
    /// periods can have different prices.
    held: Money,
    services: Option<String>,
}

/// A row of `subscription_contents`.
#[derive(Debug, sqlx::FromRow)]
struct ContentRow {
    id: SubscriptionContentId,
    url: String,
    orders_count: i64,
    created_at: Time,
    status: ContentStatus,
    published_at: Option<Time>,
    due_at: Option<Time>,
    last_error: Option<String>,
}

impl ContentRow {
    fn into_response(self) -> SubscriptionContent {
        let Self { id, url, orders_count, created_at, status, published_at, due_at, last_error } = self;
        SubscriptionContent { id, url, orders_count, created_at, status, published_at, due_at, last_error }
    }
}

/// Parses a line of the column `services`: id, minimum quantity, maximum quantity, name.
fn parse_service(line: &str) -> Option<SubscriptionService> {
    let mut columns = line.splitn(4, ' ');
    let id = columns.next()?.parse().ok()?;
    let (quantity, max_quantity) = (columns.next()?.parse().ok()?, columns.next()?.parse().ok()?);
    Some(SubscriptionService {
        service: NamedRef { id, name: columns.next()?.to_owned() },
        quantity,
        max_quantity,
    })
}

impl SubscriptionListRow {
    fn owner(&self) -> AdvanceOwner {
        AdvanceOwner { kind: "subscription", id: self.id.as_record_id(), user_id: self.user_id }
    }

    /// Whether no further orders are placed: the subscription has ended, or it has expired and the worker will end it.
    fn is_over(&self, now: Time) -> bool {
        self.status != RecurringOrderStatus::InProcessing
            || self.expired_at.is_some_and(|expired_at| expired_at <= now)
    }

    fn decimals(&self) -> u8 {
        u8::try_from(self.rounding_precision).unwrap_or(6)
    }

    fn into_response(self, scope: &Scope) -> SubscriptionRow {
        let may_manage = scope.has_permission(Permission::ManageOrders);
        let is_active = self.status == RecurringOrderStatus::InProcessing;
        SubscriptionRow {
            refund_amount: if is_active { self.held } else { Money::ZERO },
            actions: SubscriptionActions {
                cancelable: allowed_actions(self.status, may_manage).cancelable,
                renewable: may_manage && is_active && renew::check_renewable(&self).is_ok(),
            },
            id: self.id,
            name: self.name,
            url: self.url,
            kind: self.kind,
            user: UserSummary { id: self.user_id, name: self.user_name, email: self.user_email },
            status: self.status,
            billing_type: self.billing_type,
            contents_limit: self.contents_limit,
            subscription_contents_count: self.subscription_contents_count,
            subscription_services: self
                .services
                .as_deref()
                .unwrap_or_default()
                .lines()
                .filter_map(parse_service)
                .collect(),
            orders_count: self.orders_count,
            cost: self.cost,
            refunded: self.refunded,
            recurring_payment_methods: Some(&self.recurring_payment_methods)
                .filter(|_| scope.has_permission(Permission::ViewPaymentMethods))
                .and_then(|methods| serde_json::from_str(methods).ok())
                .unwrap_or_default(),
            delay_minutes: self.delay_minutes,
            old_contents: self.old_contents,
            last_polled_at: self.last_polled_at,
            next_poll_at: self.next_poll_at,
            last_error: self.poll_error,
            wait_reason: self.wait_reason,
            period_days: self.period_days,
            renews_at: self.renews_at,
            paused_at: self.paused_at,
            expired_at: self.expired_at,
            created_at: self.created_at,
            completed_at: self.completed_at,
            canceled_at: self.canceled_at,
            updated_at: self.updated_at,
        }
    }
}
