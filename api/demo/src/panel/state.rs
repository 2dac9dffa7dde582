//! State of a fake external panel: services, orders that the panel delivers over time, refills, a balance. It depends only on the
//! requests and on the time that the caller passes, so that tests can be repeated.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use panel_contract::amount::Money;
use panel_contract::moment::Time;
use panel_contract::panel_service_types::{
    PanelParameter, PanelServiceType, QuantitySource, non_empty_lines,
};
use serde_json::{Value, json};

pub use super::cancel::CancelBehavior;
use super::order_validation::validate_parameters;
pub use super::service::{FakeService, OrderBehavior};
use panel_domain::reseller_protocol::extended_texts::REQUEST_FIELD;

/// Count of every link before the first delivery.
pub const START_COUNT: i64 = 3_572;
/// Time between the acceptance of an order and its first delivery.
const START_DELAY: Duration = Duration::from_secs(30);
/// Time until the panel completes a refill.
const REFILL_DURATION: Duration = Duration::from_mins(10);

#[derive(Debug, Clone)]
pub struct FakeOrder {
    pub service_id: i64,
    pub link: String,
    pub quantity: i64,
    pub charge: Money,
    /// All fields of the request except the API key.
    pub fields: BTreeMap<String, String>,
    placed_at: Time,
    /// Time at which the panel stops the delivery; may be in the future.
    pub canceled_at: Option<Time>,
    /// Time of the first request to cancel the order.
    pub cancel_requested_at: Option<Time>,
    pub cancel_behavior: CancelBehavior,
    behavior: OrderBehavior,
    units_per_minute: i64,
    /// Units that the link lost after the order was completed. A completed refill restores them.
    lost_units: i64,
    /// Time at which the panel completes the refill; may be in the future.
    refilled_at: Option<Time>,
}

#[derive(Debug, Clone)]
pub struct FakePanelState {
    pub api_key: String,
    pub balance: Money,
    pub services: BTreeMap<i64, FakeService>,
    /// Whether the action `cancel` reads the field `order`, a single id, instead of `orders`, as on most panels.
    pub accepts_single_cancel: bool,
    /// Whether the panel accepts a second order for a link while one is open. Tests need this to detect duplicate orders.
    pub accepts_duplicates: bool,
    pub orders: BTreeMap<i64, FakeOrder>,
    /// Start of each refill, by refill id.
    refill_started_at: BTreeMap<i64, Time>,
    /// Id of the last order, by service id and link.
    last_order_ids: HashMap<(i64, String), i64>,
    /// Highest id of an order or refill.
    last_id: i64,
}

/// Status of an order at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderProgress {
    /// As real panels name it, such as `In progress`.
    pub status: &'static str,
    pub delivered_quantity: i64,
}

/// An order that the panel had before a restart.
#[derive(Debug, Clone)]
pub struct RestoredOrder {
    pub id: i64,
    pub service_id: i64,
    pub link: String,
    pub quantity: i64,
    pub delivered_quantity: i64,
    pub charge: Money,
}

impl FakeOrder {
    pub fn set_behavior(&mut self, behavior: OrderBehavior) {
        self.behavior = behavior;
    }

    /// Sets the units that the link lost. Only a later refill restores them.
    pub fn set_lost_units(&mut self, lost_units: i64) {
        (self.lost_units, self.refilled_at) = (lost_units, None);
    }
}

/// Seconds of delivery until `at`, if no cancel stops the order.
fn delivery_secs(order: &FakeOrder, at: Time) -> i64 {
    i64::try_from(at.since(order.placed_at).saturating_sub(START_DELAY).as_secs()).unwrap_or(i64::MAX)
}

/// Quantity delivered until `at`, if no cancel stops the order.
fn planned_delivery(order: &FakeOrder, at: Time) -> i64 {
    (order.units_per_minute * delivery_secs(order, at) / 60).min(order.quantity)
}

pub fn progress_at(order: &FakeOrder, now: Time) -> OrderProgress {
    let progress = |status, delivered_quantity| OrderProgress { status, delivered_quantity };
    let delivery_secs = delivery_secs(order, now);
    let has_started = now.since(order.placed_at) >= START_DELAY;
    let delivered = planned_delivery(order, now);
    if let Some(canceled_at) = order.canceled_at.filter(|canceled_at| *canceled_at <= now) {
        let delivered_before_cancel = match order.behavior {
            OrderBehavior::Stuck => 0,
            _ => planned_delivery(order, canceled_at),
        };
        let status = if delivered_before_cancel == order.quantity { "Completed" } else { "Canceled" };
        return progress(status, delivered_before_cancel);
    }
    match order.behavior {
        OrderBehavior::Stuck => progress("Pending", 0),
        _ if !has_started => progress("Pending", 0),
        OrderBehavior::Canceled => progress("Canceled", 0),
        OrderBehavior::Partial(percent) if delivered * 100 >= order.quantity * percent => {
            progress("Partial", order.quantity * percent / 100)
        }
        OrderBehavior::CompletedThenCanceled if delivered == order.quantity && delivery_secs > 3_600 => {
            progress("Canceled", 0)
        }
        _ if delivered == order.quantity => {
            let lost_units = if order.refilled_at.is_some_and(|at| at <= now) { 0 } else { order.lost_units };
            progress("Completed", delivered - lost_units)
        }
        _ => progress("In progress", delivered),
    }
}

