//! How many units we order at an external panel for the units that we sold. Some panels lose delivered units or deliver more than
//! was ordered; `order_quantity_ratio` compensates for it.
//!
//! A customer's own ratio applies instead of the service's, to orders of up to `max_order_quantity_for_use_throttle` units if that
//! is set. The ordered quantity is rounded up. The ratio never moves a quantity out of the bounds of the panel's service, but a
//! sold quantity outside of them stays as it is. An attempt stores both quantities, so that a later change of the ratio does not
//! affect it. Customers see and pay for sold units.

use std::collections::HashMap;

use panel_contract::ids::{OrderId, ProviderId};
use panel_contract::panel_service_types::{PanelServiceType, QuantitySource};
use panel_contract::targets::TargetName;
use panel_domain::quantity_ratio::{ONE, ordered};
use panel_kernel::error::Result;

use crate::stores::orders::delivery::{self, FullFillQuantity};
use panel_platform::db::{Source, Sql, Val};
use panel_platform::work::UnitOfWork;

/// The quantity of a placement attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderedAmount {
    /// Units ordered at the panel.
    pub ordered: i64,
    /// Units that were sold; `None` if the number is the same.
    pub sold: Option<i64>,
}

impl OrderedAmount {
    /// As many units as were sold, whatever the ratio.
    #[must_use]
    pub const fn unscaled(quantity: i64) -> Self {
        Self { ordered: quantity, sold: None }
    }
}

/// The part of an order that one provider should deliver.
#[derive(Debug, Clone, Copy)]
pub struct OrderShare {
    pub order: OrderId,
    pub provider: ProviderId,
    pub quantity: i64,
}

// Rules

#[derive(Debug, Clone, sqlx::FromRow)]
struct RatioFacts {
    order_id: OrderId,
    provider_id: ProviderId,
    order_quantity: i64,
    ratio: Option<i64>,
    own_ratio: Option<i64>,
    own_ratio_max_quantity: Option<i64>,
    /// The service's type, as the panel names it; `None` if unknown.
    kind: Option<String>,
    min_quantity: Option<i64>,
    max_quantity: Option<i64>,
    has_comments: bool,
    /// Staff deliver by hand and count sold units.
    is_by_hand: bool,
}

impl RatioFacts {
    fn ratio(&self) -> i64 {
        let applies = self.own_ratio_max_quantity.is_none_or(|max| self.order_quantity <= max);
        self.own_ratio.filter(|_| applies).or(self.ratio).unwrap_or(ONE)
    }

    fn amount(&self, sold: i64) -> OrderedAmount {
        if self.is_by_hand || is_list_order(self.kind.as_deref().unwrap_or_default(), self.has_comments) {
            return OrderedAmount::unscaled(sold);
        }
        let (min, max) = (self.min_quantity.unwrap_or(1), self.max_quantity.unwrap_or(i64::MAX));
        let ordered = ordered(sold, self.ratio(), min, max);
        OrderedAmount { ordered, sold: (ordered != sold).then_some(sold) }
    }
}

/// Whether the quantity is the number of entries in the customer's list, or the service type has no quantity. The ratio cannot
/// apply then. `kind` is the service type as the external panel names it.
pub fn is_list_order(kind: &str, has_comments: bool) -> bool {
    match PanelServiceType::parse(kind) {
        Some(PanelServiceType::Default) if kind.trim().is_empty() => has_comments,
        Some(kind) => kind.quantity_source() != QuantitySource::Explicit,
        None => false,
    }
}

// Store

/// The quantity to order, by order. Each order may occur once in `shares`.
pub async fn ordered_amounts(
    work: &mut UnitOfWork,
    shares: &[OrderShare],
) -> Result<HashMap<OrderId, OrderedAmount>> {
    let facts = load_facts(work, shares).await?;
    let facts: HashMap<OrderId, RatioFacts> =
        facts.into_iter().map(|facts| (facts.order_id, facts)).collect();
    let amount = |share: &OrderShare| {
        let amount = facts.get(&share.order).map(|facts| facts.amount(share.quantity));
        (share.order, amount.unwrap_or(OrderedAmount::unscaled(share.quantity)))
    };
    Ok(shares.iter().map(amount).collect())
}

/// Stores how many units at the panel complete each order. Must run before the next attempt of the order is inserted.
pub async fn record_full_fill(
    work: &mut UnitOfWork,
    amounts: &HashMap<OrderId, OrderedAmount>,
) -> Result<()> {
    let fill = |(id, amount): (&OrderId, &OrderedAmount)| FullFillQuantity {
        id: *id,
        ordered_units: amount.ordered,
        differs_from_order: amount.sold.is_some(),
    };
    Ok(delivery::record_full_fill(work, &amounts.iter().map(fill).collect::<Vec<_>>()).await?)
}

