//! How many units are ordered at a panel for the units sold. Panels lose some of the delivered units, or deliver more than was
//! ordered: `order_quantity_ratio` compensates for it.
//!
//! The customer's own ratio precedes the service's, for orders of up to `max_order_quantity_for_use_throttle` if that is set.
//! The ordered quantity is rounded up. The bounds of the panel's service limit the effect of the ratio, but never change the
//! quantity themselves. An attempt stores both numbers, so that a later change of the ratio does not affect it. Everything that
//! a customer sees or pays counts sold units.

use std::collections::HashMap;

use panel_contract::ids::{OrderId, ProviderId};
use panel_contract::panel_service_types::{PanelServiceType, QuantitySource};
use panel_contract::targets::TargetName;
use panel_domain::quantity_ratio::{ONE, ordered};
use panel_kernel::error::Result;

use crate::stores::orders::delivery::{self, FullFill};
use panel_platform::db::{Source, Sql, Val};
use panel_platform::work::UnitOfWork;

/// The quantity of a placement attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderedAmount {
    /// Units ordered at the panel.
    pub ordered: i64,
    /// Units of the order that it covers; `None` if the number is the same.
    pub sold: Option<i64>,
}

impl OrderedAmount {
    /// As many units as were sold.
    #[must_use]
    pub const fn plain(quantity: i64) -> Self {
        Self { ordered: quantity, sold: None }
    }
}

/// A quantity of an order and the provider that should deliver it.
#[derive(Debug, Clone, Copy)]
pub struct OrderShare {
    pub order: OrderId,
    pub provider: ProviderId,
    pub quantity: i64,
}

// Rules

/// Everything that decides how many units are ordered.
#[derive(Debug, Clone, sqlx::FromRow)]
struct RatioTerms {
    order_id: OrderId,
    provider_id: ProviderId,
    order_quantity: i64,
    ratio: Option<i64>,
    own_ratio: Option<i64>,
    own_most: Option<i64>,
    /// The service's type, as the panel names it; `None` if unknown.
    kind: Option<String>,
    least: Option<i64>,
    most: Option<i64>,
    has_comments: bool,
    /// Staff deliver by hand and count sold units.
    is_by_hand: bool,
}

impl RatioTerms {
    fn ratio(&self) -> i64 {
        let applies = self.own_most.is_none_or(|most| self.order_quantity <= most);
        self.own_ratio.filter(|_| applies).or(self.ratio).unwrap_or(ONE)
    }

    fn amount(&self, sold: i64) -> OrderedAmount {
        if self.is_by_hand || is_a_list(self.kind.as_deref().unwrap_or_default(), self.has_comments) {
            return OrderedAmount::plain(sold);
        }
        let ordered = ordered(sold, self.ratio(), self.least.unwrap_or(1), self.most.unwrap_or(i64::MAX));
        OrderedAmount { ordered, sold: (ordered != sold).then_some(sold) }
    }
}

/// Whether the quantity is the number of entries that the customer wrote, or there is none: the ratio cannot apply.
pub fn is_a_list(kind: &str, has_comments: bool) -> bool {
    match PanelServiceType::parse(kind) {
        Some(PanelServiceType::Default) if kind.trim().is_empty() => has_comments,
        Some(kind) => kind.quantity() != QuantitySource::Named,
        None => false,
    }
}

// Store

/// The quantity to order, by order. Each order may occur once.
pub async fn amounts(
    work: &mut UnitOfWork,
    shares: &[OrderShare],
) -> Result<HashMap<OrderId, OrderedAmount>> {
    let terms = terms(work, shares).await?;
    let terms: HashMap<OrderId, RatioTerms> =
        terms.into_iter().map(|terms| (terms.order_id, terms)).collect();
    let amount = |share: &OrderShare| {
        let amount = terms.get(&share.order).map(|terms| terms.amount(share.quantity));
        (share.order, amount.unwrap_or(OrderedAmount::plain(share.quantity)))
    };
    Ok(shares.iter().map(amount).collect())
}

