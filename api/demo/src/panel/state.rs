//! State of a fake external panel: services, orders that are delivered over time, refills, a balance. Pure: the caller passes
//! the time, and the same calls create the same orders.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use panel_contract::amount::Money;
use panel_contract::moment::Time;
use panel_contract::panel_service_types::{
    PanelParameter, PanelServiceType, QuantitySource, non_empty_lines,
};
use serde_json::{Value, json};

pub use super::cancel::CancelBehavior;
use super::order_check;
pub use super::service::{FakeService, OrderBehavior};
use panel_domain::reseller_protocol::extended_texts::REQUEST_FIELD;

/// What the counter of every link shows before the first delivery.
pub const START_COUNT: i64 = 3_572;
/// Time between the acceptance of an order and its first delivery.
const START_DELAY: Duration = Duration::from_secs(30);
const REFILL_DURATION: Duration = Duration::from_mins(10);

#[derive(Debug, Clone)]
pub struct Order {
    pub service: i64,
    pub link: String,
    pub quantity: i64,
    pub charge: Money,
    /// All fields of the call except the API key.
    pub fields: BTreeMap<String, String>,
    placed_at: Time,
    /// Time at which the delivery stops; may be in the future.
    pub canceled_at: Option<Time>,
    /// Time of the first request to cancel the order.
    pub cancel_requested_at: Option<Time>,
    pub cancel_behavior: CancelBehavior,
    behavior: OrderBehavior,
    speed: i64,
    /// Units that the customer lost after the completion, until a refill is completed.
    lost_units: i64,
    refilled_at: Option<Time>,
}

#[derive(Debug, Clone)]
pub struct FakePanelState {
    pub key: String,
    pub balance: Money,
    pub services: BTreeMap<i64, FakeService>,
    /// Whether the action `cancel` reads only the field `order`, a single id; most panels read only `orders`.
    pub accepts_single_cancel: bool,
    /// Whether the panel accepts a second order for a link while one is open. Tests need this to detect duplicate orders.
    pub accepts_duplicates: bool,
    pub orders: BTreeMap<i64, Order>,
    /// Order id and start of each refill.
    refills: BTreeMap<i64, (i64, Time)>,
    /// The last order by service and link.
    last_orders: HashMap<(i64, String), i64>,
    last_id: i64,
}

/// An order that the panel had before a restart.
#[derive(Debug, Clone)]
pub struct RestoredOrder {
    pub id: i64,
    pub service: i64,
    pub link: String,
    pub quantity: i64,
    pub delivered: i64,
    pub charge: Money,
}

impl Order {
    pub fn set_behavior(&mut self, behavior: OrderBehavior) {
        self.behavior = behavior;
    }

    /// Sets the units that the customer lost, which only a later refill restores.
    pub fn set_lost_units(&mut self, lost_units: i64) {
        (self.lost_units, self.refilled_at) = (lost_units, None);
    }
}

/// Seconds for which the panel has delivered the order at the time `at`, if nothing stopped it.
fn delivery_secs(order: &Order, at: Time) -> i64 {
    i64::try_from(at.since(order.placed_at).saturating_sub(START_DELAY).as_secs()).unwrap_or(i64::MAX)
}

/// Quantity delivered at the time `at`, if nothing stopped the order.
fn delivered_by(order: &Order, at: Time) -> i64 {
    (order.speed * delivery_secs(order, at) / 60).min(order.quantity)
}

/// Status and delivered quantity of an order.
pub fn status_at(order: &Order, now: Time) -> (&'static str, i64) {
    let delivery_secs = delivery_secs(order, now);
    let has_begun = now.since(order.placed_at) >= START_DELAY;
    let delivered = delivered_by(order, now);
    if let Some(at) = order.canceled_at.filter(|at| *at <= now) {
        let delivered_before = match order.behavior {
            OrderBehavior::Stuck => 0,
            _ => delivered_by(order, at),
        };
        return (if delivered_before == order.quantity { "Completed" } else { "Canceled" }, delivered_before);
    }
    match order.behavior {
        OrderBehavior::Stuck => ("Pending", 0),
        _ if !has_begun => ("Pending", 0),
        OrderBehavior::Canceled => ("Canceled", 0),
        OrderBehavior::Partial(percent) if delivered * 100 >= order.quantity * percent => {
            ("Partial", order.quantity * percent / 100)
        }
        OrderBehavior::CompletedThenCanceled if delivered == order.quantity && delivery_secs > 3_600 => {
            ("Canceled", 0)
        }
        _ if delivered == order.quantity => {
            let lost_units = if order.refilled_at.is_some_and(|at| at <= now) { 0 } else { order.lost_units };
            ("Completed", delivered - lost_units)
        }
        _ => ("In progress", delivered),
    }
}

