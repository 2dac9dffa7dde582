//! What a customer's program reads: what is sold to them, their balance, their orders and refills.

use panel_contract::amount::Money;
use panel_contract::ids::{OrderId, RefillRequestId, ServiceId, UserId};
use panel_contract::intake::ResellerCall;
use panel_contract::orders::OrderStatus;
use panel_contract::panel_service_types::{PanelParameter, PanelServiceType};
use panel_contract::targets::{AskedTarget, TargetName};
use panel_kernel::error::Result;
use serde_json::{Map, Value, json};

use super::customer::Customer;
use super::words::{self, Ids};
use super::{subscribe, texts, whole_drip_feed};
use crate::catalogue::targets::asked::{self, SoldAs};
use crate::context::Ctx;
use crate::marketing::order_widgets::intake;
use crate::pricing::quote::terms::{self, Buyer};
use crate::pricing::quote::{PriceTerms, RATE_PER};
use panel_platform::db::{Source, Sql};
use panel_platform::settings;

/// Most runs of a drip-feed: all of them are one charge.
const MOST_RUNS: i64 = 10_000;

/// Everything on sale by this API, at the customer's own prices, for a customer in `customer_country` where the call names
/// one. `rate × quantity ÷ 1,000`, rounded up to the panel's precision, is what an order is charged.
pub(super) async fn services(ctx: &Ctx, customer: &Customer, call: &ResellerCall) -> Result<Value> {
    let country = words::country(call)?;
    let db = &mut ctx.db();
    let places = settings::rounding_precision(db).await?;
    let sold = on_sale(db, customer.id).await?;
    let ids: Vec<ServiceId> = sold.iter().map(|sold| sold.id).collect();
    let (user_id, country) = (customer.id, country.as_deref());
    let buyer = Buyer { user_id, in_package: false, country };
    let mut terms = terms::of_services(db, buyer, &ids, ctx.now()).await?;
    let mut asks = asked::sold_as(db, &ids).await?;
    let is_orderable = |id: &ServiceId| asks.get(id).is_some_and(|sold| sold.is_orderable);
    let offered: Vec<ServiceId> = ids.iter().copied().filter(is_orderable).collect();
    let mut texts = texts::asked(db, call, &offered).await?;
    let mut list = Vec::new();
    for sold in sold {
        // An order of a service that does not ask for what its type needs is refused, so it is not offered.
        let Some(SoldAs { kind, targets: asks, .. }) = asks.remove(&sold.id).filter(|sold| sold.is_orderable)
        else {
            continue;
        };
        let plain = || PriceTerms::plain(sold.price, sold.pricing_per);
        let runs = if sold.drip_feed_is_allowed { MOST_RUNS } else { 1 };
        let most = sold.max_quantity.saturating_mul(runs);
        // A package's rate is for one.
        let rate_per = if kind.is_package() { 1 } else { RATE_PER };
        let rate = terms.remove(&sold.id).unwrap_or_else(plain).rate(rate_per, places, most)?;
        let mut shown = json!({
            "service": sold.id,
            "name": sold.name,
            "type": kind,
            "category": sold.category,
            "rate": rate,
            "min": sold.min_quantity.to_string(),
            "max": sold.max_quantity.to_string(),
            "refill": sold.has_refill,
            "cancel": sold.cancel_by_client_is_allowed,
            "dripfeed": sold.drip_feed_is_allowed,
        });
        let more: Vec<Value> = asks.iter().filter_map(|one| parameter(kind, one)).collect();
        if !more.is_empty() {
            shown["parameters"] = more.into();
        }
        if let (Some(said), Some(fields)) = (texts.remove(&sold.id), shown.as_object_mut()) {
            fields.insert("step".to_owned(), sold.quantity_step.to_string().into());
            fields.extend(said);
        }
        list.push(shown);
    }
    Ok(list.into())
}

/// Something that an order takes beside its type's parameters, which no client of the field would know otherwise.
fn parameter(kind: PanelServiceType, asked: &AskedTarget) -> Option<Value> {
    let is_known = match asked.parameter {
        Some(parameter) => kind.takes(parameter),
        None => asked.kind == TargetName::Comment && kind.takes(PanelParameter::Comments),
    };
    let name = match asked.parameter {
        Some(parameter) => parameter.as_str(),
        None => &asked.name,
    };
    (!is_known).then(|| json!({ "name": name, "required": asked.is_required, "values": asked.values }))
}

/// What the customer can spend here.
pub(super) async fn balance(ctx: &Ctx, customer: &Customer) -> Result<Value> {
    let db = &mut ctx.db();
    let (balance,): (Money,) = db.one(balance_of(customer.id)).await?;
    Ok(json!({ "balance": balance, "currency": settings::currency(db).await? }))
}

/// An order widget as the page that shows it needs it.
pub(super) async fn order_widget(ctx: &Ctx, call: &ResellerCall) -> Result<Value> {
    let db = &mut ctx.db();
    let widget = intake::of_token(db, words::field(call, "order_widget")).await?;
    let widget = widget.ok_or_else(|| words::refused("Incorrect order widget"))?;
    let methods = intake::payment_methods(db, &widget).await?;
    let methods: Vec<Value> = methods.iter().map(|(id, name)| json!({ "id": id, "name": name })).collect();
    let (least, currency) = (intake::least(db, &widget).await?, settings::currency(db).await?);
    Ok(json!({ "name": widget.name, "minimum": least, "currency": currency, "payment_methods": methods }))
}

