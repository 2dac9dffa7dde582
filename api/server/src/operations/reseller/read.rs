//! The actions of the reseller API that only read: services, balance, status of orders and refills, order widget.

use panel_contract::amount::Money;
use panel_contract::ids::{OrderId, RefillRequestId, ServiceId, UserId};
use panel_contract::order_requests::ResellerRequest;
use panel_contract::orders::OrderStatus;
use panel_contract::panel_service_types::{PanelParameter, PanelServiceType};
use panel_contract::targets::{RequestedTarget, TargetName};
use panel_kernel::error::Result;
use serde_json::{Map, Value, json};

use super::customer::Customer;
use super::protocol::{self, Ids};
use super::{subscribe, texts, whole_drip_feed};
use crate::catalogue::targets::service_targets::{self, OrderForm};
use crate::context::Ctx;
use crate::marketing::order_widgets::widget_orders;
use crate::pricing::quote::terms::{self, Buyer};
use crate::pricing::quote::{PriceTerms, UNITS_PER_RATE};
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::settings;

/// Maximum number of runs of a drip-feed. One charge pays all runs, so the rate must be valid for their total quantity.
const MAX_RUNS: i64 = 10_000;

/// `services`: lists all services that customers can order with this API, at the prices of the customer. If the call has the field
/// `customer_country`, the prices are for an end customer in this country. An order costs `rate × quantity ÷ 1,000`, rounded up to
/// the precision of the panel.
pub(super) async fn list_services(ctx: &Ctx, customer: &Customer, call: &ResellerRequest) -> Result<Value> {
    let country = protocol::parse_country(call)?;
    let db = &mut ctx.db();
    let decimals = settings::read_rounding_precision(db).await?;
    let services = load_services_on_sale(db, customer.id).await?;
    let ids: Vec<ServiceId> = services.iter().map(|service| service.id).collect();
    let (user_id, country) = (customer.id, country.as_deref());
    let buyer = Buyer { user_id, is_in_package: false, country };
    let mut terms_by_service = terms::load_for_services(db, buyer, &ids, ctx.now()).await?;
    let mut order_forms = service_targets::load_order_forms(db, &ids).await?;
    let is_orderable = |id: &ServiceId| order_forms.get(id).is_some_and(|form| form.is_orderable);
    let orderable_ids: Vec<ServiceId> = ids.iter().copied().filter(is_orderable).collect();
    let mut texts_by_service = texts::load_requested(db, call, &orderable_ids).await?;
    let mut items = Vec::new();
    for service in services {
        // If a service lacks a target that its type requires, its orders would be rejected, so the service is not listed.
        let Some(OrderForm { kind, targets, .. }) =
            order_forms.remove(&service.id).filter(|form| form.is_orderable)
        else {
            continue;
        };
        let terms_without_modifiers = || PriceTerms::without_modifiers(service.price, service.pricing_per);
        let max_runs = if service.drip_feed_is_allowed { MAX_RUNS } else { 1 };
        let max_total_quantity = service.max_quantity.saturating_mul(max_runs);
        // The rate of a package covers one package, the rate of other services 1,000 units.
        let units_per_rate = if kind.is_package() { 1 } else { UNITS_PER_RATE };
        let rate = terms_by_service.remove(&service.id).unwrap_or_else(terms_without_modifiers).rate(
            units_per_rate,
            decimals,
            max_total_quantity,
        )?;
        let mut item = json!({
            "service": service.id,
            "name": service.name,
            "type": kind,
            "category": service.category,
            "rate": rate,
            "min": service.min_quantity.to_string(),
            "max": service.max_quantity.to_string(),
            "refill": service.has_refill,
            "cancel": service.cancel_by_client_is_allowed,
            "dripfeed": service.drip_feed_is_allowed,
        });
        let parameters: Vec<Value> =
            targets.iter().filter_map(|target| additional_parameter(kind, target)).collect();
        if !parameters.is_empty() {
            item["parameters"] = parameters.into();
        }
        if let (Some(additional_fields), Some(fields)) =
            (texts_by_service.remove(&service.id), item.as_object_mut())
        {
            fields.insert("step".to_owned(), service.quantity_step.to_string().into());
            fields.extend(additional_fields);
        }
        items.push(item);
    }
    Ok(items.into())
}