impl FakePanelState {
    /// A panel with a balance of 100 and no services.
    #[must_use]
    pub fn new(api_key: &str) -> Self {
        Self {
            api_key: api_key.to_owned(),
            balance: Money(100_000_000),
            services: BTreeMap::new(),
            accepts_single_cancel: false,
            accepts_duplicates: false,
            orders: BTreeMap::new(),
            refill_started_at: BTreeMap::new(),
            last_order_ids: HashMap::new(),
            last_id: 23_500,
        }
    }

    pub fn add_service(&mut self, id: i64, service: FakeService) {
        self.services.insert(id, service);
    }

    /// Executes a request and returns the response body. Error messages are those of real panels.
    pub fn handle_request(&mut self, fields: &BTreeMap<String, String>, now: Time) -> Value {
        let field = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
        if field("key") != self.api_key {
            return error_body("Invalid API key");
        }
        match field("action") {
            "services" => self.list_services(fields),
            "balance" => json!({ "balance": self.balance.to_string(), "currency": "USD" }),
            "add" => self.add_order(fields, now),
            "status" if fields.contains_key("orders") => {
                let ids = field("orders").split(',');
                ids.map(|id| (id.trim().to_owned(), self.status_response(id, now)))
                    .collect::<serde_json::Map<_, _>>()
                    .into()
            }
            "status" => self.status_response(field("order"), now),
            "refill" => self.start_refill(field("order"), now),
            "refill_status" => self.refill_status_response(field("refill"), now),
            "cancel" if self.accepts_single_cancel => match self.cancel(field("order"), now) {
                Value::Number(accepted) => json!({ "cancel": accepted }),
                error => error,
            },
            "cancel" if field("orders").is_empty() => error_body("Incorrect request"),
            "cancel" => {
                let cancel_entry =
                    |id: &str| json!({ "order": parse_integer(id), "cancel": self.cancel(id, now) });
                Value::Array(field("orders").split(',').map(cancel_entry).collect())
            }
            _ => error_body("Incorrect request"),
        }
    }

    /// Quantity that all orders have delivered to a link.
    #[must_use]
    pub fn delivered_quantity(&self, link: &str, now: Time) -> i64 {
        self.orders
            .values()
            .filter(|order| order.link == link)
            .map(|order| progress_at(order, now).delivered_quantity)
            .sum()
    }

    /// Places an order as a request would, and returns its id; 0 if the panel rejects it.
    pub fn place_order(&mut self, service: i64, link: &str, quantity: i64, now: Time) -> i64 {
        let fields =
            [("service", service.to_string()), ("link", link.to_owned()), ("quantity", quantity.to_string())];
        let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        self.add_order(&fields, now)["order"].as_i64().unwrap_or_default()
    }

    /// Restores an order with its progress. Does nothing if the panel does not have the order's service.
    pub fn restore_order(&mut self, restored: &RestoredOrder, now: Time) {
        let Some(service) = self.services.get(&restored.service_id) else { return };
        let units_per_minute = service.units_per_minute.max(1);
        let delivery_time =
            Duration::from_secs((restored.delivered_quantity * 60 / units_per_minute).unsigned_abs());
        let order = FakeOrder {
            service_id: restored.service_id,
            link: restored.link.clone(),
            quantity: restored.quantity,
            charge: restored.charge,
            fields: BTreeMap::new(),
            placed_at: now.minus(START_DELAY + delivery_time),
            canceled_at: None,
            cancel_requested_at: None,
            cancel_behavior: service.cancel_behavior,
            behavior: service.behavior,
            units_per_minute,
            lost_units: 0,
            refilled_at: None,
        };
        self.last_order_ids.insert((restored.service_id, restored.link.clone()), restored.id);
        self.orders.insert(restored.id, order);
        self.last_id = self.last_id.max(restored.id);
    }

    fn list_services(&self, fields: &BTreeMap<String, String>) -> Value {
        let includes_extended_fields =
            fields.get(REQUEST_FIELD.0).is_some_and(|value| value == REQUEST_FIELD.1);
        let service_entry = |(id, service): (&i64, &FakeService)| {
            let mut entry = json!({
                "service": id, "name": service.name, "type": service.service_type, "category": service.category,
                "rate": service.rate.to_string(), "min": service.min_quantity.to_string(), "max": service.max_quantity.to_string(),
                "refill": service.allows_refill, "cancel": service.allows_cancel,
            });
            if !service.description.is_empty() {
                entry["desc"] = json!(service.description);
            }
            if let (true, Value::Object(extended_fields), Value::Object(entry)) =
                (includes_extended_fields, &service.extended_fields, &mut entry)
            {
                entry.extend(extended_fields.clone());
            }
            if !service.parameters.is_empty() {
                let parameter_entry = |(parameter, is_required): &(PanelParameter, bool)| json!({ "name": parameter, "required": is_required, "values": [] });
                entry["parameters"] = service.parameters.iter().map(parameter_entry).collect();
            }
            entry
        };
        Value::Array(self.services.iter().map(service_entry).collect())
    }

