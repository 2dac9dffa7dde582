//! How many a panel is ordered for what was sold, and how many of those sold its deliveries are. Panels drop some of what
//! they deliver, or deliver more than was ordered: `order_quantity_ratio` makes up for it.
//!
//! The customer's own ratio goes before the service's, for orders of up to `max_order_quantity_for_use_throttle` where
//! that is set. What is ordered is rounded up. The bounds of the panel's service hold back what the ratio adds or takes
//! away, and never make an order of their own. An attempt keeps both numbers, so that a later change of the ratio changes
//! nothing that was sent. Everything that a customer sees or pays counts what was sold.

use std::collections::HashMap;

use panel_contract::ids::{OrderId, ProviderId};
use panel_contract::panel_service_types::{PanelServiceType, QuantitySource};
use panel_contract::targets::TargetName;
use panel_domain::quantity_ratio::{ONE, ordered};
use panel_kernel::error::Result;

use crate::stores::orders::delivery::{FullFill, record_full_fill};
use panel_platform::db::{Source, Sql, Val};
use panel_platform::work::Work;

/// What an attempt is placed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Amount {
    /// What the panel is ordered.
    pub ordered: i64,
    /// How many of the order's that is for; none where it is as many.
    pub sold: Option<i64>,
}

impl Amount {
    /// As many as were sold.
    #[must_use]
    pub const fn plain(quantity: i64) -> Self {
        Self { ordered: quantity, sold: None }
    }
}

/// An order and the provider that is to deliver some of it.
#[derive(Debug, Clone, Copy)]
pub struct Share {
    /// The order.
    pub order: OrderId,
    /// Who delivers.
    pub provider: ProviderId,
    /// How many of the order's.
    pub quantity: i64,
}

// Rules

/// What decides how many are ordered.
#[derive(Debug, Clone, sqlx::FromRow)]
struct Terms {
    order_id: OrderId,
    provider_id: ProviderId,
    order_quantity: i64,
    ratio: Option<i64>,
    own_ratio: Option<i64>,
    own_most: Option<i64>,
    /// The type of the panel's service, in the panel's word; none where it is not known.
    kind: Option<String>,
    least: Option<i64>,
    most: Option<i64>,
    has_comments: bool,
    /// Staff deliver by hand, and count what was sold.
    is_by_hand: bool,
}

impl Terms {
    fn ratio(&self) -> i64 {
        let holds = self.own_most.is_none_or(|most| self.order_quantity <= most);
        self.own_ratio.filter(|_| holds).or(self.ratio).unwrap_or(ONE)
    }

    fn amount(&self, sold: i64) -> Amount {
        if self.is_by_hand || is_a_list(self.kind.as_deref().unwrap_or_default(), self.has_comments) {
            return Amount::plain(sold);
        }
        let ordered = ordered(sold, self.ratio(), self.least.unwrap_or(1), self.most.unwrap_or(i64::MAX));
        Amount { ordered, sold: (ordered != sold).then_some(sold) }
    }
}

/// Whether the quantity is the number of what the customer wrote, or none at all: there is nothing to order more of.
pub fn is_a_list(kind: &str, has_comments: bool) -> bool {
    match PanelServiceType::parse(kind) {
        Some(PanelServiceType::Default) if kind.trim().is_empty() => has_comments,
        Some(kind) => kind.quantity() != QuantitySource::Named,
        None => false,
    }
}

// Store

/// What each provider is ordered, by order; each order once.
pub async fn amounts(work: &mut Work, shares: &[Share]) -> Result<HashMap<OrderId, Amount>> {
    let terms = terms(work, shares).await?;
    let terms: HashMap<OrderId, Terms> = terms.into_iter().map(|terms| (terms.order_id, terms)).collect();
    let amount = |share: &Share| {
        let amount = terms.get(&share.order).map(|terms| terms.amount(share.quantity));
        (share.order, amount.unwrap_or(Amount::plain(share.quantity)))
    };
    Ok(shares.iter().map(amount).collect())
}

/// Records how many of the panels' units fill each order, before its next attempt is written.
pub async fn note_full_fill(work: &mut Work, amounts: &HashMap<OrderId, Amount>) -> Result<()> {
    let fill = |(id, amount): (&OrderId, &Amount)| FullFill {
        id: *id,
        ordered: amount.ordered,
        differs: amount.sold.is_some(),
    };
    Ok(record_full_fill(work, &amounts.iter().map(fill).collect::<Vec<_>>()).await?)
}

/// What each of these providers would be ordered for so many of one order, by provider.
pub async fn offered(
    db: &mut impl Source,
    (order, quantity): (OrderId, i64),
    providers: &[ProviderId],
) -> Result<HashMap<ProviderId, Amount>> {
    let shares: Vec<Share> =
        providers.iter().map(|provider| Share { order, provider: *provider, quantity }).collect();
    let terms = terms(db, &shares).await?;
    Ok(terms.into_iter().map(|terms| (terms.provider_id, terms.amount(quantity))).collect())
}

async fn terms(db: &mut impl Source, shares: &[Share]) -> Result<Vec<Terms>> {
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

    const PLAIN: Terms = Terms {
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
    fn the_customers_own_ratio_goes_first_for_orders_that_are_small_enough() {
        let ordered = |terms: Terms| terms.amount(1_000).ordered;
        assert_eq!(PLAIN.amount(1_000), Amount { ordered: 1_100, sold: Some(1_000) });
        let own = Terms { own_ratio: Some(1_250_000), ..PLAIN };
        assert_eq!(ordered(own.clone()), 1_250);
        assert_eq!(ordered(Terms { own_most: Some(1_000), ..own.clone() }), 1_250);
        assert_eq!(ordered(Terms { own_most: Some(999), ..own.clone() }), 1_100);
        assert_eq!(ordered(Terms { own_most: Some(999), ratio: None, ..own }), 1_000);
        assert_eq!(Terms { ratio: Some(ONE), ..PLAIN }.amount(7), Amount { ordered: 7, sold: None });
    }

    #[test]
    fn lists_and_what_is_delivered_by_hand_are_ordered_as_sold() {
        let plain = |terms: Terms| terms.amount(10) == Amount::plain(10);
        let of = |kind: &str| Terms { kind: Some(kind.to_owned()), ..PLAIN };
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
        assert!(plain(Terms { has_comments: true, ..of("") }));
        assert!(!plain(Terms { has_comments: true, ..of("Default") }));
        assert!(plain(Terms { is_by_hand: true, ..PLAIN }));
    }
}