impl FakePanelState {
    /// A panel with a key, a balance and no services.
    #[must_use]
    pub fn new(key: &str) -> Self {
        Self {
            key: key.to_owned(),
            balance: Money(100_000_000),
            services: BTreeMap::new(),
            accepts_single_cancel: false,
            accepts_duplicates: false,
            orders: BTreeMap::new(),
            refills: BTreeMap::new(),
            last_orders: HashMap::new(),
            last_id: 23_500,
        }
    }

    pub fn add_service(&mut self, id: i64, service: FakeService) {
        self.services.insert(id, service);
    }

    /// Answers a call. Errors for a wrong key, action or field are worded as at real panels.
    pub fn answer(&mut self, fields: &BTreeMap<String, String>, now: Time) -> Value {
        let field = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
        if field("key") != self.key {
            return error_answer("Invalid API key");
        }
        match field("action") {
            "services" => self.list_services(fields),
            "balance" => json!({ "balance": self.balance.to_string(), "currency": "USD" }),
            "add" => self.add(fields, now),
            "status" if fields.contains_key("orders") => {
                let ids = field("orders").split(',');
                ids.map(|id| (id.trim().to_owned(), self.status(id, now)))
                    .collect::<serde_json::Map<_, _>>()
                    .into()
            }
            "status" => self.status(field("order"), now),
            "refill" => self.refill(field("order"), now),
            "refill_status" => self.refill_status(field("refill"), now),
            "cancel" if self.accepts_single_cancel => match self.cancel(field("order"), now) {
                Value::Number(accepted) => json!({ "cancel": accepted }),
                error => error,
            },
            "cancel" if field("orders").is_empty() => error_answer("Incorrect request"),
            "cancel" => {
                let cancel_one =
                    |id: &str| json!({ "order": parse_number(id), "cancel": self.cancel(id, now) });
                Value::Array(field("orders").split(',').map(cancel_one).collect())
            }
            _ => error_answer("Incorrect request"),
        }
    }

    /// Quantity delivered to a link by now.
    #[must_use]
    pub fn delivered(&self, link: &str, now: Time) -> i64 {
        self.orders.values().filter(|order| order.link == link).map(|order| status_at(order, now).1).sum()
    }

    /// Places an order as a call would, and returns its id; 0 if the panel refuses it.
    pub fn place_order(&mut self, service: i64, link: &str, quantity: i64, now: Time) -> i64 {
        let fields =
            [("service", service.to_string()), ("link", link.to_owned()), ("quantity", quantity.to_string())];
        let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        self.add(&fields, now)["order"].as_i64().unwrap_or_default()
    }

    /// Restores an order with its progress, unless the panel does not have its service.
    pub fn restore(&mut self, restored: &RestoredOrder, now: Time) {
        let Some(service) = self.services.get(&restored.service) else { return };
        let speed = service.speed.max(1);
        let order = Order {
            service: restored.service,
            link: restored.link.clone(),
            quantity: restored.quantity,
            charge: restored.charge,
            fields: BTreeMap::new(),
            placed_at: now
                .minus(START_DELAY + Duration::from_secs((restored.delivered * 60 / speed).unsigned_abs())),
            canceled_at: None,
            cancel_requested_at: None,
            cancel_behavior: service.cancel_behavior,
            behavior: service.behavior,
            speed,
            lost_units: 0,
            refilled_at: None,
        };
        self.last_orders.insert((restored.service, restored.link.clone()), restored.id);
        self.orders.insert(restored.id, order);
        self.last_id = self.last_id.max(restored.id);
    }

    fn list_services(&self, fields: &BTreeMap<String, String>) -> Value {
        let includes_texts = fields.get(REQUEST_FIELD.0).is_some_and(|value| value == REQUEST_FIELD.1);
        let service_entry = |(id, service): (&i64, &FakeService)| {
            let mut entry = json!({
                "service": id, "name": service.name, "type": service.kind, "category": service.category,
                "rate": service.rate.to_string(), "min": service.min.to_string(), "max": service.max.to_string(),
                "refill": service.refill, "cancel": service.cancel,
            });
            if !service.desc.is_empty() {
                entry["desc"] = json!(service.desc);
            }
            if let (true, Value::Object(texts), Value::Object(entry)) =
                (includes_texts, &service.texts, &mut entry)
            {
                entry.extend(texts.clone());
            }
            if !service.parameters.is_empty() {
                let parameter_entry = |(parameter, is_required): &(PanelParameter, bool)| json!({ "name": parameter, "required": is_required, "values": [] });
                entry["parameters"] = service.parameters.iter().map(parameter_entry).collect();
            }
            entry
        };
        Value::Array(self.services.iter().map(service_entry).collect())
    }

