//! Recalculates service prices after an external panel changed its price, so that no service is sold below its cost and the
//! minimum margin. Pure.

use panel_contract::amount::{Fraction, Money};
use panel_contract::external_services::{SyncField, SyncState};

use super::compare::{
    FieldValue, SyncChange, SyncComparison, SyncPolicy, SyncedProvider, SyncedService, applied,
};
use panel_domain::imports;
use panel_domain::least_margin::price_with_margin;

/// What a provider charges, in our currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// The cost of `pricing_per` units.
    pub amount: Money,
    pub pricing_per: i64,
}

impl Cost {
    /// The price of the service, with its quantity ratio and this margin; `None` if it is above the limit of a price.
    fn price_of(self, service: &SyncedService, margin: Fraction) -> Option<Money> {
        let ratio = service.order_quantity_ratio.0.max(Money::MILLIONTHS_PER_UNIT);
        let cost = self.amount.scaled_rounded_up(ratio, Money::MILLIONTHS_PER_UNIT, 6).ok()?;
        let price = price_with_margin(cost, self.pricing_per, service.pricing_per, margin).ok()?;
        (price.0 <= imports::MAX_PRICE).then_some(price)
    }
}

/// Compares the price of a provider with the listed price, which is for `listed_per` units: a service that became a package
/// is sold by the piece. A price jump is held, and services that it would sell at a loss are deactivated until then.
pub(super) fn compare_price(
    policy: &SyncPolicy,
    provider: &SyncedProvider,
    (listed_price, listed_per): (Money, i64),
    comparison: &mut SyncComparison,
) {
    let (old, new) = (FieldValue::Money(provider.price), FieldValue::Money(listed_price));
    let change = applied(provider, None, SyncField::SourcePrice, old, new);
    let to_own_currency = |price, currency: &str| policy.rates.to_own_currency(price, currency);
    let (Some(current_amount), Some(listed_amount)) = (
        to_own_currency(provider.price, &provider.currency),
        to_own_currency(listed_price, &policy.currency),
    ) else {
        comparison.lacks_exchange_rate = true;
        return;
    };
    let is_same = provider.price == listed_price
        && provider.currency == policy.currency
        && provider.pricing_per == listed_per;
    // Both amounts are compared for `listed_per` units. If the scaled amount overflows, the change counts as a jump.
    let is_jump = !is_same
        && current_amount
            .scaled_rounded_up(listed_per, provider.pricing_per.max(1), 6)
            .map_or(true, |current_amount| {
                imports::is_price_jump(current_amount, listed_amount, policy.price_jump_limit)
            });
    match &provider.held_or_refused_price {
        Some(held_or_refused) if is_jump && held_or_refused.new_value == change.new.to_string() => {}
        held_or_refused => {
            comparison.outdated.extend(held_or_refused.as_ref().map(|change| change.id));
            if !is_same {
                let state = if is_jump { SyncState::Held } else { SyncState::Applied };
                comparison.changes.push(SyncChange { state, ..change });
            }
        }
    }
    let listed_cost = Cost { amount: listed_amount, pricing_per: listed_per };
    let accepted_cost = match is_jump {
        true => Cost { amount: current_amount, pricing_per: provider.pricing_per },
        false => listed_cost,
    };
    comparison.changes.extend(reprice_services(policy, provider, accepted_cost, listed_cost));
}

/// The price changes of the provider's services. `accepted_cost` is the cost that prices are calculated from; `listed_cost` is
/// what the panel charges now, and differs from it while a price jump is held.
#[must_use]
pub fn reprice_services(
    policy: &SyncPolicy,
    provider: &SyncedProvider,
    accepted_cost: Cost,
    listed_cost: Cost,
) -> Vec<SyncChange> {
    let changes = |service| reprice_service(policy, provider, service, accepted_cost, listed_cost);
    provider.services.iter().flat_map(changes).collect()
}

fn reprice_service(
    policy: &SyncPolicy,
    provider: &SyncedProvider,
    service: &SyncedService,
    accepted_cost: Cost,
    listed_cost: Cost,
) -> Vec<SyncChange> {
    // An order may also go to another provider of the service, so the most expensive one sets the lowest price.
    let by_others = service.lowest_price_by_other_providers;
    let price_at = |cost: Cost, margin| cost.price_of(service, margin).map(|price| price.max(by_others));
    let min_margin = imports::effective_margin(None, policy.min_margin);
    let margin = imports::effective_margin(service.margin.or(policy.panel_margin), policy.min_margin);
    let (price, min_price) =
        match (service.sync_price, price_at(accepted_cost, margin), price_at(accepted_cost, min_margin)) {
            (true, Some(price), Some(min_price)) => (price, min_price),
            _ => (service.price, service.min_price),
        };
    // `None` means a loss: the price is below the listed cost with the minimum margin, or that is above the limit of a price.
    let break_even_price = price_at(listed_cost, min_margin).filter(|break_even| price >= *break_even);
    // Discounts and customers' own prices stay above what the panel charges now, also if the price is not synced or is held.
    let min_price = break_even_price.map_or(min_price, |break_even| min_price.max(break_even));
    let mut changes = vec![
        (SyncField::DefaultPrice, FieldValue::Money(service.price), FieldValue::Money(price)),
        (SyncField::MinPrice, FieldValue::Money(service.min_price), FieldValue::Money(min_price)),
    ];
    let is_loss = break_even_price.is_none();
    if is_loss || service.deactivated_by_sync {
        let old = FieldValue::Flag(service.is_deactivated);
        changes.push((SyncField::IsDeactivated, old, FieldValue::Flag(is_loss)));
    }
    if !is_loss && service.lowest_customer_price.is_some_and(|customer_price| customer_price < min_price) {
        let old = FieldValue::Money(service.min_price);
        changes.push((SyncField::OwnPrices, old, FieldValue::Money(min_price)));
    }
    let changed_fields = changes.into_iter().filter(|(_, old, new)| old != new);
    changed_fields.map(|(field, old, new)| applied(provider, Some(service.id), field, old, new)).collect()
}
