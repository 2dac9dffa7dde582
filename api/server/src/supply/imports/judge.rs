//! What follows from what a panel says of one of its services: pure. The same rule finds changes, judges them again under
//! the lock, and makes them when somebody says yes.

use std::fmt;

use panel_contract::amount::{Fraction, Money};
use panel_contract::external_services::{SyncField, SyncState};

use super::kept::Said;
use super::rules;
use crate::db::Val;
use crate::supply::rates::Rates;

/// A value that changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Worth {
    /// A price.
    Money(Money),
    /// A quantity.
    Whole(i64),
    /// A switch.
    Flag(bool),
    /// A name.
    Text(String),
}

impl fmt::Display for Worth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Money(value) => value.fmt(f),
            Self::Whole(value) => value.fmt(f),
            Self::Flag(value) => value.fmt(f),
            Self::Text(value) => value.fmt(f),
        }
    }
}

impl From<&Worth> for Val {
    fn from(worth: &Worth) -> Self {
        match worth {
            Worth::Money(value) => (*value).into(),
            Worth::Whole(value) => (*value).into(),
            Worth::Flag(value) => (*value).into(),
            Worth::Text(value) => (&**value).into(),
        }
    }
}

/// What a panel's services are followed by.
#[derive(Debug, Clone, Default)]
pub struct Terms {
    /// Whether providers vanish and come back.
    pub availability: bool,
    /// Whether prices follow.
    pub prices: bool,
    /// Whether names follow.
    pub names: bool,
    /// Whether the smallest and largest order follow.
    pub bounds: bool,
    /// The panel's currency.
    pub currency: String,
    /// The largest change of a price that is made by itself.
    pub jump: Fraction,
    /// The panel's own margin.
    pub margin: Option<Fraction>,
    /// The least margin of all.
    pub least: Option<Fraction>,
    /// Currencies.
    pub rates: Rates,
}

/// The last word on a provider's field: held, or refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The change.
    pub id: i64,
    /// What it would become.
    pub new: String,
}

/// A provider of a panel.
#[derive(Debug, Clone, Default)]
pub struct Provider {
    /// Its id.
    pub id: i64,
    /// The service's id there.
    pub there: String,
    /// What the panel asked.
    pub price: Money,
    /// In which currency.
    pub currency: String,
    /// For how many units.
    pub per: i64,
    /// Whether it delivers.
    pub is_active: bool,
    /// Whether somebody has confirmed that the panel no longer sells it.
    pub is_vanished: bool,
    /// The last word on its price.
    pub on_price: Option<Standing>,
    /// The last word on whether it is sold.
    pub on_availability: Option<Standing>,
    /// Services of which it is the first that delivers.
    pub services: Vec<Sold>,
}

/// A service that follows a provider.
#[derive(Debug, Clone, Default)]
pub struct Sold {
    /// Its id.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// What customers pay.
    pub price: Money,
    /// Below it no discount goes.
    pub floor: Money,
    /// For how many units.
    pub per: i64,
    /// Smallest order.
    pub min: i64,
    /// Largest order.
    pub max: i64,
    /// Its own margin.
    pub margin: Option<Fraction>,
    /// Whether its price follows.
    pub follows_price: bool,
    /// Whether its name follows.
    pub follows_name: bool,
    /// Whether its bounds follow.
    pub follows_bounds: bool,
    /// Off sale.
    pub is_off: bool,
    /// Off sale because a sync said so.
    pub is_off_by_sync: bool,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The provider.
    pub provider: i64,
    /// The service's id there.
    pub there: String,
    /// The service, where one of ours changes.
    pub service: Option<i64>,
    /// What changes.
    pub field: SyncField,
    /// As it was.
    pub old: Worth,
    /// As it will be.
    pub new: Worth,
    /// Whether it is made or held.
    pub state: SyncState,
}

/// What follows.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Changes to make and to hold.
    pub changes: Vec<Change>,
    /// Last words that no longer stand.
    pub over: Vec<i64>,
    /// A price could not be judged, as its currency has no exchange rate.
    pub lacks_rate: bool,
}

impl Verdict {
    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.over.is_empty()
    }
}

