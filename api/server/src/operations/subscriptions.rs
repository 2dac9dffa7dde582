//! Subscriptions: orders for every new content of a channel. List, detail and cancellation. `start` starts one, `renew` renews it,
//! `poll_feeds` polls the feed of its channel, and `content` places the orders of new contents.

mod choose;
pub mod content;
pub mod content_store;
mod feed;
pub mod poll_feeds;
pub mod renew;
pub mod start;
pub mod store;

use panel_contract::amount::Money;
use panel_contract::common::{Choice, Data, Named};
use panel_contract::drip_feeds::BatchStatus;
use panel_contract::endpoints::subscriptions::{
    CancelSubscription, GetSubscription, ListSubscriptions, RenewSubscription, SubscriptionCollectionsOp,
};
use panel_contract::ids::{SubscriptionContentId, SubscriptionId, UserId};
use panel_contract::moment::{Stamp, Time};
use panel_contract::payments::PaymentUser;
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
use crate::operations::drip_feeds::{actions, check_cancel};
use crate::records::search_texts;
use panel_contract::dictionary::label;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Source, Sql};
use panel_platform::scope::Scope;
use panel_platform::table::{Group, Index, Join, RowSource, SearchTarget, Table, base, expr};
use panel_platform::work::UnitOfWork;

/// Largest number of contents in the answer for one subscription: the newest ones.
const SHOWN_CONTENTS: i64 = 100;

// Routes

pub fn routes(api: Api) -> Api {
    api.table::<ListSubscriptions, _, _>(&SUBSCRIPTIONS, |record: SubscriptionRecord, ctx| {
        record.into_response(ctx)
    })
    .on::<SubscriptionCollectionsOp, _, _, _>(collections)
    .on::<GetSubscription, _, _, _>(get)
    .on::<CancelSubscription, _, _, _>(cancel)
    .on::<RenewSubscription, _, _, _>(renew_paused)
}

static TEXTS: Index = Index::trigrams("subscriptions", &["name", "url"]);

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
        base("name").text_index("b.id", &TEXTS, "name"),
        base("url").text_index("b.id", &TEXTS, "url"),
        base("status").count_group(Group::Word),
        expr("last_error", "b.look_error"),
        expr(
            "subscription_services",
            "(SELECT min(v.name) FROM subscription_services x JOIN services v ON v.id = x.service_id WHERE x.subscription_id = b.id)",
        ).text_index("b.id", &search_texts::SERVICES, "").through(WITH_SERVICE, "service_id"),
        expr("user", "u.name").join("u").text_index("b.user_id", &search_texts::USERS, ""),
        expr("user.id", "b.user_id"),
        expr("user.name", "u.name").join("u").text_index("b.user_id", &search_texts::USERS, "name"),
        expr("user.email", "u.email").join("u").text_index("b.user_id", &search_texts::USERS, "email"),
    ],
)
.common_search(&[
    SearchTarget::new("b.id", &TEXTS, "url").here(&["b.name", "b.url"]),
    SearchTarget::new("b.user_id", &search_texts::USERS, "user"),
])
.row_counts("subscriptions", "");

async fn collections(
    _ctx: Ctx,
    _req: Req<SubscriptionCollectionsOp>,
) -> Result<Data<SubscriptionCollections>> {
    let choice = |word: &BillingType| Choice { kind: word.to_string(), label: label(word.as_str()) };
    Ok(Data {
        data: SubscriptionCollections { billing_types: BillingType::ALL.iter().map(choice).collect() },
    })
}

async fn get(ctx: Ctx, req: Req<GetSubscription>) -> Result<Data<Subscription>> {
    Ok(Data { data: load_subscription(&ctx, &mut ctx.db(), req.path).await? })
}

async fn cancel(ctx: Ctx, req: Req<CancelSubscription>) -> Result<Data<Subscription>> {
    let mut work = ctx.begin().await?;
    cancel_one(&mut work, req.path).await?;
    let data = load_subscription(&ctx, &mut work, req.path).await?;
    work.finish(Data { data }).await
}

async fn renew_paused(ctx: Ctx, req: Req<RenewSubscription>) -> Result<RenewedSubscription> {
    let mut work = ctx.begin().await?;
    let subscription = lock(&mut work, req.path).await?;
    renew::check_renewable(&subscription)?;
    let renewal = renew::quote(&mut work, &subscription).await?;
    renew::renew(&mut work, &subscription, &renewal).await?;
    let data = load_subscription(&ctx, &mut work, req.path).await?;
    work.finish(RenewedSubscription { data, charged: renewal.cost }).await
}

// Store

/// Cancels a subscription. The customer cancels it through the reseller API, and staff through the console.
pub(crate) async fn cancel_one(work: &mut UnitOfWork, id: SubscriptionId) -> Result<()> {
    let subscription = lock(work, id).await?;
    check_cancel(subscription.status, "subscription", "subscription_not_cancelable")?;
    end_early(work, &subscription, BatchStatus::Canceled).await
}

/// Ends a subscription early: waiting contents get no orders, and the prepaid money for the remaining contents is returned.
async fn end_early(
    work: &mut UnitOfWork,
    subscription: &SubscriptionRecord,
    status: BatchStatus,
) -> Result<()> {
    let returned = subscription.held;
    store::end(work, subscription.id, status, returned).await?;
    content_store::leave_all(work, subscription.id).await?;
    advances::return_rest(work, subscription.owner(), returned).await?;
    let event =
        if status == BatchStatus::Canceled { "subscription.canceled" } else { "subscription.expired" };
    let old = json!({ "status": subscription.status, "orders_count": subscription.orders_count });
    let new = json!({ "status": status, "returned": returned });
    audit::record(work, event, "subscription", AuditChange { id: subscription.id.record(), old, new }).await
}