    fn add_order(&mut self, fields: &BTreeMap<String, String>, now: Time) -> Value {
        let field = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
        let Some((service_id, service)) =
            parse_integer(field("service")).and_then(|id| self.services.get_key_value(&id))
        else {
            return error_body("error.incorrect_service_id");
        };
        let service_type = PanelServiceType::parse(service.service_type).unwrap_or(PanelServiceType::Default);
        if let Some(message) = validate_parameters(service_type, &service.parameters, fields) {
            return error_body(message);
        }
        let quantity = match service_type.quantity_source() {
            QuantitySource::SinglePackage => 1,
            QuantitySource::LinesOf(parameter) => {
                i64::try_from(non_empty_lines(field(parameter.as_str())).count()).unwrap_or_default()
            }
            QuantitySource::Explicit => parse_integer(field("quantity")).unwrap_or_default(),
        };
        if quantity < service.min_quantity {
            return error_body("neworder.error.min_quantity");
        }
        if quantity > service.max_quantity {
            return error_body("neworder.error.max_quantity");
        }
        let units_per_rate = if service_type.is_package() { 1 } else { 1_000 };
        let charge = Money(
            i64::try_from(i128::from(service.rate.0) * i128::from(quantity) / units_per_rate)
                .unwrap_or(i64::MAX),
        );
        if charge > self.balance {
            return error_body("neworder.error.not_enough_funds");
        }
        let service_and_link = (*service_id, field("link").to_owned());
        let last_order = self.last_order_ids.get(&service_and_link).and_then(|id| self.orders.get(id));
        let has_open_order = last_order
            .is_some_and(|order| matches!(progress_at(order, now).status, "Pending" | "In progress"));
        if !field("link").is_empty() && has_open_order && !self.accepts_duplicates {
            return error_body(
                "You have active order with this link. Please wait until order being completed.",
            );
        }
        let fields_without_key = fields.iter().filter(|(name, _)| *name != "key");
        let order = FakeOrder {
            service_id: *service_id,
            link: field("link").to_owned(),
            quantity,
            charge,
            fields: fields_without_key.map(|(name, value)| (name.clone(), value.clone())).collect(),
            placed_at: now,
            canceled_at: None,
            cancel_requested_at: None,
            cancel_behavior: service.cancel_behavior,
            behavior: service.behavior,
            units_per_minute: service.units_per_minute,
            lost_units: 0,
            refilled_at: None,
        };
        self.balance.0 -= charge.0;
        self.last_id += 1;
        self.last_order_ids.insert(service_and_link, self.last_id);
        self.orders.insert(self.last_id, order);
        json!({ "order": self.last_id })
    }

    fn status_response(&self, id: &str, now: Time) -> Value {
        let Some(order) = parse_integer(id)
            .and_then(|id| self.orders.get(&id))
            .filter(|order| order.behavior != OrderBehavior::NotFound)
        else {
            return error_body("Incorrect order ID");
        };
        let OrderProgress { status, delivered_quantity } = progress_at(order, now);
        let charge_times_quantity = i128::from(order.charge.0)
            * i128::from(if matches!(status, "Partial" | "Canceled") {
                delivered_quantity
            } else {
                order.quantity
            });
        let charge = Money(
            i64::try_from(charge_times_quantity / i128::from(order.quantity.max(1))).unwrap_or_default(),
        );
        json!({
            "charge": charge.to_string(), "start_count": START_COUNT.to_string(), "status": status,
            "remains": (order.quantity - delivered_quantity).to_string(), "currency": "USD",
        })
    }

    fn start_refill(&mut self, id: &str, now: Time) -> Value {
        let order = parse_integer(id).and_then(|id| Some((id, self.orders.get(&id)?)));
        let Some((id, order)) = order else { return error_body("Incorrect order ID") };
        if progress_at(order, now).status != "Completed"
            || !self.services.get(&order.service_id).is_some_and(|service| service.allows_refill)
        {
            return error_body("Refill is not available for this order");
        }
        self.last_id += 1;
        self.refill_started_at.insert(self.last_id, now);
        if let Some(order) = self.orders.get_mut(&id) {
            order.refilled_at = Some(now.plus(REFILL_DURATION));
        }
        json!({ "refill": self.last_id.to_string() })
    }

    fn refill_status_response(&self, id: &str, now: Time) -> Value {
        match parse_integer(id).and_then(|id| self.refill_started_at.get(&id)) {
            None => error_body("Refill not found"),
            Some(started_at) if now.since(*started_at) < REFILL_DURATION => {
                json!({ "status": "In progress" })
            }
            Some(_) => json!({ "status": "Completed" }),
        }
    }
}

pub fn error_body(message: &str) -> Value {
    json!({ "error": message })
}

pub fn parse_integer(text: &str) -> Option<i64> {
    text.trim().parse().ok()
}
