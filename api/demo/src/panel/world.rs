//! State of a fake external panel: services, orders that are delivered over time, refills, a balance. Pure: the caller passes
//! the time, and the same calls create the same orders.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use panel_contract::amount::Money;
use panel_contract::moment::Time;
use panel_contract::panel_service_types::{PanelParameter, PanelServiceType, QuantitySource, lines};
use serde_json::{Value, json};

pub use super::cancel::CancelBehavior;
use super::check;
pub use super::offer::{Offer, OrderBehavior};
use panel_domain::reseller_protocol::own_texts::ASKED_BY;

/// Count at every link before deliveries.
pub const START_COUNT: i64 = 3_572;
/// Time until an order begins.
const START_DELAY: Duration = Duration::from_secs(30);
/// Time until a refill is completed.
const REFILL: Duration = Duration::from_mins(10);

/// An order of the fake panel.
#[derive(Debug, Clone)]
pub struct Order {
    /// Id of the service.
    pub service: i64,
    /// Link.
    pub link: String,
    /// Ordered quantity.
    pub quantity: i64,
    /// Its charge.
    pub charge: Money,
    /// All fields of the call except the key.
    pub fields: BTreeMap<String, String>,
    placed: Time,
    /// Time at which it stops; may be in the future.
    pub canceled: Option<Time>,
    /// Time of the first request to cancel it.
    pub asked: Option<Time>,
    pub on_cancel: CancelBehavior,
    behavior: OrderBehavior,
    speed: i64,
    /// Units lost after its completion, until a refill is completed.
    lost: i64,
    refilled: Option<Time>,
}

/// State of the fake panel.
#[derive(Debug, Clone)]
pub struct World {
    /// The valid API key.
    pub key: String,
    /// Our balance.
    pub balance: Money,
    /// Services by id.
    pub offers: BTreeMap<i64, Offer>,
    /// Whether `cancel` only accepts `order`; most panels only accept `orders`.
    pub cancels_one: bool,
    /// Whether it accepts a second order for a link while one is open. Tests need it to detect duplicate orders.
    pub accepts_duplicates: bool,
    /// Orders by id.
    pub orders: BTreeMap<i64, Order>,
    refills: BTreeMap<i64, (i64, Time)>,
    /// The last order by service and link.
    last: HashMap<(i64, String), i64>,
    next: i64,
}

/// An order that the panel had before a restart.
#[derive(Debug, Clone)]
pub struct RestoredOrder {
    /// Id of the order.
    pub id: i64,
    /// Id of the service.
    pub service: i64,
    /// Link.
    pub link: String,
    /// Ordered quantity.
    pub quantity: i64,
    /// Delivered quantity.
    pub delivered: i64,
    /// Its charge.
    pub charge: Money,
}

impl Order {
    /// Changes its behavior.
    pub fn set_behavior(&mut self, behavior: OrderBehavior) {
        self.behavior = behavior;
    }

    /// Sets the lost units.
    pub fn lose(&mut self, lost: i64) {
        (self.lost, self.refilled) = (lost, None);
    }
}

/// Seconds of delivery of an order by `at`.
fn seconds_of(order: &Order, at: Time) -> i64 {
    i64::try_from(at.since(order.placed).saturating_sub(START_DELAY).as_secs()).unwrap_or(i64::MAX)
}

/// Delivered quantity by `at` if nothing stopped the order.
fn delivered_by(order: &Order, at: Time) -> i64 {
    (order.speed * seconds_of(order, at) / 60).min(order.quantity)
}

/// Status and delivered quantity of an order.
pub fn status_at(order: &Order, now: Time) -> (&'static str, i64) {
    let seconds = seconds_of(order, now);
    let begun = now.since(order.placed) >= START_DELAY;
    let all = delivered_by(order, now);
    if let Some(at) = order.canceled.filter(|at| *at <= now) {
        let delivered = match order.behavior {
            OrderBehavior::Stuck => 0,
            _ => delivered_by(order, at),
        };
        return (if delivered == order.quantity { "Completed" } else { "Canceled" }, delivered);
    }
    match order.behavior {
        OrderBehavior::Stuck => ("Pending", 0),
        _ if !begun => ("Pending", 0),
        OrderBehavior::Canceled => ("Canceled", 0),
        OrderBehavior::Partial(percent) if all * 100 >= order.quantity * percent => {
            ("Partial", order.quantity * percent / 100)
        }
        OrderBehavior::Fickle if all == order.quantity && seconds > 3_600 => ("Canceled", 0),
        _ if all == order.quantity => {
            let lost = if order.refilled.is_some_and(|at| at <= now) { 0 } else { order.lost };
            ("Completed", all - lost)
        }
        _ => ("In progress", all),
    }
}