async fn lock(work: &mut UnitOfWork, id: SubscriptionId) -> Result<SubscriptionRecord> {
    work.lock("subscriptions", &[id]).await?;
    find(work, id).await
}

async fn find(db: &mut impl Source, id: SubscriptionId) -> Result<SubscriptionRecord> {
    let sql = Sql::new("SELECT ").push(SELECT).push(FROM).bind(id);
    db.opt(sql).await?.ok_or_else(|| Error::not_found("subscription", id))
}

async fn load_subscription(ctx: &Ctx, db: &mut impl Source, id: SubscriptionId) -> Result<Subscription> {
    let row = find(db, id).await?.into_response(ctx);
    let contents = Sql::new(
        "SELECT id, url, orders_count, created_at, status, published_at, due_at, last_error FROM subscription_contents
         WHERE subscription_id = ? ORDER BY id DESC LIMIT ?",
    );
    let contents: Vec<ContentRow> = db.all(contents.bind(id).bind(SHOWN_CONTENTS)).await?;
    Ok(Subscription {
        row,
        subscription_contents: contents.into_iter().map(ContentRow::into_response).collect(),
    })
}

const WITH_SERVICE: &str = "SELECT subscription_id FROM subscription_services WHERE ";
const SELECT: &str = "b.id, b.name, b.url, b.type AS kind, b.user_id, u.name AS user_name, u.email AS user_email, u.status AS user_status, b.status, b.billing_type, b.contents_limit,
  b.subscription_contents_count, b.orders_count, b.cost, b.returned, b.rounding_precision, b.recurring_payment_methods, b.delay_minutes, b.old_contents, b.looked_at,
  b.look_at, b.look_error, b.look_failures, b.look_failed_at, b.look_told_at, b.wait_reason, b.period_days, b.period_contents, b.periods, b.renews_at, b.paused_at, b.expired_at, b.created_at,
  b.completed_at, b.canceled_at, b.updated_at,
  (SELECT CAST(COALESCE(sum(a.amount - a.used - a.returned), 0) AS BIGINT) FROM advances a WHERE a.ref_type = 'subscription' AND a.ref_id = b.id) AS held,
  (SELECT string_agg(x.service_id || ' ' || x.quantity || ' ' || COALESCE(x.max_quantity, x.quantity) || ' ' || s.name, '\n' ORDER BY x.service_id) FROM subscription_services x JOIN services s ON s.id = x.service_id
     WHERE x.subscription_id = b.id) AS services";
const FROM: &str = " FROM subscriptions b JOIN users u ON u.id = b.user_id WHERE b.id = ?";

/// A row of `subscriptions`, with its customer and services.
#[derive(Debug, sqlx::FromRow)]
pub struct SubscriptionRecord {
    id: SubscriptionId,
    name: String,
    url: String,
    kind: String,
    user_id: UserId,
    user_name: String,
    user_email: String,
    user_status: UserStatus,
    status: BatchStatus,
    billing_type: BillingType,
    contents_limit: i64,
    subscription_contents_count: i64,
    orders_count: i64,
    cost: Money,
    returned: Money,
    rounding_precision: i64,
    recurring_payment_methods: String,
    delay_minutes: i64,
    old_contents: i64,
    looked_at: Option<Time>,
    look_at: Option<Time>,
    look_error: Option<String>,
    look_failures: i64,
    look_failed_at: Option<Time>,
    look_told_at: Option<Time>,
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
    updated_at: Stamp,
    /// The prepaid amount that is neither spent nor returned. It is not a share of `cost`, because contents of different periods
    /// can differ in price.
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

/// Parses one line of the column `services`: id, lowest and highest quantity, name.
fn parse_service(line: &str) -> Option<SubscriptionService> {
    let mut words = line.splitn(4, ' ');
    let id = words.next()?.parse().ok()?;
    let (quantity, max_quantity) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    Some(SubscriptionService {
        service: Named { id, name: words.next()?.to_owned() },
        quantity,
        max_quantity,
    })
}

impl SubscriptionRecord {
    fn owner(&self) -> AdvanceOwner {
        AdvanceOwner { kind: "subscription", id: self.id.record(), user_id: self.user_id }
    }

    /// Whether no more orders are placed: the subscription ended, or its time is over and the worker will end it.
    fn is_over(&self, now: Time) -> bool {
        self.status != BatchStatus::InProcessing || self.expired_at.is_some_and(|at| at <= now)
    }

    /// Number of decimals of its charges.
    fn places(&self) -> u8 {
        u8::try_from(self.rounding_precision).unwrap_or(6)
    }

    fn into_response(self, scope: &Scope) -> SubscriptionRow {
        let may_manage = scope.may(Permission::ManageOrders);
        let open = self.status == BatchStatus::InProcessing;
        SubscriptionRow {
            refund_amount: if open { self.held } else { Money::ZERO },
            actions: SubscriptionActions {
                cancelable: actions(self.status, may_manage).cancelable,
                renewable: may_manage && open && renew::check_renewable(&self).is_ok(),
            },
            id: self.id,
            name: self.name,
            url: self.url,
            kind: self.kind,
            user: PaymentUser { id: self.user_id, name: self.user_name, email: self.user_email },
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
            returned: self.returned,
            recurring_payment_methods: Some(&self.recurring_payment_methods)
                .filter(|_| scope.may(Permission::ViewPaymentMethods))
                .and_then(|methods| serde_json::from_str(methods).ok())
                .unwrap_or_default(),
            delay_minutes: self.delay_minutes,
            old_contents: self.old_contents,
            looked_at: self.looked_at,
            look_at: self.look_at,
            last_error: self.look_error,
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
