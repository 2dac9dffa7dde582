//! The input of the function that places an order.

use panel_contract::amount::Money;
use panel_contract::ids::{OrderWidgetId, ServiceId, UserId};
use panel_contract::orders::OrderSource;
use panel_contract::payments::BalanceType;

use crate::catalogue::targets::service_targets::Answer;
use crate::pricing::quote::PriceModifier;
use crate::stores::orders::insert::OrderParent;

#[derive(Debug, Clone)]
pub struct NewOrder {
    /// The customer, who must be active.
    pub user_id: UserId,
    /// The service, which must be on sale.
    pub service_id: ServiceId,
    /// The URL to which the order is delivered. May be empty if the service does not need a URL.
    pub url: String,
    /// The minimum quantity of the service plus a multiple of its quantity step.
    pub quantity: i64,
    pub source: OrderSource,
    /// Price modifiers in addition to the customer's discounts, in the order in which they apply.
    pub modifiers: Vec<PriceModifier>,
    /// Whether the customer pays for a speed-up. The service must allow speed-ups.
    pub speedup: bool,
    /// Whether the customer pays for refills. The service must not already include refills.
    pub guarantee: bool,
    /// ISO code of the customer's country, if it is known. Some discounts depend on the country.
    pub country: Option<String>,
    /// The code of a coupon.
    pub coupon: Option<String>,
    /// The balances from which the order is paid, in this order.
    pub paying_balances: Vec<BalanceType>,
    /// Whether the order is free of charge. Only free trials set it.
    pub is_free: bool,
    /// Values of the service's targets: name and value.
    pub targets: Vec<(String, String)>,
    /// Answers that the caller has already validated. If they are set, `targets` is ignored.
    pub validated_answers: Option<Vec<Answer>>,
    /// Whether the order needs moderation even if its service does not.
    pub is_moderated: bool,
    /// The drip-feed, subscription, combo order or free trial for which the order is placed; `None` if a user places it directly.
    pub parent: Option<OrderParent>,
    /// The order widget on which the customer placed the order.
    pub widget: Option<OrderWidgetId>,
    /// The id that the order has in the child panel that places it.
    pub child_id: Option<i64>,
    /// The prepaid amounts, by the balance to which they were released. Their sum is the cost of the order, instead of the price of
    /// the service.
    pub prepaid: Option<Vec<(BalanceType, Money)>>,
}

impl NewOrder {
    /// Creates an order without options that is paid from the main balance.
    #[must_use]
    pub fn without_options(user_id: UserId, service_id: ServiceId, url: &str, quantity: i64) -> Self {
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