impl World {
    /// A panel with a key, a balance and no services.
    #[must_use]
    pub fn new(key: &str) -> Self {
        Self {
            key: key.to_owned(),
            balance: Money(100_000_000),
            offers: BTreeMap::new(),
            cancels_one: false,
            accepts_duplicates: false,
            orders: BTreeMap::new(),
            refills: BTreeMap::new(),
            last: HashMap::new(),
            next: 23_500,
        }
    }

    /// Adds a service.
    pub fn sell(&mut self, id: i64, offer: Offer) {
        self.offers.insert(id, offer);
    }

    /// Answers a call. Errors for a wrong key, action or field are worded as at real panels.
    pub fn answer(&mut self, fields: &BTreeMap<String, String>, now: Time) -> Value {
        let get = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
        if get("key") != self.key {
            return refusal("Invalid API key");
        }
        match get("action") {
            "services" => self.services(fields),
            "balance" => json!({ "balance": self.balance.to_string(), "currency": "USD" }),
            "add" => self.add(fields, now),
            "status" if fields.contains_key("orders") => {
                let ids = get("orders").split(',');
                ids.map(|id| (id.trim().to_owned(), self.status(id, now)))
                    .collect::<serde_json::Map<_, _>>()
                    .into()
            }
            "status" => self.status(get("order"), now),
            "refill" => self.refill(get("order"), now),
            "refill_status" => self.refill_status(get("refill"), now),
            "cancel" if self.cancels_one => match self.cancel(get("order"), now) {
                Value::Number(yes) => json!({ "cancel": yes }),
                no => no,
            },
            "cancel" if get("orders").is_empty() => refusal("Incorrect request"),
            "cancel" => {
                let one = |id: &str| json!({ "order": number(id), "cancel": self.cancel(id, now) });
                Value::Array(get("orders").split(',').map(one).collect())
            }
            _ => refusal("Incorrect request"),
        }
    }

    /// Quantity delivered to a link by now.
    #[must_use]
    pub fn delivered(&self, link: &str, now: Time) -> i64 {
        self.orders.values().filter(|order| order.link == link).map(|order| status_at(order, now).1).sum()
    }

    /// Creates an order without a call, and returns its id.
    pub fn take(&mut self, service: i64, link: &str, quantity: i64, now: Time) -> i64 {
        let fields =
            [("service", service.to_string()), ("link", link.to_owned()), ("quantity", quantity.to_string())];
        let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        self.add(&fields, now)["order"].as_i64().unwrap_or_default()
    }

    /// Restores an order with its progress. Orders of unknown services are ignored.
    pub fn restore(&mut self, known: &RestoredOrder, now: Time) {
        let Some(offer) = self.offers.get(&known.service) else { return };
        let speed = offer.speed.max(1);
        let order = Order {
            service: known.service,
            link: known.link.clone(),
            quantity: known.quantity,
            charge: known.charge,
            fields: BTreeMap::new(),
            placed: now
                .before(START_DELAY + Duration::from_secs((known.delivered * 60 / speed).unsigned_abs())),
            canceled: None,
            asked: None,
            on_cancel: offer.on_cancel,
            behavior: offer.behavior,
            speed,
            lost: 0,
            refilled: None,
        };
        self.last.insert((known.service, known.link.clone()), known.id);
        self.orders.insert(known.id, order);
        self.next = self.next.max(known.id);
    }

    fn services(&self, fields: &BTreeMap<String, String>) -> Value {
        let includes_texts = fields.get(ASKED_BY.0).is_some_and(|value| value == ASKED_BY.1);
        let one = |(id, offer): (&i64, &Offer)| {
            let mut said = json!({
                "service": id, "name": offer.name, "type": offer.kind, "category": offer.category, "rate": offer.rate.to_string(),
                "min": offer.min.to_string(), "max": offer.max.to_string(), "refill": offer.refill, "cancel": offer.cancel,
            });
            if !offer.desc.is_empty() {
                said["desc"] = json!(offer.desc);
            }
            if let (true, Value::Object(texts), Value::Object(said)) =
                (includes_texts, &offer.texts, &mut said)
            {
                said.extend(texts.clone());
            }
            if !offer.parameters.is_empty() {
                let one = |(parameter, required): &(PanelParameter, bool)| json!({ "name": parameter, "required": required, "values": [] });
                said["parameters"] = offer.parameters.iter().map(one).collect();
            }
            said
        };
        Value::Array(self.offers.iter().map(one).collect())
    }