/// What follows for a provider; `said` is none where the panel's whole list does not have it.
#[must_use]
pub fn judge(terms: &Terms, provider: &Provider, said: Option<&Said>) -> Verdict {
    let mut verdict = Verdict::default();
    if terms.availability {
        availability(provider, said.is_some(), &mut verdict);
    }
    let Some(said) = said else { return verdict };
    if terms.prices {
        price(terms, provider, said.rate, &mut verdict);
    }
    for service in &provider.services {
        if terms.names && service.follows_name && service.name != said.name {
            let (old, new) = (Worth::Text(service.name.clone()), Worth::Text(said.name.clone()));
            verdict.changes.push(made(provider, Some(service.id), SyncField::Name, old, new));
        }
        if terms.bounds && service.follows_bounds {
            for (field, old, new) in [
                (SyncField::MinQuantity, service.min, said.min),
                (SyncField::MaxQuantity, service.max, said.max),
            ] {
                if old != new {
                    let (old, new) = (Worth::Whole(old), Worth::Whole(new));
                    verdict.changes.push(made(provider, Some(service.id), field, old, new));
                }
            }
        }
    }
    verdict
}

fn made(provider: &Provider, service: Option<i64>, field: SyncField, old: Worth, new: Worth) -> Change {
    let (id, there) = (provider.id, provider.there.clone());
    Change { provider: id, there, service, field, old, new, state: SyncState::Applied }
}

/// One that vanishes waits for a yes; one that comes back does so by itself.
fn availability(provider: &Provider, is_sold: bool, verdict: &mut Verdict) {
    let change = made(provider, None, SyncField::Availability, Worth::Flag(!is_sold), Worth::Flag(is_sold));
    match (is_sold, &provider.on_availability) {
        (false, None) if provider.is_active => {
            verdict.changes.push(Change { state: SyncState::Held, ..change });
        }
        (true, standing) => {
            verdict.over.extend(standing.as_ref().map(|standing| standing.id));
            if provider.is_vanished && !provider.is_active {
                verdict.changes.push(change);
            }
        }
        (false, _) => {}
    }
}

/// A price follows at once, unless it jumps; then it waits, and what it would sell at a loss is off sale meanwhile.
fn price(terms: &Terms, provider: &Provider, asked: Money, verdict: &mut Verdict) {
    let (old, new) = (Worth::Money(provider.price), Worth::Money(asked));
    let change = made(provider, None, SyncField::SourcePrice, old, new);
    let own = |price, currency: &str| terms.rates.to_own(price, currency);
    let (Some(before), Some(after)) = (own(provider.price, &provider.currency), own(asked, &terms.currency))
    else {
        verdict.lacks_rate = true;
        return;
    };
    let is_same = provider.price == asked && provider.currency == terms.currency;
    let jumps = !is_same && rules::jumps(before, after, terms.jump);
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
    let cost = if jumps { before } else { after };
    verdict.changes.extend(follow(terms, provider, cost, after));
}

