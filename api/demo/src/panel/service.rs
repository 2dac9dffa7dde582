//! A service of the fake panel, and how the panel delivers its orders. Pure data.

use panel_contract::amount::Money;
use panel_contract::panel_service_types::PanelParameter;
use serde_json::Value;

use super::cancel::CancelBehavior;

/// How the fake panel delivers orders of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderBehavior {
    /// Delivers the whole quantity.
    Delivered,
    /// Orders end as partial after this percentage is delivered.
    Partial(i64),
    /// The panel cancels each order when its delivery should begin.
    Canceled,
    /// The panel accepts orders and later does not find them.
    NotFound,
    /// Orders stay pending without a delivery.
    Stuck,
    /// The panel reports each order as completed, and as canceled an hour after its start.
    CompletedThenCanceled,
}

#[derive(Debug, Clone)]
pub struct FakeService {
    pub name: String,
    /// The service's type, as the panel names it, such as `Default`.
    pub kind: &'static str,
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
    /// Parameters besides those of its type, and whether they are required. Only panels of this product list such parameters.
    pub parameters: Vec<(PanelParameter, bool)>,
    pub behavior: OrderBehavior,
    pub cancel_behavior: CancelBehavior,
}

impl FakeService {
    /// A service of the default type: 1.00 per 1,000, ten to ten thousand units, 600 units per minute.
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
            cancel_behavior: CancelBehavior::Confirms,
        }
    }
}
