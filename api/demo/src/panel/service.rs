//! A service of the fake panel, and how the panel delivers its orders.

use panel_contract::amount::Money;
use panel_contract::panel_service_types::PanelParameter;
use serde_json::Value;

use super::cancel::CancelBehavior;

/// How the fake panel delivers orders of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderBehavior {
    /// The panel delivers the whole quantity.
    Delivered,
    /// The panel delivers this percentage of each order, then reports it as partial.
    Partial(i64),
    /// The panel cancels each order at the time at which its delivery would start.
    Canceled,
    /// The panel accepts orders and later reports that their ids do not exist.
    NotFound,
    /// All orders stay pending.
    Stuck,
    /// The panel reports each order as completed, and as canceled an hour after its start.
    CompletedThenCanceled,
}

#[derive(Debug, Clone)]
pub struct FakeService {
    pub name: String,
    /// The value of the field `type` in the reseller API, such as `Default`.
    pub service_type: &'static str,
    pub category: String,
    /// Price per 1,000 units.
    pub rate: Money,
    pub min_quantity: i64,
    pub max_quantity: i64,
    pub units_per_minute: i64,
    pub allows_refill: bool,
    pub allows_cancel: bool,
    /// The panel omits an empty description.
    pub description: String,
    /// A JSON object with the additional fields that only panels of this product return on request: texts, labels and the quantity
    /// step. Null for other panels.
    pub extended_fields: Value,
    /// Parameters besides those of the service type, each with the flag whether it is required. Only panels of this product list
    /// such parameters.
    pub parameters: Vec<(PanelParameter, bool)>,
    pub behavior: OrderBehavior,
    pub cancel_behavior: CancelBehavior,
}

impl FakeService {
    /// A service of the default type: 1.00 per 1,000, ten to ten thousand units, 600 units per minute.
    #[must_use]
    pub fn with_name(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            service_type: "Default",
            category: "All".to_owned(),
            rate: Money(1_000_000),
            min_quantity: 10,
            max_quantity: 10_000,
            units_per_minute: 600,
            allows_refill: true,
            allows_cancel: true,
            description: String::new(),
            extended_fields: Value::Null,
            parameters: Vec::new(),
            behavior: OrderBehavior::Delivered,
            cancel_behavior: CancelBehavior::Confirms,
        }
    }
}
