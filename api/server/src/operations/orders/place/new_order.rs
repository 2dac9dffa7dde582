//! An order that is to be placed.

use panel_contract::amount::Money;
use panel_contract::ids::{OrderWidgetId, ServiceId, UserId};
use panel_contract::orders::OrderSource;
use panel_contract::payments::BalanceType;

use crate::catalogue::targets::asked::Answer;
use crate::pricing::quote::Modifier;
use crate::stores::orders::insert::Parent;

/// An order to be placed.
#[derive(Debug, Clone)]
pub struct NewOrder {
    /// The customer; must be active.
    pub user_id: UserId,
    /// The service; must be on sale.
    pub service_id: ServiceId,
    /// Where to deliver; may be empty where the service does not ask for it.
    pub url: String,
    /// How many: min + k × step of the service.
    pub quantity: i64,
    /// Where it comes from.
    pub source: OrderSource,
    /// What changes its price beside the customer's terms, in order.
    pub modifiers: Vec<Modifier>,
    /// Sped up, at the panel's charge; the service must allow it.
    pub speedup: bool,
    /// Refilled at the panel's charge, although the service is not.
    pub guarantee: bool,
    /// Where the customer is, by ISO code, where that is known: some discounts are for some countries.
    pub country: Option<String>,
    /// The code of a coupon.
    pub coupon: Option<String>,
    /// Balances that pay, one after the other.
    pub pays: Vec<BalanceType>,
    /// Costs nothing: only for free trials.
    pub is_free: bool,
    /// Values of the service's targets: name and value.
    pub targets: Vec<(String, String)>,
    /// Answers that were judged and agreed before, instead of `targets`: the runs of a drip-feed have theirs.
    pub agreed_answers: Option<Vec<Answer>>,
    /// Staff look at it first, whatever its service says.
    pub is_moderated: bool,
    /// What places it, when that is not a person.
    pub parent: Option<Parent>,
    /// The order widget that it comes through.
    pub widget: Option<OrderWidgetId>,
    /// Its id at the child panel that places it.
    pub child_id: Option<i64>,
    /// What was paid ahead for it and is back on these balances: its cost, instead of the service's price.
    pub prepaid: Option<Vec<(BalanceType, Money)>>,
}

impl NewOrder {
    /// An order paid by the main balance, without anything special.
    #[must_use]
    pub fn plain(user_id: UserId, service_id: ServiceId, url: &str, quantity: i64) -> Self {
        Self {
            user_id,
            service_id,
            url: url.to_owned(),
            quantity,
            source: OrderSource::Cabinet,
            modifiers: Vec::new(),
            speedup: false,
            guarantee: false,
            country: None,
            coupon: None,
            pays: vec![BalanceType::Main],
            is_free: false,
            targets: Vec::new(),
            agreed_answers: None,
            is_moderated: false,
            parent: None,
            widget: None,
            child_id: None,
            prepaid: None,
        }
    }
}
