//! Prices that follow a panel, and what keeps everything else above what the panel asks: pure.

use panel_contract::amount::{Fraction, Money};
use panel_contract::external_services::{SyncField, SyncState};

use super::judge::{Change, FieldValue, Provider, Sold, SyncPolicy, Verdict, made};
use panel_domain::imports;
use panel_domain::least_margin::price_with_margin;

/// A cost in our currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// What is asked.
    pub price: Money,
    /// For how many units.
    pub per: i64,
}

impl Cost {
    /// As a price of a service for `per` units by its ratio; none where that is more than any price may be.
    fn priced(self, service: &Sold, margin: Fraction) -> Option<Money> {
        let cost = self.price.scaled_up(service.ratio.0.max(Money::UNIT), Money::UNIT, 6).ok()?;
        let price = price_with_margin(cost, self.per, service.per, margin).ok()?;
        (price.0 <= imports::DEAREST).then_some(price)
    }
}

/// A price follows at once, unless it jumps; then it waits, and what it would sell at a loss is off sale meanwhile. `per`
/// is for how many units the panel asks it: a service that became a package is sold by the piece.
pub(super) fn judge(
    policy: &SyncPolicy,
    provider: &Provider,
    (asked, per): (Money, i64),
    verdict: &mut Verdict,
) {
    let (old, new) = (FieldValue::Money(provider.price), FieldValue::Money(asked));
    let change = made(provider, None, SyncField::SourcePrice, old, new);
    let own = |price, currency: &str| policy.rates.to_own(price, currency);
    let (Some(before), Some(after)) = (own(provider.price, &provider.currency), own(asked, &policy.currency))
    else {
        verdict.lacks_rate = true;
        return;
    };
    let is_same = provider.price == asked && provider.currency == policy.currency && provider.per == per;
    // Compared for as many units as the panel asks it for now; what no amount holds is a jump.
    let jumps = !is_same
        && before
            .scaled_up(per, provider.per.max(1), 6)
            .map_or(true, |before| imports::jumps(before, after, policy.jump));
    match &provider.on_price {
        Some(standing) if jumps && standing.new == change.new.to_string() => {}
        standing => {
            verdict.over.extend(standing.as_ref().map(|standing| standing.id));
            if !is_same {
                let state = if jumps { SyncState::Held } else { SyncState::Applied };
                verdict.changes.push(Change { state, ..change });
            }
        }
    }
    let after = Cost { price: after, per };
    let cost = if jumps { Cost { price: before, per: provider.per } } else { after };
    verdict.changes.extend(follow(policy, provider, cost, after));
}

/// What prices of services become, when `cost` is what counts and `asked` what the panel really asks, both in our currency.
#[must_use]
pub fn follow(policy: &SyncPolicy, provider: &Provider, cost: Cost, asked: Cost) -> Vec<Change> {
    let of = |service| one(policy, provider, service, cost, asked);
    provider.services.iter().flat_map(of).collect()
}

fn one(policy: &SyncPolicy, provider: &Provider, service: &Sold, cost: Cost, asked: Cost) -> Vec<Change> {
    // The other providers of the service may deliver an order as well: what the dearest of them asks counts too.
    let others = service.others_lowest;
    let priced = |cost: Cost, margin| cost.priced(service, margin).map(|price| price.max(others));
    let least = imports::margin(None, policy.least);
    let wanted = priced(cost, imports::margin(service.margin.or(policy.margin), policy.least));
    let (price, lowest) = match (service.follows_price, wanted, priced(cost, least)) {
        (true, Some(price), Some(lowest)) => (price, lowest),
        _ => (service.price, service.floor),
    };
    // What costs more than anything may be sold for cannot be sold.
    let floor = priced(asked, least).filter(|floor| price >= *floor);
    // Discounts and own prices stay above what the panel takes already, also where the price is staff's own or waits.
    let lowest = floor.map_or(lowest, |floor| lowest.max(floor));
    let mut changes = vec![
        (SyncField::DefaultPrice, FieldValue::Money(service.price), FieldValue::Money(price)),
        (SyncField::MinPrice, FieldValue::Money(service.floor), FieldValue::Money(lowest)),
    ];
    let is_loss = floor.is_none();
    if is_loss || service.is_off_by_sync {
        changes.push((SyncField::IsDeactivated, FieldValue::Flag(service.is_off), FieldValue::Flag(is_loss)));
    }
    if !is_loss && service.own_least.is_some_and(|own| own < lowest) {
        changes.push((SyncField::OwnPrices, FieldValue::Money(service.floor), FieldValue::Money(lowest)));
    }
    let changed_fields = changes.into_iter().filter(|(_, old, new)| old != new);
    changed_fields.map(|(field, old, new)| made(provider, Some(service.id), field, old, new)).collect()
}