    fn add(&mut self, fields: &BTreeMap<String, String>, now: Time) -> Value {
        let get = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
        let Some((service, offer)) = number(get("service")).and_then(|id| self.offers.get_key_value(&id))
        else {
            return refusal("error.incorrect_service_id");
        };
        let kind = PanelServiceType::parse(offer.kind).unwrap_or(PanelServiceType::Default);
        if let Some(words) = check::error_message(kind, &offer.parameters, fields) {
            return refusal(words);
        }
        let quantity = match kind.quantity() {
            QuantitySource::One => 1,
            QuantitySource::LinesOf(parameter) => {
                i64::try_from(lines(get(parameter.as_str())).count()).unwrap_or_default()
            }
            QuantitySource::Named => number(get("quantity")).unwrap_or_default(),
        };
        if quantity < offer.min {
            return refusal("neworder.error.min_quantity");
        }
        if quantity > offer.max {
            return refusal("neworder.error.max_quantity");
        }
        let per = if kind.is_package() { 1 } else { 1_000 };
        let charge =
            Money(i64::try_from(i128::from(offer.rate.0) * i128::from(quantity) / per).unwrap_or(i64::MAX));
        if charge > self.balance {
            return refusal("neworder.error.not_enough_funds");
        }
        let place = (*service, get("link").to_owned());
        let last = self.last.get(&place).and_then(|id| self.orders.get(id));
        let is_open = last.is_some_and(|order| matches!(status_at(order, now).0, "Pending" | "In progress"));
        if !get("link").is_empty() && is_open && !self.accepts_duplicates {
            return refusal("You have active order with this link. Please wait until order being completed.");
        }
        let sent = fields.iter().filter(|(name, _)| *name != "key");
        let order = Order {
            service: *service,
            link: get("link").to_owned(),
            quantity,
            charge,
            fields: sent.map(|(name, value)| (name.clone(), value.clone())).collect(),
            placed: now,
            canceled: None,
            asked: None,
            on_cancel: offer.on_cancel,
            behavior: offer.behavior,
            speed: offer.speed,
            lost: 0,
            refilled: None,
        };
        self.balance.0 -= charge.0;
        self.next += 1;
        self.last.insert(place, self.next);
        self.orders.insert(self.next, order);
        json!({ "order": self.next })
    }

    fn status(&self, id: &str, now: Time) -> Value {
        let Some(order) = number(id)
            .and_then(|id| self.orders.get(&id))
            .filter(|order| order.behavior != OrderBehavior::Lost)
        else {
            return refusal("Incorrect order ID");
        };
        let (word, delivered) = status_at(order, now);
        let charge = i128::from(order.charge.0)
            * i128::from(if matches!(word, "Partial" | "Canceled") { delivered } else { order.quantity });
        let charge = Money(i64::try_from(charge / i128::from(order.quantity.max(1))).unwrap_or_default());
        json!({
            "charge": charge.to_string(), "start_count": START_COUNT.to_string(), "status": word,
            "remains": (order.quantity - delivered).to_string(), "currency": "USD",
        })
    }

    fn refill(&mut self, id: &str, now: Time) -> Value {
        let found = number(id).and_then(|id| Some((id, self.orders.get(&id)?)));
        let Some((id, order)) = found else { return refusal("Incorrect order ID") };
        if status_at(order, now).0 != "Completed"
            || !self.offers.get(&order.service).is_some_and(|offer| offer.refill)
        {
            return refusal("Refill is not available for this order");
        }
        self.next += 1;
        self.refills.insert(self.next, (id, now));
        if let Some(order) = self.orders.get_mut(&id) {
            order.refilled = Some(now.after(REFILL));
        }
        json!({ "refill": self.next.to_string() })
    }

    fn refill_status(&self, id: &str, now: Time) -> Value {
        match number(id).and_then(|id| self.refills.get(&id)) {
            None => refusal("Refill not found"),
            Some((_, at)) if now.since(*at) < REFILL => json!({ "status": "In progress" }),
            Some(_) => json!({ "status": "Completed" }),
        }
    }
}

pub fn refusal(words: &str) -> Value {
    json!({ "error": words })
}

pub fn number(text: &str) -> Option<i64> {
    text.trim().parse().ok()
}