    fn add(&mut self, fields: &BTreeMap<String, String>, now: Time) -> Value {
        let field = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
        let Some((service_id, service)) =
            parse_number(field("service")).and_then(|id| self.services.get_key_value(&id))
        else {
            return error_answer("error.incorrect_service_id");
        };
        let kind = PanelServiceType::parse(service.kind).unwrap_or(PanelServiceType::Default);
        if let Some(message) = order_check::error_message(kind, &service.parameters, fields) {
            return error_answer(message);
        }
        let quantity = match kind.quantity_source() {
            QuantitySource::SinglePackage => 1,
            QuantitySource::LinesOf(parameter) => {
                i64::try_from(non_empty_lines(field(parameter.as_str())).count()).unwrap_or_default()
            }
            QuantitySource::Explicit => parse_number(field("quantity")).unwrap_or_default(),
        };
        if quantity < service.min {
            return error_answer("neworder.error.min_quantity");
        }
        if quantity > service.max {
            return error_answer("neworder.error.max_quantity");
        }
        let units_per_rate = if kind.is_package() { 1 } else { 1_000 };
        let charge = Money(
            i64::try_from(i128::from(service.rate.0) * i128::from(quantity) / units_per_rate)
                .unwrap_or(i64::MAX),
        );
        if charge > self.balance {
            return error_answer("neworder.error.not_enough_funds");
        }
        let link_of_service = (*service_id, field("link").to_owned());
        let last_order = self.last_orders.get(&link_of_service).and_then(|id| self.orders.get(id));
        let is_open =
            last_order.is_some_and(|order| matches!(status_at(order, now).0, "Pending" | "In progress"));
        if !field("link").is_empty() && is_open && !self.accepts_duplicates {
            return error_answer(
                "You have active order with this link. Please wait until order being completed.",
            );
        }
        let sent_fields = fields.iter().filter(|(name, _)| *name != "key");
        let order = Order {
            service: *service_id,
            link: field("link").to_owned(),
            quantity,
            charge,
            fields: sent_fields.map(|(name, value)| (name.clone(), value.clone())).collect(),
            placed_at: now,
            canceled_at: None,
            cancel_requested_at: None,
            cancel_behavior: service.cancel_behavior,
            behavior: service.behavior,
            speed: service.speed,
            lost_units: 0,
            refilled_at: None,
        };
        self.balance.0 -= charge.0;
        self.last_id += 1;
        self.last_orders.insert(link_of_service, self.last_id);
        self.orders.insert(self.last_id, order);
        json!({ "order": self.last_id })
    }

    fn status(&self, id: &str, now: Time) -> Value {
        let Some(order) = parse_number(id)
            .and_then(|id| self.orders.get(&id))
            .filter(|order| order.behavior != OrderBehavior::NotFound)
        else {
            return error_answer("Incorrect order ID");
        };
        let (status, delivered) = status_at(order, now);
        let charge = i128::from(order.charge.0)
            * i128::from(if matches!(status, "Partial" | "Canceled") { delivered } else { order.quantity });
        let charge = Money(i64::try_from(charge / i128::from(order.quantity.max(1))).unwrap_or_default());
        json!({
            "charge": charge.to_string(), "start_count": START_COUNT.to_string(), "status": status,
            "remains": (order.quantity - delivered).to_string(), "currency": "USD",
        })
    }

    fn refill(&mut self, id: &str, now: Time) -> Value {
        let order = parse_number(id).and_then(|id| Some((id, self.orders.get(&id)?)));
        let Some((id, order)) = order else { return error_answer("Incorrect order ID") };
        if status_at(order, now).0 != "Completed"
            || !self.services.get(&order.service).is_some_and(|service| service.refill)
        {
            return error_answer("Refill is not available for this order");
        }
        self.last_id += 1;
        self.refills.insert(self.last_id, (id, now));
        if let Some(order) = self.orders.get_mut(&id) {
            order.refilled_at = Some(now.plus(REFILL_DURATION));
        }
        json!({ "refill": self.last_id.to_string() })
    }

    fn refill_status(&self, id: &str, now: Time) -> Value {
        match parse_number(id).and_then(|id| self.refills.get(&id)) {
            None => error_answer("Refill not found"),
            Some((_, at)) if now.since(*at) < REFILL_DURATION => json!({ "status": "In progress" }),
            Some(_) => json!({ "status": "Completed" }),
        }
    }
}

pub fn error_answer(message: &str) -> Value {
    json!({ "error": message })
}

pub fn parse_number(text: &str) -> Option<i64> {
    text.trim().parse().ok()
}
