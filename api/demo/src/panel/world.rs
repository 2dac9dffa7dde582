//! What a panel of the field has: services, orders that fill up as time goes by, refills, a balance. Pure: the time is
//! given, and the same calls make the same orders.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use panel_contract::amount::Money;
use panel_contract::moment::Time;
use panel_contract::panel_service_types::{PanelParameter, PanelServiceType, QuantitySource, lines};
use serde_json::{Value, json};

pub use super::cancel::CancelBehavior;
use super::check;
pub use super::offer::{Fate, Offer};
use panel_domain::reseller_protocol::own_texts::ASKED_BY;

/// What every address had before anything was delivered.
pub const START_COUNT: i64 = 3_572;
/// How long until an order begins.
const START: Duration = Duration::from_secs(30);
/// How long until a refill is done.
const REFILL: Duration = Duration::from_mins(10);

/// An order as that panel has it.
#[derive(Debug, Clone)]
pub struct Order {
    /// The service.
    pub service: i64,
    /// Where to.
    pub link: String,
    /// How many.
    pub quantity: i64,
    /// What it cost.
    pub charge: Money,
    /// Everything that came with the call but the key.
    pub fields: BTreeMap<String, String>,
    placed: Time,
    /// When it stops, which may be ahead.
    pub canceled: Option<Time>,
    /// When it was first asked to cancel it.
    pub asked: Option<Time>,
    pub on_cancel: CancelBehavior,
    fate: Fate,
    speed: i64,
    /// What fell away after it was completed, until a refill is done.
    lost: i64,
    refilled: Option<Time>,
}

/// The whole panel.
#[derive(Debug, Clone)]
pub struct World {
    /// The key it knows.
    pub key: String,
    /// What we have there.
    pub balance: Money,
    /// Services by id.
    pub offers: BTreeMap<i64, Offer>,
    /// Whether `cancel` knows `order` only; most know `orders` only.
    pub cancels_one: bool,
    /// Whether it takes a second order for an address while one is open; else tests would not see one that is doubled.
    pub takes_twice: bool,
    /// Orders by id.
    pub orders: BTreeMap<i64, Order>,
    refills: BTreeMap<i64, (i64, Time)>,
    /// The last order of a service for an address.
    last: HashMap<(i64, String), i64>,
    next: i64,
}

/// An order that this panel had before it was started anew.
#[derive(Debug, Clone)]
pub struct Known {
    /// Its id here.
    pub id: i64,
    /// The service.
    pub service: i64,
    /// Where to.
    pub link: String,
    /// How many.
    pub quantity: i64,
    /// How many were delivered.
    pub delivered: i64,
    /// What it cost.
    pub charge: Money,
}

impl Order {
    /// Changes what becomes of it.
    pub fn remember(&mut self, fate: Fate) {
        self.fate = fate;
    }

    /// So much of it falls away.
    pub fn lose(&mut self, lost: i64) {
        (self.lost, self.refilled) = (lost, None);
    }
}

/// For how many seconds an order was delivered by then.
fn seconds_of(order: &Order, at: Time) -> i64 {
    i64::try_from(at.since(order.placed).saturating_sub(START).as_secs()).unwrap_or(i64::MAX)
}

/// How many were delivered by then where nothing stopped it.
fn delivered_by(order: &Order, at: Time) -> i64 {
    (order.speed * seconds_of(order, at) / 60).min(order.quantity)
}

/// Where an order stands: the word, and how much was delivered.
pub fn standing(order: &Order, now: Time) -> (&'static str, i64) {
    let seconds = seconds_of(order, now);
    let begun = now.since(order.placed) >= START;
    let all = delivered_by(order, now);
    if let Some(at) = order.canceled.filter(|at| *at <= now) {
        let delivered = match order.fate {
            Fate::Stuck => 0,
            _ => delivered_by(order, at),
        };
        return (if delivered == order.quantity { "Completed" } else { "Canceled" }, delivered);
    }
    match order.fate {
        Fate::Stuck => ("Pending", 0),
        _ if !begun => ("Pending", 0),
        Fate::Canceled => ("Canceled", 0),
        Fate::Partial(percent) if all * 100 >= order.quantity * percent => {
            ("Partial", order.quantity * percent / 100)
        }
        Fate::Fickle if all == order.quantity && seconds > 3_600 => ("Canceled", 0),
        _ if all == order.quantity => {
            let lost = if order.refilled.is_some_and(|at| at <= now) { 0 } else { order.lost };
            ("Completed", all - lost)
        }
        _ => ("In progress", all),
    }
}

