//! A service that the fake panel sells, and what becomes of its orders. Pure data.

use panel_contract::amount::Money;
use panel_contract::panel_service_types::PanelParameter;
use serde_json::Value;

use super::cancel::CancelBehavior;

/// What becomes of orders of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// They are delivered.
    Delivered,
    /// They end when this percent is delivered.
    Partial(i64),
    /// The panel cancels them when they would begin.
    Canceled,
    /// The panel forgets them.
    Lost,
    /// They never begin.
    Stuck,
    /// They are delivered, and later said to be canceled.
    Fickle,
}

/// A service on sale there.
#[derive(Debug, Clone)]
pub struct Offer {
    /// Name of the service.
    pub name: String,
    /// The panel's word for the service's type, such as `Default`.
    pub kind: &'static str,
    /// The panel's category.
    pub category: String,
    /// Price of 1,000 units.
    pub rate: Money,
    /// Smallest quantity of an order.
    pub min: i64,
    /// Largest quantity of an order.
    pub max: i64,
    /// Units delivered in a minute.
    pub speed: i64,
    /// Whether the panel accepts refill requests.
    pub refill: bool,
    /// Whether the panel accepts cancel requests.
    pub cancel: bool,
    /// What is said about it; nothing where it is empty.
    pub desc: String,
    /// Texts and labels that a panel of this product says to those who ask; nothing where it is null.
    pub texts: Value,
    /// What it takes beside its type's parameters, and whether an order needs it: only panels of this product say so.
    pub parameters: Vec<(PanelParameter, bool)>,
    /// What the panel does with its orders.
    pub fate: Fate,
    /// What is done when one of its orders shall be canceled.
    pub on_cancel: CancelBehavior,
}

impl Offer {
    /// A plain service: 1.00 for 1,000, ten to ten thousand, 600 a minute.
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
            fate: Fate::Delivered,
            on_cancel: CancelBehavior::Confirms,
        }
    }
}