/// What prices of services become, when `cost` is what counts and `asked` what the panel really asks, both in our currency.
#[must_use]
pub fn follow(terms: &Terms, provider: &Provider, cost: Money, asked: Money) -> Vec<Change> {
    let mut changes = Vec::new();
    let least = rules::margin(None, terms.least);
    for service in &provider.services {
        let priced = |cost, margin| {
            let price = rules::priced(cost, provider.per, service.per, margin).ok();
            price.filter(|price| price.0 <= rules::DEAREST)
        };
        let mut price = service.price;
        if service.follows_price {
            let margin = rules::margin(service.margin.or(terms.margin), terms.least);
            if let (Some(wanted), Some(floor)) = (priced(cost, margin), priced(cost, least)) {
                price = wanted;
                for (field, old, new) in [
                    (SyncField::DefaultPrice, service.price, wanted),
                    (SyncField::MinPrice, service.floor, floor),
                ] {
                    if old != new {
                        let (old, new) = (Worth::Money(old), Worth::Money(new));
                        changes.push(made(provider, Some(service.id), field, old, new));
                    }
                }
            }
        }
        // What costs more than anything may be sold for cannot be sold.
        let is_loss = priced(asked, least).is_none_or(|floor| price < floor);
        if is_loss != service.is_off && (is_loss || service.is_off_by_sync) {
            let (old, new) = (Worth::Flag(service.is_off), Worth::Flag(is_loss));
            changes.push(made(provider, Some(service.id), SyncField::IsDeactivated, old, new));
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::supply::reseller::read;

    fn money(text: &str) -> Money {
        text.parse().unwrap()
    }

    fn share(text: &str) -> Fraction {
        text.parse().unwrap()
    }

    fn terms() -> Terms {
        Terms {
            availability: true,
            prices: true,
            names: true,
            bounds: true,
            jump: share("0.2"),
            least: Some(share("0.1")),
            ..Terms::default()
        }
    }

    fn said(rate: &str) -> Said {
        let list =
            serde_json::json!([{ "service": 7, "name": "Likes", "rate": rate, "min": "10", "max": "1000" }]);
        Said::of(&read::catalogue(&list).unwrap().services[0])
    }

    fn provider(price: &str, follows_price: bool) -> Provider {
        let service = Sold {
            id: 5,
            name: "Likes".into(),
            price: money("1.3"),
            floor: money("1.1"),
            per: 1_000,
            min: 10,
            max: 1_000,
            margin: Some(share("0.3")),
            follows_price,
            follows_name: true,
            follows_bounds: true,
            ..Sold::default()
        };
        Provider {
            id: 3,
            there: "7".into(),
            price: money(price),
            per: 1_000,
            is_active: true,
            services: vec![service],
            ..Provider::default()
        }
    }

    fn words(verdict: &Verdict) -> Vec<String> {
        verdict
            .changes
            .iter()
            .map(|change| format!("{} {} {} {}", change.field, change.old, change.new, change.state))
            .collect()
    }

    #[test]
    fn what_is_as_it_was_changes_nothing() {
        assert!(judge(&terms(), &provider("1", true), Some(&said("1"))).is_empty());
    }

    #[test]
    fn a_price_follows_with_its_margin_or_the_service_goes_off_sale() {
        let found = judge(&terms(), &provider("1", true), Some(&said("1.2")));
        let wanted =
            ["source_price 1 1.2 applied", "default_price 1.3 1.56 applied", "min_price 1.1 1.32 applied"];
        assert_eq!(words(&found), wanted);
        let found = judge(&terms(), &provider("1", false), Some(&said("1.2")));
        assert_eq!(words(&found), ["source_price 1 1.2 applied", "is_deactivated false true applied"]);
        let mut off = provider("1.2", false);
        (off.services[0].is_off, off.services[0].is_off_by_sync) = (true, true);
        let found = judge(&terms(), &off, Some(&said("1")));
        assert_eq!(words(&found), ["source_price 1.2 1 applied", "is_deactivated true false applied"]);
        off.services[0].is_off_by_sync = false;
        assert_eq!(
            words(&judge(&terms(), &off, Some(&said("1")))),
            ["source_price 1.2 1 applied"],
            "staff's own"
        );
    }

    #[test]
    fn a_jump_waits_and_nothing_is_sold_at_a_loss_meanwhile() {
        let found = judge(&terms(), &provider("1", true), Some(&said("3")));
        assert_eq!(words(&found), ["source_price 1 3 held", "is_deactivated false true applied"]);
        let found = judge(&terms(), &provider("1", true), Some(&said("0.1")));
        assert_eq!(words(&found), ["source_price 1 0.1 held"], "a fall is no loss");
        let mut held = provider("1", true);
        held.on_price = Some(Standing { id: 9, new: "3".into() });
        (held.services[0].is_off, held.services[0].is_off_by_sync) = (true, true);
        assert!(judge(&terms(), &held, Some(&said("3"))).is_empty(), "the same is not asked twice");
        let found = judge(&terms(), &held, Some(&said("4")));
        assert_eq!((words(&found), found.over), (vec!["source_price 1 4 held".into()], vec![9]));
        let found = judge(&terms(), &held, Some(&said("1")));
        assert_eq!((words(&found), found.over), (vec!["is_deactivated true false applied".into()], vec![9]));
    }

    #[test]
    fn one_that_vanishes_waits_and_comes_back_by_itself() {
        let mut gone = provider("1", true);
        assert_eq!(words(&judge(&terms(), &gone, None)), ["availability true false held"]);
        gone.on_availability = Some(Standing { id: 4, new: "false".into() });
        assert!(judge(&terms(), &gone, None).is_empty());
        assert_eq!(judge(&terms(), &gone, Some(&said("1"))).over, [4]);
        (gone.on_availability, gone.is_active, gone.is_vanished) = (None, false, true);
        assert_eq!(words(&judge(&terms(), &gone, Some(&said("1")))), ["availability false true applied"]);
        assert!(judge(&terms(), &gone, None).is_empty());
    }

    #[test]
    fn switches_decide_what_follows() {
        let none = Terms { availability: false, prices: false, names: false, bounds: false, ..terms() };
        let mut other = provider("9", true);
        (other.services[0].name, other.services[0].min) = ("Hearts".into(), 5);
        assert!(judge(&none, &other, Some(&said("1"))).is_empty() && judge(&none, &other, None).is_empty());
        let only = Terms { names: true, bounds: true, ..none };
        let wanted = ["name Hearts Likes applied", "min_quantity 5 10 applied"];
        assert_eq!(words(&judge(&only, &other, Some(&said("1")))), wanted);
    }

    #[test]
    fn without_a_rate_no_price_is_touched() {
        let found =
            judge(&Terms { currency: "RUB".into(), ..terms() }, &provider("1", true), Some(&said("3")));
        assert!(found.lacks_rate && found.is_empty());
    }
}