/// Records how many panel units fill each order, before its next attempt is inserted.
pub async fn record_full_fill(
    work: &mut UnitOfWork,
    amounts: &HashMap<OrderId, OrderedAmount>,
) -> Result<()> {
    let fill = |(id, amount): (&OrderId, &OrderedAmount)| FullFill {
        id: *id,
        ordered: amount.ordered,
        differs: amount.sold.is_some(),
    };
    Ok(delivery::record_full_fill(work, &amounts.iter().map(fill).collect::<Vec<_>>()).await?)
}

/// The quantity that each of these providers would be ordered for `quantity` units of one order.
pub async fn amounts_by_provider(
    db: &mut impl Source,
    (order, quantity): (OrderId, i64),
    providers: &[ProviderId],
) -> Result<HashMap<ProviderId, OrderedAmount>> {
    let shares: Vec<OrderShare> =
        providers.iter().map(|provider| OrderShare { order, provider: *provider, quantity }).collect();
    let terms = terms(db, &shares).await?;
    Ok(terms.into_iter().map(|terms| (terms.provider_id, terms.amount(quantity))).collect())
}

async fn terms(db: &mut impl Source, shares: &[OrderShare]) -> Result<Vec<RatioTerms>> {
    if shares.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<Vec<Val>> =
        shares.iter().map(|share| vec![share.order.into(), share.provider.into()]).collect();
    let sql = Sql::new(
        "SELECT o.id AS order_id, p.id AS provider_id, o.quantity AS order_quantity, s.order_quantity_ratio_ppm AS ratio,
           u.order_quantity_ratio_ppm AS own_ratio, u.max_order_quantity_for_use_throttle AS own_most,
           k.type AS kind, k.min_quantity AS least, k.max_quantity AS most,
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
    Ok(db.all(sql).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: RatioTerms = RatioTerms {
        order_id: OrderId::new(1),
        provider_id: ProviderId::new(1),
        order_quantity: 1_000,
        ratio: Some(1_100_000),
        own_ratio: None,
        own_most: None,
        kind: None,
        least: None,
        most: None,
        has_comments: false,
        is_by_hand: false,
    };

    #[test]
    fn the_customers_own_ratio_applies_up_to_its_maximum_quantity() {
        let ordered = |terms: RatioTerms| terms.amount(1_000).ordered;
        assert_eq!(PLAIN.amount(1_000), OrderedAmount { ordered: 1_100, sold: Some(1_000) });
        let own = RatioTerms { own_ratio: Some(1_250_000), ..PLAIN };
        assert_eq!(ordered(own.clone()), 1_250);
        assert_eq!(ordered(RatioTerms { own_most: Some(1_000), ..own.clone() }), 1_250);
        assert_eq!(ordered(RatioTerms { own_most: Some(999), ..own.clone() }), 1_100);
        assert_eq!(ordered(RatioTerms { own_most: Some(999), ratio: None, ..own }), 1_000);
        assert_eq!(
            RatioTerms { ratio: Some(ONE), ..PLAIN }.amount(7),
            OrderedAmount { ordered: 7, sold: None }
        );
    }

    #[test]
    fn lists_and_deliveries_by_hand_are_ordered_as_sold() {
        let plain = |terms: RatioTerms| terms.amount(10) == OrderedAmount::plain(10);
        let of = |kind: &str| RatioTerms { kind: Some(kind.to_owned()), ..PLAIN };
        for kind in [
            "Package",
            "custom comments",
            "Custom Comments Package",
            "Mentions Custom List",
            "Comment Replies",
        ] {
            assert!(plain(of(kind)), "{kind}");
        }
        for kind in ["", "Default", "Poll", "Mentions"] {
            assert!(!plain(of(kind)), "{kind}");
        }
        assert!(plain(RatioTerms { has_comments: true, ..of("") }));
        assert!(!plain(RatioTerms { has_comments: true, ..of("Default") }));
        assert!(plain(RatioTerms { is_by_hand: true, ..PLAIN }));
    }
}
