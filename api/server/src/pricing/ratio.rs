//! Calculates how many units we order at an external panel for the units that we sold. Some external panels deliver fewer or more
//! units than we order; the ratio `order_quantity_ratio` compensates for the difference.
//!
//! A ratio of the customer replaces the service's ratio. If `max_order_quantity_for_use_throttle` is set, the customer's ratio
//! applies only to orders of up to that many units. The ordered quantity is rounded up. The ratio never moves a quantity out of the
//! minimum and maximum quantity of the external panel's service, but a sold quantity outside of these limits stays unchanged. A
//! placement attempt stores both quantities, so that a later change of the ratio does not affect the attempt. Customers see sold
//! units and pay for them.

use std::collections::HashMap;

use panel_contract::ids::{OrderId, ProviderId};
use panel_contract::panel_service_types::{PanelServiceType, QuantitySource};
use panel_contract::targets::TargetName;
use panel_domain::quantity_ratio::{self, ONE};
use panel_kernel::error::Result;

use crate::stores::orders::delivery::{self, FullFillQuantity};
use panel_platform::db::{Sql, SqlExecutor, Val};
use panel_platform::work::UnitOfWork;

/// The quantity of a placement attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderedQuantity {
    /// Units ordered at the external panel.
    pub ordered: i64,
    /// Units that were sold; `None` if the number is the same.
    pub sold: Option<i64>,
}

impl OrderedQuantity {
    /// Orders as many units as were sold and ignores the ratio.
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
    /// The type of the service as a string of the external panel; `None` if unknown.
    kind: Option<String>,
    min_quantity: Option<i64>,
    max_quantity: Option<i64>,
    has_comments: bool,
    /// Staff deliver by hand, so that sold and ordered units are the same.
    is_by_hand: bool,
}

impl RatioFacts {
    fn effective_ratio(&self) -> i64 {
        let own_ratio_applies = self.own_ratio_max_quantity.is_none_or(|max| self.order_quantity <= max);
        self.own_ratio.filter(|_| own_ratio_applies).or(self.ratio).unwrap_or(ONE)
    }

    fn ordered_quantity(&self, sold: i64) -> OrderedQuantity {
        if self.is_by_hand || is_list_order(self.kind.as_deref().unwrap_or_default(), self.has_comments) {
            return OrderedQuantity::unscaled(sold);
        }
        let (min, max) = (self.min_quantity.unwrap_or(1), self.max_quantity.unwrap_or(i64::MAX));
        let ordered = quantity_ratio::quantity_to_order(sold, self.effective_ratio(), min, max);
        OrderedQuantity { ordered, sold: (ordered != sold).then_some(sold) }
    }
}

/// Whether the quantity is the number of entries in the customer's list, or the type of service has no quantity. In both cases no
/// ratio can apply. `kind` is the type of the service as a string of the external panel.
pub fn is_list_order(kind: &str, has_comments: bool) -> bool {
    match PanelServiceType::parse(kind) {
        Some(PanelServiceType::Default) if kind.trim().is_empty() => has_comments,
        Some(kind) => kind.quantity_source() != QuantitySource::Explicit,
        None => false,
    }
}

// Store

/// Loads the ratios and calculates the quantity to order for each order. `shares` must contain each order at most once.
pub async fn load_ordered_quantities(
    work: &mut UnitOfWork,
    shares: &[OrderShare],
) -> Result<HashMap<OrderId, OrderedQuantity>> {
    let facts = load_facts(work, shares).await?;
    let facts: HashMap<OrderId, RatioFacts> =
        facts.into_iter().map(|facts| (facts.order_id, facts)).collect();
    let order_and_quantity = |share: &OrderShare| {
        let quantity = facts.get(&share.order).map(|facts| facts.ordered_quantity(share.quantity));
        (share.order, quantity.unwrap_or(OrderedQuantity::unscaled(share.quantity)))
    };
    Ok(shares.iter().map(order_and_quantity).collect())
}

/// Stores how many units of the external panel complete each order. The caller must do this before it inserts the next placement
/// attempt of the order.
pub async fn record_full_fill(
    work: &mut UnitOfWork,
    quantities: &HashMap<OrderId, OrderedQuantity>,
) -> Result<()> {
    let to_full_fill = |(id, quantity): (&OrderId, &OrderedQuantity)| FullFillQuantity {
        id: *id,
        ordered_units: quantity.ordered,
        differs_from_order: quantity.sold.is_some(),
    };
    Ok(delivery::record_full_fill(work, &quantities.iter().map(to_full_fill).collect::<Vec<_>>()).await?)
}

/// Loads the ratios and calculates how many units we would order at each of these providers for `quantity` sold units of one order.
pub async fn load_ordered_quantities_by_provider(
    db: &mut impl SqlExecutor,
    (order, quantity): (OrderId, i64),
    providers: &[ProviderId],
) -> Result<HashMap<ProviderId, OrderedQuantity>> {
    let shares: Vec<OrderShare> =
        providers.iter().map(|provider| OrderShare { order, provider: *provider, quantity }).collect();
    let facts = load_facts(db, &shares).await?;
    Ok(facts.into_iter().map(|facts| (facts.provider_id, facts.ordered_quantity(quantity))).collect())
}

async fn load_facts(db: &mut impl SqlExecutor, shares: &[OrderShare]) -> Result<Vec<RatioFacts>> {
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

    const WITH_SERVICE_RATIO: RatioFacts = RatioFacts {
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
    fn the_ratio_of_the_customer_applies_up_to_its_maximum_quantity() {
        let ordered_units = |facts: RatioFacts| facts.ordered_quantity(1_000).ordered;
        assert_eq!(
            WITH_SERVICE_RATIO.ordered_quantity(1_000),
            OrderedQuantity { ordered: 1_100, sold: Some(1_000) }
        );
        let with_own_ratio = RatioFacts { own_ratio: Some(1_250_000), ..WITH_SERVICE_RATIO };
        assert_eq!(ordered_units(with_own_ratio.clone()), 1_250);
        assert_eq!(
            ordered_units(RatioFacts { own_ratio_max_quantity: Some(1_000), ..with_own_ratio.clone() }),
            1_250
        );
        assert_eq!(
            ordered_units(RatioFacts { own_ratio_max_quantity: Some(999), ..with_own_ratio.clone() }),
            1_100
        );
        assert_eq!(
            ordered_units(RatioFacts { own_ratio_max_quantity: Some(999), ratio: None, ..with_own_ratio }),
            1_000
        );
        assert_eq!(
            RatioFacts { ratio: Some(ONE), ..WITH_SERVICE_RATIO }.ordered_quantity(7),
            OrderedQuantity { ordered: 7, sold: None }
        );
    }

    #[test]
    fn the_ratio_does_not_apply_to_lists_and_deliveries_by_hand() {
        let is_unscaled = |facts: RatioFacts| facts.ordered_quantity(10) == OrderedQuantity::unscaled(10);
        let with_kind = |kind: &str| RatioFacts { kind: Some(kind.to_owned()), ..WITH_SERVICE_RATIO };
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
        assert!(is_unscaled(RatioFacts { is_by_hand: true, ..WITH_SERVICE_RATIO }));
    }
}
