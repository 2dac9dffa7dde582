//! The input of placing an order.

use panel_contract::amount::Money;
use panel_contract::ids::{OrderWidgetId, ServiceId, UserId};
use panel_contract::orders::OrderSource;
use panel_contract::payments::BalanceType;

use crate::catalogue::targets::service_targets::Answer;
use crate::pricing::quote::Modifier;
use crate::stores::orders::insert::OrderParent;

#[derive(Debug, Clone)]
pub struct NewOrder {
    /// The customer; must be active.
    pub user_id: UserId,
    /// The service; must be on sale.
    pub service_id: ServiceId,
    /// The address to deliver to; may be empty if the service does not need one.
    pub url: String,
    /// The service's minimum plus a multiple of its step.
    pub quantity: i64,
    pub source: OrderSource,
    /// Price changes beside the customer's discounts, in the order in which they apply.
    pub modifiers: Vec<Modifier>,
    /// Whether the customer pays for a speed-up; the service must allow it.
    pub speedup: bool,
    /// Whether the customer pays for refills, although the service includes none.
    pub guarantee: bool,
    /// ISO code of the customer's country if it is known: some discounts depend on it.
    pub country: Option<String>,
    /// The code of a coupon.
    pub coupon: Option<String>,
    /// Balances that pay, in this order.
    pub paying_balances: Vec<BalanceType>,
    /// Whether the order costs nothing: only for free trials.
    pub is_free: bool,
    /// Values of the service's targets: name and value.
    pub targets: Vec<(String, String)>,
    /// Answers that the caller has validated, used instead of `targets`: for example by the runs of a drip-feed.
    pub validated_answers: Option<Vec<Answer>>,
    /// Whether the order needs moderation even if its service does not.
    pub is_moderated: bool,
    /// The drip-feed, subscription or combo order that places the order, if a record places it instead of a user.
    pub parent: Option<OrderParent>,
    /// The order widget on which the customer placed the order.
    pub widget: Option<OrderWidgetId>,
    /// The id of the order in the child panel that places it.
    pub child_id: Option<i64>,
    /// The prepaid amount, by the balance to which it was released. It is the cost of the order, instead of the service's price.
    pub prepaid: Option<Vec<(BalanceType, Money)>>,
}

impl NewOrder {
    /// An order paid by the main balance, without options.
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
            paying_balances: vec![BalanceType::Main],
            is_free: false,
            targets: Vec::new(),
            validated_answers: None,
            is_moderated: false,
            parent: None,
            widget: None,
            child_id: None,
            prepaid: None,
        }
    }
}