/// Describes a parameter that clients cannot derive from the type of the service; `None` if they can.
fn additional_parameter(kind: PanelServiceType, target: &RequestedTarget) -> Option<Value> {
    let is_implied = match target.parameter {
        Some(parameter) => kind.accepts(parameter),
        None => target.kind == TargetName::Comment && kind.accepts(PanelParameter::Comments),
    };
    let name = match target.parameter {
        Some(parameter) => parameter.as_str(),
        None => &target.name,
    };
    (!is_implied).then(|| json!({ "name": name, "required": target.is_required, "values": target.values }))
}

/// `balance`: returns the main balance. Orders of this API are paid only from this balance.
pub(super) async fn load_balance(ctx: &Ctx, customer: &Customer) -> Result<Value> {
    let db = &mut ctx.db();
    let (balance,): (Money,) = db.fetch_one(select_balance(customer.id)).await?;
    Ok(json!({ "balance": balance, "currency": settings::read_currency(db).await? }))
}

/// `order_widget`: returns the data for a page that shows the widget.
pub(super) async fn load_order_widget(ctx: &Ctx, call: &ResellerRequest) -> Result<Value> {
    let db = &mut ctx.db();
    let widget = widget_orders::load_by_token(db, protocol::field(call, "order_widget")).await?;
    let widget = widget.ok_or_else(|| protocol::reseller_error("Incorrect order widget"))?;
    let methods = widget_orders::load_payment_methods(db, &widget).await?;
    let methods: Vec<Value> = methods.iter().map(|(id, name)| json!({ "id": id, "name": name })).collect();
    let (minimum, currency) =
        (widget_orders::minimum_cost(db, &widget).await?, settings::read_currency(db).await?);
    Ok(json!({ "name": widget.name, "minimum": minimum, "currency": currency, "payment_methods": methods }))
}

/// `status`: returns the status of orders, drip-feeds and subscriptions.
pub(super) async fn load_statuses(ctx: &Ctx, customer: &Customer, call: &ResellerRequest) -> Result<Value> {
    let ids = Ids::<OrderId>::from_call(call, "order", "orders")?;
    let db = &mut ctx.db();
    let valid_ids = ids.valid_ids();
    let (orders, subscriptions) = (
        load_orders(db, customer.id, &valid_ids).await?,
        subscribe::load_statuses(db, customer.id, &valid_ids).await?,
    );
    let currency = settings::read_currency(db).await?;
    let drip_feeds = whole_drip_feed::load_statuses(db, customer.id, (&valid_ids, &currency)).await?;
    let status_of = |id: Option<OrderId>| {
        let drip_feed = id.and_then(|id| drip_feeds.get(&id)).cloned();
        if drip_feed.is_some() {
            return drip_feed;
        }
        let order =
            orders.iter().find(|order| Some(order.id) == id).map(|order| order.to_response(&currency));
        order.or_else(|| id.and_then(|id| subscriptions.get(&id)).cloned())
    };
    match ids {
        Ids::One(id) => status_of(id).ok_or_else(|| protocol::reseller_error("Incorrect order ID")),
        Ids::Many(ids) => {
            let entry = |(text, id): (String, Option<OrderId>)| {
                (text, status_of(id).unwrap_or_else(|| json!({ "error": "Incorrect order ID" })))
            };
            Ok(ids.into_iter().map(entry).collect::<Map<String, Value>>().into())
        }
    }
}

