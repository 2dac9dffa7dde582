//! A service of the fake panel, and the behavior of its orders. Pure data.

use panel_contract::amount::Money;
use panel_contract::panel_service_types::PanelParameter;
use serde_json::Value;

use super::cancel::CancelBehavior;

/// How the fake panel delivers orders of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderBehavior {
    /// Orders are delivered.
    Delivered,
    /// Orders end when this percentage is delivered.
    Partial(i64),
    /// The panel cancels orders when they would begin.
    Canceled,
    /// The panel does not find its orders.
    Lost,
    /// Orders never begin.
    Stuck,
    /// Orders are delivered, and later reported as canceled.
    Fickle,
}

/// A service of the fake panel.
#[derive(Debug, Clone)]
pub struct Offer {
    pub name: String,
    /// The service's type, as the panel names it, such as `Default`.
    pub kind: &'static str,
    /// Category at the panel.
    pub category: String,
    /// Price per 1,000 units.
    pub rate: Money,
    /// Smallest quantity of an order.
    pub min: i64,
    /// Largest quantity of an order.
    pub max: i64,
    /// Units delivered per minute.
    pub speed: i64,
    /// Whether the panel accepts refill requests.
    pub refill: bool,
    /// Whether the panel accepts cancel requests.
    pub cancel: bool,
    /// Description; omitted if empty.
    pub desc: String,
    /// Texts and labels that a panel of this product returns on request; omitted if null.
    pub texts: Value,
    /// Parameters besides those of its type, and whether they are required. Only panels of this product list them.
    pub parameters: Vec<(PanelParameter, bool)>,
    /// How its orders are delivered.
    pub behavior: OrderBehavior,
    /// How the panel handles requests to cancel its orders.
    pub on_cancel: CancelBehavior,
}

impl Offer {
    /// A plain service: 1.00 per 1,000, ten to ten thousand units, 600 units per minute.
    #[must_use]
    pub fn plain(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            kind: "Default",
            category: "All".to_owned(),
            rate: Money(1_000_000),
            min: 10,
            max: 10_000,
            speed: 600,
            refill: true,
            cancel: true,
            desc: String::new(),
            texts: Value::Null,
            parameters: Vec::new(),
            behavior: OrderBehavior::Delivered,
            on_cancel: CancelBehavior::Confirms,
        }
    }
}