/// How many units we would order at each of these providers for `quantity` sold units of one order.
pub async fn ordered_amounts_by_provider(
    db: &mut impl Source,
    (order, quantity): (OrderId, i64),
    providers: &[ProviderId],
) -> Result<HashMap<ProviderId, OrderedAmount>> {
    let shares: Vec<OrderShare> =
        providers.iter().map(|provider| OrderShare { order, provider: *provider, quantity }).collect();
    let facts = load_facts(db, &shares).await?;
    Ok(facts.into_iter().map(|facts| (facts.provider_id, facts.amount(quantity))).collect())
}

async fn load_facts(db: &mut impl Source, shares: &[OrderShare]) -> Result<Vec<RatioFacts>> {
    if shares.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<Vec<Val>> =
        shares.iter().map(|share| vec![share.order.into(), share.provider.into()]).collect();
    let sql = Sql::new(
        "SELECT o.id AS order_id, p.id AS provider_id, o.quantity AS order_quantity, s.order_quantity_ratio_ppm AS ratio,
           u.order_quantity_ratio_ppm AS own_ratio, u.max_order_quantity_for_use_throttle AS own_ratio_max_quantity,
           k.type AS kind, k.min_quantity, k.max_quantity,
           p.external_panel_id IS NULL AS is_by_hand, EXISTS (SELECT 1 FROM order_targetable_values v
             JOIN targets t ON t.id = v.target_id JOIN target_types y ON y.id = t.target_type_id
             WHERE v.order_id = o.id AND y.name = ?) AS has_comments FROM ",
    );
    let sql = sql.bind(TargetName::Comment.as_str()).rows("r", &["id", "provider"], rows).push(
        " JOIN orders o ON o.id = r.id JOIN services s ON s.id = o.service_id JOIN providers p ON p.id = r.provider
          LEFT JOIN user_services u ON u.user_id = o.user_id AND u.service_id = o.service_id
          LEFT JOIN external_panel_services k ON k.external_panel_id = p.external_panel_id
            AND k.external_panel_service_id = p.external_panel_service_id",
    );
    Ok(db.fetch_all(sql).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: RatioFacts = RatioFacts {
        order_id: OrderId::new(1),
        provider_id: ProviderId::new(1),
        order_quantity: 1_000,
        ratio: Some(1_100_000),
        own_ratio: None,
        own_ratio_max_quantity: None,
        kind: None,
        min_quantity: None,
        max_quantity: None,
        has_comments: false,
        is_by_hand: false,
    };

    #[test]
    fn the_customers_own_ratio_applies_up_to_its_maximum_quantity() {
        let ordered = |facts: RatioFacts| facts.amount(1_000).ordered;
        assert_eq!(PLAIN.amount(1_000), OrderedAmount { ordered: 1_100, sold: Some(1_000) });
        let own = RatioFacts { own_ratio: Some(1_250_000), ..PLAIN };
        assert_eq!(ordered(own.clone()), 1_250);
        assert_eq!(ordered(RatioFacts { own_ratio_max_quantity: Some(1_000), ..own.clone() }), 1_250);
        assert_eq!(ordered(RatioFacts { own_ratio_max_quantity: Some(999), ..own.clone() }), 1_100);
        assert_eq!(ordered(RatioFacts { own_ratio_max_quantity: Some(999), ratio: None, ..own }), 1_000);
        assert_eq!(
            RatioFacts { ratio: Some(ONE), ..PLAIN }.amount(7),
            OrderedAmount { ordered: 7, sold: None }
        );
    }

    #[test]
    fn lists_and_deliveries_by_hand_are_ordered_as_sold() {
        let is_unscaled = |facts: RatioFacts| facts.amount(10) == OrderedAmount::unscaled(10);
        let with_kind = |kind: &str| RatioFacts { kind: Some(kind.to_owned()), ..PLAIN };
        for kind in [
            "Package",
            "custom comments",
            "Custom Comments Package",
            "Mentions Custom List",
            "Comment Replies",
        ] {
            assert!(is_unscaled(with_kind(kind)), "{kind}");
        }
        for kind in ["", "Default", "Poll", "Mentions"] {
            assert!(!is_unscaled(with_kind(kind)), "{kind}");
        }
        assert!(is_unscaled(RatioFacts { has_comments: true, ..with_kind("") }));
        assert!(!is_unscaled(RatioFacts { has_comments: true, ..with_kind("Default") }));
        assert!(is_unscaled(RatioFacts { is_by_hand: true, ..PLAIN }));
    }
}