impl World {
    /// A panel with a key, money and nothing on sale.
    #[must_use]
    pub fn new(key: &str) -> Self {
        Self {
            key: key.to_owned(),
            balance: Money(100_000_000),
            offers: BTreeMap::new(),
            cancels_one: false,
            takes_twice: false,
            orders: BTreeMap::new(),
            refills: BTreeMap::new(),
            last: HashMap::new(),
            next: 23_500,
        }
    }

    /// Puts a service on sale.
    pub fn sell(&mut self, id: i64, offer: Offer) {
        self.offers.insert(id, offer);
    }

    /// Answers a call; a wrong key, action or field is answered as panels do.
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

    /// How many were delivered to an address by now.
    #[must_use]
    pub fn delivered(&self, link: &str, now: Time) -> i64 {
        self.orders.values().filter(|order| order.link == link).map(|order| standing(order, now).1).sum()
    }

    /// Takes an order without a call; its id.
    pub fn take(&mut self, service: i64, link: &str, quantity: i64, now: Time) -> i64 {
        let fields =
            [("service", service.to_string()), ("link", link.to_owned()), ("quantity", quantity.to_string())];
        let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        self.add(&fields, now)["order"].as_i64().unwrap_or_default()
    }

    /// Takes an order back, as far delivered as it was; orders of services that are not on sale here stay unknown.
    pub fn restore(&mut self, known: &Known, now: Time) {
        let Some(offer) = self.offers.get(&known.service) else { return };
        let speed = offer.speed.max(1);
        let order = Order {
            service: known.service,
            link: known.link.clone(),
            quantity: known.quantity,
            charge: known.charge,
            fields: BTreeMap::new(),
            placed: now.before(START + Duration::from_secs((known.delivered * 60 / speed).unsigned_abs())),
            canceled: None,
            asked: None,
            on_cancel: offer.on_cancel,
            fate: offer.fate,
            speed,
            lost: 0,
            refilled: None,
        };
        self.last.insert((known.service, known.link.clone()), known.id);
        self.orders.insert(known.id, order);
        self.next = self.next.max(known.id);
    }

    fn services(&self, fields: &BTreeMap<String, String>) -> Value {
        let wants_texts = fields.get(ASKED_BY.0).is_some_and(|value| value == ASKED_BY.1);
        let one = |(id, offer): (&i64, &Offer)| {
            let mut said = json!({
                "service": id, "name": offer.name, "type": offer.kind, "category": offer.category, "rate": offer.rate.to_string(),
                "min": offer.min.to_string(), "max": offer.max.to_string(), "refill": offer.refill, "cancel": offer.cancel,
            });
            if !offer.desc.is_empty() {
                said["desc"] = json!(offer.desc);
            }
            if let (true, Value::Object(texts), Value::Object(said)) = (wants_texts, &offer.texts, &mut said)
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
        if let Some(words) = check::wrong(kind, &offer.parameters, fields) {
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
        let is_open = last.is_some_and(|order| matches!(standing(order, now).0, "Pending" | "In progress"));
        if !get("link").is_empty() && is_open && !self.takes_twice {
            return refusal("You have active order with this link. Please wait until order being completed.");
        }
        let kept = fields.iter().filter(|(name, _)| *name != "key");
        let order = Order {
            service: *service,
            link: get("link").to_owned(),
            quantity,
            charge,
            fields: kept.map(|(name, value)| (name.clone(), value.clone())).collect(),
            placed: now,
            canceled: None,
            asked: None,
            on_cancel: offer.on_cancel,
            fate: offer.fate,
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
        let Some(order) =
            number(id).and_then(|id| self.orders.get(&id)).filter(|order| order.fate != Fate::Lost)
        else {
            return refusal("Incorrect order ID");
        };
        let (word, delivered) = standing(order, now);
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
        if standing(order, now).0 != "Completed"
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
