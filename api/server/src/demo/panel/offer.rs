//! A service that the fake panel sells, and what becomes of its orders. Pure data.

use panel_contract::amount::Money;
use panel_contract::panel_service_types::PanelParameter;

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
    /// Its name.
    pub name: String,
    /// Its type's word.
    pub kind: &'static str,
    /// Price of 1,000.
    pub rate: Money,
    /// Smallest order.
    pub min: i64,
    /// Largest order.
    pub max: i64,
    /// Delivered in a minute.
    pub speed: i64,
    /// Whether it is refilled.
    pub refill: bool,
    /// Whether it can be canceled.
    pub cancel: bool,
    /// What is said about it; nothing where it is empty.
    pub desc: String,
    /// What it takes beside its type's parameters, and whether an order needs it: only panels of this product say so.
    pub parameters: Vec<(PanelParameter, bool)>,
    /// What becomes of its orders.
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
            rate: Money(1_000_000),
            min: 10,
            max: 10_000,
            speed: 600,
            refill: true,
            cancel: true,
            desc: String::new(),
            parameters: Vec::new(),
            fate: Fate::Delivered,
            on_cancel: CancelBehavior::Confirms,
        }
    }
}
