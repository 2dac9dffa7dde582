//! Recalculates service prices after an external panel changed its price, so that no service is sold below its cost plus the
//! minimum margin. This module does not access the database.

use panel_contract::amount::{Fraction, Money};
use panel_contract::external_services::{SyncField, SyncState};

use super::compare::{
    FieldValue, SyncChange, SyncComparison, SyncPolicy, SyncedProvider, SyncedService, applied_change,
};
use panel_domain::imports;
use panel_domain::minimum_margin::price_with_margin;

/// The cost of a provider in our own currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// The cost for `pricing_per` units.
    pub amount: Money,
    pub pricing_per: i64,
}

impl Cost {
    /// Calculates the price of the service from its quantity ratio and this margin; `None` if the price is above the maximum price.
    fn price_with_ratio_and_margin(self, service: &SyncedService, margin: Fraction) -> Option<Money> {
        let ratio = service.order_quantity_ratio.0.max(Money::MILLIONTHS_PER_UNIT);
        let cost = self.amount.scaled_rounded_up(ratio, Money::MILLIONTHS_PER_UNIT, 6).ok()?;
        let price = price_with_margin(cost, self.pricing_per, service.pricing_per, margin).ok()?;
        (price.0 <= imports::MAX_PRICE).then_some(price)
    }
}

/// Compares the price of a provider with the listed price, which is for `listed_per` units: it can differ from the stored number of
/// units, because packages are priced per piece. If the price changed by more than the price jump limit, the change is held for
/// approval, and services that would be sold at a loss are deactivated until then.
pub(super) fn compare_price(
    policy: &SyncPolicy,
    provider: &SyncedProvider,
    (listed_price, listed_per): (Money, i64),
    comparison: &mut SyncComparison,
) {
    let (old, new) = (FieldValue::Money(provider.price), FieldValue::Money(listed_price));
    let change = applied_change(provider, None, SyncField::SourcePrice, old, new);
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
    // Both amounts are compared for `listed_per` units. If the scaled amount overflows, the change counts as a price jump.
    let is_jump = !is_same
        && current_amount
            .scaled_rounded_up(listed_per, provider.pricing_per.max(1), 6)
            .map_or(true, |current_amount| {
                imports::is_price_jump(current_amount, listed_amount, policy.price_jump_limit)
            });
    match &provider.held_or_rejected_price {
        Some(held_or_rejected) if is_jump && held_or_rejected.new_value == change.new.to_string() => {}
        held_or_rejected => {
            comparison.outdated_ids.extend(held_or_rejected.as_ref().map(|change| change.id));
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

/// Calculates the price changes of the provider's services. Prices are calculated from `accepted_cost`. `listed_cost` is the cost
/// that the external panel lists now; it differs from `accepted_cost` while a price jump is held.
#[must_use]
pub fn reprice_services(
    policy: &SyncPolicy,
    provider: &SyncedProvider,
    accepted_cost: Cost,
    listed_cost: Cost,
) -> Vec<SyncChange> {
    let to_changes = |service| reprice_service(policy, provider, service, accepted_cost, listed_cost);
    provider.services.iter().flat_map(to_changes).collect()
}

fn reprice_service(
    policy: &SyncPolicy,
    provider: &SyncedProvider,
    service: &SyncedService,
    accepted_cost: Cost,
    listed_cost: Cost,
) -> Vec<SyncChange> {
    // An order may also be sent to another provider of the service, so the most expensive provider determines the lowest price.
    let lowest_price_by_others = service.lowest_price_by_other_providers;
    let calculate_price = |cost: Cost, margin| {
        cost.price_with_ratio_and_margin(service, margin).map(|price| price.max(lowest_price_by_others))
    };
    let min_margin = imports::effective_margin(None, policy.min_margin);
    let margin = imports::effective_margin(service.margin.or(policy.panel_margin), policy.min_margin);
    let (price, min_price) = match (
        service.sync_price,
        calculate_price(accepted_cost, margin),
        calculate_price(accepted_cost, min_margin),
    ) {
        (true, Some(price), Some(min_price)) => (price, min_price),
        _ => (service.price, service.min_price),
    };
    // The lowest price without a loss, which is the listed cost plus the minimum margin. `None` if the service would be sold at a
    // loss, because its price is lower or because the lowest price is above the maximum price.
    let lowest_price_without_loss =
        calculate_price(listed_cost, min_margin).filter(|lowest_price| price >= *lowest_price);
    // Discounts and customer prices never lower the price below the listed cost, even if the price is not synced or a price jump is
    // held.
    let min_price = lowest_price_without_loss.map_or(min_price, |lowest_price| min_price.max(lowest_price));
    let mut changes = vec![
        (SyncField::DefaultPrice, FieldValue::Money(service.price), FieldValue::Money(price)),
        (SyncField::MinPrice, FieldValue::Money(service.min_price), FieldValue::Money(min_price)),
    ];
    let is_loss = lowest_price_without_loss.is_none();
    if is_loss || service.deactivated_by_sync {
        let old = FieldValue::Flag(service.is_deactivated);
        changes.push((SyncField::IsDeactivated, old, FieldValue::Flag(is_loss)));
    }
    if !is_loss && service.lowest_customer_price.is_some_and(|customer_price| customer_price < min_price) {
        let old = FieldValue::Money(service.min_price);
        changes.push((SyncField::OwnPrices, old, FieldValue::Money(min_price)));
    }
    let changed_fields = changes.into_iter().filter(|(_, old, new)| old != new);
    changed_fields
        .map(|(field, old, new)| applied_change(provider, Some(service.id), field, old, new))
        .collect()
}