/// `refill_status`: returns the status of one refill, or of up to 100 refills.
pub(super) async fn load_refill_statuses(
    ctx: &Ctx,
    customer: &Customer,
    call: &ResellerRequest,
) -> Result<Value> {
    let ids = Ids::<RefillRequestId>::from_call(call, "refill", "refills")?;
    let refills = load_refills(&mut ctx.db(), customer.id, &ids.valid_ids()).await?;
    let status_name = |id: Option<RefillRequestId>| {
        refills
            .iter()
            .find(|(refill_id, _)| Some(*refill_id) == id)
            .map(|(_, status)| protocol::refill_status_name(status))
    };
    match ids {
        Ids::One(id) => status_name(id)
            .map(|status| json!({ "status": status }))
            .ok_or_else(|| protocol::reseller_error("Refill not found")),
        Ids::Many(ids) => {
            let entry = |(text, id): (String, Option<RefillRequestId>)| {
                let status =
                    status_name(id).map_or_else(|| json!({ "error": "Refill not found" }), Into::into);
                json!({ "refill": id.map_or_else(|| text.into(), |id| json!(id)), "status": status })
            };
            Ok(ids.into_iter().map(entry).collect::<Vec<_>>().into())
        }
    }
}

// Store

#[derive(Debug, sqlx::FromRow)]
struct ServiceRow {
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

/// A service with restricted access is sold only to customers who have a custom price for it.
async fn load_services_on_sale(db: &mut impl SqlExecutor, user_id: UserId) -> Result<Vec<ServiceRow>> {
    let sql = Sql::new(
        "SELECT s.id, s.name, n.name || ' ' || t.name AS category, COALESCE(own.default_price, s.default_price) AS price, s.pricing_per,
           s.min_quantity, s.max_quantity, s.quantity_step, s.has_refill OR COALESCE(own.has_refill, FALSE) AS has_refill, s.cancel_by_client_is_allowed,
           s.drip_feed_is_allowed
         FROM services s JOIN service_types t ON t.id = s.service_type_id JOIN networks n ON n.id = t.network_id
           LEFT JOIN user_services own ON own.service_id = s.id AND own.user_id = ?
         WHERE s.is_enabled AND NOT s.is_archived AND NOT s.is_deactivated AND s.api_access AND (NOT s.restricted_access OR own.id IS NOT NULL)
         ORDER BY n.sorting, n.id, t.sorting, t.id, s.sorting, s.id",
    );
    Ok(db.fetch_all(sql.bind(user_id)).await?)
}

fn select_balance(user_id: UserId) -> Sql {
    Sql::new("SELECT balance_main FROM users WHERE id = ?").bind(user_id)
}

#[derive(Debug, sqlx::FromRow)]
struct OrderRow {
    id: OrderId,
    status: OrderStatus,
    charge: Money,
    start_count: Option<i64>,
    quantity: i64,
    delivered: i64,
    cancel_status: Option<String>,
}

impl OrderRow {
    fn to_response(&self, currency: &str) -> Value {
        let remains = match self.status {
            OrderStatus::Completed => 0,
            _ => (self.quantity - self.delivered).max(0),
        };
        let mut response = json!({
            "charge": self.charge,
            "start_count": self.start_count.map(|count| count.to_string()),
            "status": protocol::order_status_name(self.status, self.delivered),
            "remains": remains.to_string(),
            "currency": currency,
        });
        if let Some(status) = &self.cancel_status {
            response["cancel_status"] = json!(status);
        }
        response
    }
}

async fn load_orders(db: &mut impl SqlExecutor, user_id: UserId, ids: &[OrderId]) -> Result<Vec<OrderRow>> {
    let sql = Sql::new(
        "SELECT id, status, cost - refunded AS charge, external_order_start_count AS start_count, quantity, current_quantity AS delivered,
           (SELECT c.status FROM order_cancel_requests c WHERE c.order_id = orders.id ORDER BY c.id DESC LIMIT 1) AS cancel_status
         FROM orders WHERE user_id = ? AND id IN ",
    );
    Ok(db.fetch_all(sql.bind(user_id).ids(ids)).await?)
}

async fn load_refills(
    db: &mut impl SqlExecutor,
    user_id: UserId,
    ids: &[RefillRequestId],
) -> Result<Vec<(RefillRequestId, String)>> {
    let sql = Sql::new(
        "SELECT r.id, r.status FROM order_refill_requests r JOIN orders o ON o.id = r.order_id WHERE o.user_id = ? AND r.id IN ",
    );
    Ok(db.fetch_all(sql.bind(user_id).ids(ids)).await?)
}