/// How far orders and subscriptions are.
pub(super) async fn status(ctx: &Ctx, customer: &Customer, call: &ResellerCall) -> Result<Value> {
    let ids = Ids::<OrderId>::of(call, "order", "orders")?;
    let db = &mut ctx.db();
    let known = ids.known();
    let (found, followed) =
        (orders(db, customer.id, &known).await?, subscribe::status(db, customer.id, &known).await?);
    let currency = settings::currency(db).await?;
    let wholes = whole_drip_feed::status(db, customer.id, (&known, &currency)).await?;
    let shown = |id: Option<OrderId>| {
        let whole = id.and_then(|id| wholes.get(&id)).cloned();
        if whole.is_some() {
            return whole;
        }
        let order = found.iter().find(|order| Some(order.id) == id).map(|order| order.shown(&currency));
        order.or_else(|| id.and_then(|id| followed.get(&id)).cloned())
    };
    match ids {
        Ids::One(id) => shown(id).ok_or_else(|| words::refused("Incorrect order ID")),
        Ids::Many(ids) => {
            let one = |(text, id): (String, Option<OrderId>)| {
                (text, shown(id).unwrap_or_else(|| json!({ "error": "Incorrect order ID" })))
            };
            Ok(ids.into_iter().map(one).collect::<Map<String, Value>>().into())
        }
    }
}

/// How far refills are.
pub(super) async fn refill_status(ctx: &Ctx, customer: &Customer, call: &ResellerCall) -> Result<Value> {
    let ids = Ids::<RefillRequestId>::of(call, "refill", "refills")?;
    let found = refills(&mut ctx.db(), customer.id, &ids.known()).await?;
    let word = |id: Option<RefillRequestId>| {
        found.iter().find(|refill| Some(refill.0) == id).map(|refill| words::refill_status(&refill.1))
    };
    match ids {
        Ids::One(id) => {
            word(id).map(|word| json!({ "status": word })).ok_or_else(|| words::refused("Refill not found"))
        }
        Ids::Many(ids) => {
            let one = |(text, id): (String, Option<RefillRequestId>)| {
                let status = word(id).map_or_else(|| json!({ "error": "Refill not found" }), Into::into);
                json!({ "refill": id.map_or_else(|| text.into(), |id| json!(id)), "status": status })
            };
            Ok(ids.into_iter().map(one).collect::<Vec<_>>().into())
        }
    }
}

// Store

#[derive(Debug, sqlx::FromRow)]
struct Sold {
    id: ServiceId,
    name: String,
    category: String,
    price: Money,
    pricing_per: i64,
    min_quantity: i64,
    max_quantity: i64,
    quantity_step: i64,
    has_refill: bool,
    cancel_by_client_is_allowed: bool,
    drip_feed_is_allowed: bool,
}

/// A service with restricted access is sold to those who have a price of their own for it.
async fn on_sale(db: &mut impl Source, user: UserId) -> Result<Vec<Sold>> {
    let sql = Sql::new(
        "SELECT s.id, s.name, n.name || ' ' || t.name AS category, COALESCE(own.default_price, s.default_price) AS price, s.pricing_per,
           s.min_quantity, s.max_quantity, s.quantity_step, s.has_refill OR COALESCE(own.has_refill, FALSE) AS has_refill, s.cancel_by_client_is_allowed,
           s.drip_feed_is_allowed
         FROM services s JOIN service_types t ON t.id = s.service_type_id JOIN networks n ON n.id = t.network_id
           LEFT JOIN user_services own ON own.service_id = s.id AND own.user_id = ?
         WHERE s.is_enabled AND NOT s.is_archived AND NOT s.is_deactivated AND s.api_access AND (NOT s.restricted_access OR own.id IS NOT NULL)
         ORDER BY n.sorting, n.id, t.sorting, t.id, s.sorting, s.id",
    );
    Ok(db.all(sql.bind(user)).await?)
}

fn balance_of(user: UserId) -> Sql {
    Sql::new("SELECT balance_main FROM users WHERE id = ?").bind(user)
}

#[derive(Debug, sqlx::FromRow)]
struct Order {
    id: OrderId,
    status: OrderStatus,
    charge: Money,
    start_count: Option<i64>,
    quantity: i64,
    delivered: i64,
    cancel_status: Option<String>,
}

impl Order {
    fn shown(&self, currency: &str) -> Value {
        let remains = match self.status {
            OrderStatus::Completed => 0,
            _ => (self.quantity - self.delivered).max(0),
        };
        let mut shown = json!({
            "charge": self.charge,
            "start_count": self.start_count.map(|count| count.to_string()),
            "status": words::order_status(self.status, self.delivered),
            "remains": remains.to_string(),
            "currency": currency,
        });
        if let Some(status) = &self.cancel_status {
            shown["cancel_status"] = json!(status);
        }
        shown
    }
}

async fn orders(db: &mut impl Source, user: UserId, ids: &[OrderId]) -> Result<Vec<Order>> {
    let sql = Sql::new(
        "SELECT id, status, cost - refunded AS charge, external_order_start_count AS start_count, quantity, current_quantity AS delivered,
           (SELECT c.status FROM order_cancel_requests c WHERE c.order_id = orders.id ORDER BY c.id DESC LIMIT 1) AS cancel_status
         FROM orders WHERE user_id = ? AND id IN ",
    );
    Ok(db.all(sql.bind(user).ids(ids)).await?)
}

async fn refills(
    db: &mut impl Source,
    user: UserId,
    ids: &[RefillRequestId],
) -> Result<Vec<(RefillRequestId, String)>> {
    let sql = Sql::new(
        "SELECT r.id, r.status FROM order_refill_requests r JOIN orders o ON o.id = r.order_id WHERE o.user_id = ? AND r.id IN ",
    );
    Ok(db.all(sql.bind(user).ids(ids)).await?)
}
