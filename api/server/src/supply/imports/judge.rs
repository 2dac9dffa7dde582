//! Decides which changes a sync makes to providers and services after an external panel's list changed. Pure: no I/O. The
//! same rules find the changes, check them again under the lock, and apply a held change that a staff member approves.

use std::fmt;

use panel_contract::amount::{Fraction, Money};
use panel_contract::external_services::{SyncField, SyncState};
use panel_contract::ids::{ProviderId, RecordId, ServiceId, SyncChangeId};
use panel_contract::panel_service_types::PanelServiceType;

use super::prices;
use super::stored_catalogue::ListedService;
use crate::catalogue::deliverable::{Answered, deliverable};
use crate::pricing::rates::ExchangeRates;
use panel_domain::imports;
use panel_domain::reseller_protocol::own_texts::OwnTexts;
use panel_platform::db::Val;

/// The value of a field that a sync changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldValue {
    Money(Money),
    Whole(i64),
    Flag(bool),
    Text(String),
    /// Names of labels, sorted.
    Names(Vec<String>),
}

impl fmt::Display for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Money(value) => value.fmt(f),
            Self::Whole(value) => value.fmt(f),
            Self::Flag(value) => value.fmt(f),
            Self::Text(value) => value.fmt(f),
            Self::Names(names) => names.join(", ").fmt(f),
        }
    }
}

impl From<&FieldValue> for Val {
    fn from(worth: &FieldValue) -> Self {
        match worth {
            FieldValue::Money(value) => (*value).into(),
            FieldValue::Whole(value) => (*value).into(),
            FieldValue::Flag(value) => (*value).into(),
            FieldValue::Text(value) => (&**value).into(),
            FieldValue::Names(names) => names.join(", ").into(),
        }
    }
}

/// The rules by which imported services follow an external panel.
#[derive(Debug, Clone, Default)]
pub struct SyncPolicy {
    /// Whether providers are disabled and enabled when their service leaves and rejoins the panel's list.
    pub availability: bool,
    pub prices: bool,
    pub names: bool,
    /// Smallest quantity, largest quantity and step.
    pub bounds: bool,
    /// Refill and drip feed.
    pub details: bool,
    pub descriptions: bool,
    pub short_descriptions: bool,
    /// Title and description for search engines.
    pub meta: bool,
    pub reviews: bool,
    pub labels: bool,
    /// ISO code of the external panel's currency.
    pub currency: String,
    /// The largest price change, as a share of the price, that needs no approval of a staff member.
    pub jump: Fraction,
    /// Margin of the external panel.
    pub margin: Option<Fraction>,
    /// Lowest margin that the settings allow.
    pub least: Option<Fraction>,
    pub rates: ExchangeRates,
}

/// The last change of a provider's field that is held or that a staff member refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastDecision {
    pub id: SyncChangeId,
    /// The proposed value.
    pub new: String,
}

/// A provider of a panel.
#[derive(Debug, Clone)]
pub struct Provider {
    /// Its id.
    pub id: ProviderId,
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
    /// Whether it is off because the panel no longer sells it.
    pub is_vanished: bool,
    /// The last decision on its price.
    pub on_price: Option<LastDecision>,
    /// The last decision on its availability.
    pub on_availability: Option<LastDecision>,
    /// Services of which it is the first that delivers.
    pub services: Vec<Sold>,
}

/// A service that follows a provider.
#[derive(Debug, Clone)]
pub struct Sold {
    /// Its id.
    pub id: ServiceId,
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
    /// Quantities are `min` plus a multiple of it.
    pub step: i64,
    /// Its own margin.
    pub margin: Option<Fraction>,
    /// Whether its price follows.
    pub follows_price: bool,
    /// Whether its name follows.
    pub follows_name: bool,
    /// Whether its bounds follow.
    pub follows_bounds: bool,
    /// Whether what it can do follows.
    pub follows_details: bool,
    /// Whether its description follows.
    pub follows_description: bool,
    /// Whether it is refilled.
    pub has_refill: bool,
    /// Whether it may be delivered in runs.
    pub drip_feed: bool,
    /// Its English description.
    pub description: String,
    /// Whether its short description follows.
    pub follows_short_description: bool,
    /// Whether its texts for search engines follow.
    pub follows_meta: bool,
    /// Whether its reviews follow.
    pub follows_reviews: bool,
    /// Whether its labels follow.
    pub follows_labels: bool,
    /// The same texts and labels as they are here.
    pub texts: OwnTexts,
    /// The lowest of the customers' own prices that are at or above `floor`; lower ones were agreed with the customer.
    pub own_least: Option<Money>,
    /// Off sale.
    pub is_off: bool,
    /// A sync took it off sale.
    pub is_off_by_sync: bool,
    /// How many units are ordered for each that is sold.
    pub ratio: Fraction,
    /// The lowest price that the service's other available providers allow.
    pub others_lowest: Money,
    /// The type that it was imported as; none where staff made it.
    pub imported_as: Option<PanelServiceType>,
    /// What each of its orders has an answer to.
    pub answered: Vec<Answered>,
}

impl Sold {
    /// Whether its orders could not be delivered, as the panel's service is of another type by now than the one it was imported
    /// as, or needs what a service that staff made does not ask for.
    pub(super) fn is_of_another_type(&self, word: &str) -> bool {
        match self.imported_as {
            Some(kind) => PanelServiceType::parse(word) != Some(kind),
            None => deliverable(word, &self.answered).is_err(),
        }
    }
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The provider.
    pub provider: ProviderId,
    /// The service's id there.
    pub there: String,
    /// The service, where one of ours changes.
    pub service: Option<ServiceId>,
    /// What changes.
    pub field: SyncField,
    /// As it was.
    pub old: FieldValue,
    /// As it will be.
    pub new: FieldValue,
    /// Whether it is made or held.
    pub state: SyncState,
}

impl Change {
    /// What changes: the service, else the provider.
    pub(super) fn record(&self) -> RecordId {
        self.service.map_or(self.provider.record(), ServiceId::record)
    }
}

/// The result of comparing a provider with the panel's list.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Changes to make and to hold.
    pub changes: Vec<Change>,
    /// Held or refused changes that no longer apply.
    pub over: Vec<SyncChangeId>,
    /// A price could not be checked because its currency has no exchange rate.
    pub lacks_rate: bool,
}

impl Verdict {
    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.over.is_empty()
    }
}

/// Compares a provider with its service in the panel's list; `listed` is `None` if the complete list lacks the service.
#[must_use]
pub fn judge(policy: &SyncPolicy, provider: &Provider, listed: Option<&ListedService>) -> Verdict {
    let mut verdict = Verdict::default();
    if policy.availability {
        availability(provider, listed.is_some(), &mut verdict);
    }
    let Some(listed) = listed else { return verdict };
    if policy.prices {
        prices::judge(policy, provider, (listed.rate, imports::per(&listed.kind)), &mut verdict);
    }
    for service in &provider.services {
        if policy.availability && !policy.prices && service.is_off && service.is_off_by_sync {
            // With prices that follow, the price decides.
            let (old, new) = (FieldValue::Flag(true), FieldValue::Flag(false));
            verdict.changes.push(made(provider, Some(service.id), SyncField::IsDeactivated, old, new));
        }
        if policy.availability && service.is_of_another_type(&listed.kind) {
            take_off(provider, service, &mut verdict);
        }
        verdict.changes.extend(
            copied_fields(policy, service, listed)
                .into_iter()
                .filter(|(_, old, new)| old != new)
                .map(|(field, old, new)| made(provider, Some(service.id), field, old, new)),
        );
    }
    verdict
}

/// Takes a service off sale, whatever its price is.
fn take_off(provider: &Provider, service: &Sold, verdict: &mut Verdict) {
    let is_switch =
        |change: &Change| change.service == Some(service.id) && change.field == SyncField::IsDeactivated;
    verdict.changes.retain(|change| !is_switch(change));
    if !service.is_off {
        let (old, new) = (FieldValue::Flag(false), FieldValue::Flag(true));
        verdict.changes.push(made(provider, Some(service.id), SyncField::IsDeactivated, old, new));
    }
}

/// The fields that a service copies from the panel, each with its current and its new value.
fn copied_fields(
    policy: &SyncPolicy,
    service: &Sold,
    listed: &ListedService,
) -> Vec<(SyncField, FieldValue, FieldValue)> {
    let mut all = Vec::new();
    if policy.names && service.follows_name {
        all.push((
            SyncField::Name,
            FieldValue::Text(service.name.clone()),
            FieldValue::Text(listed.name.clone()),
        ));
    }
    if policy.bounds && service.follows_bounds {
        all.push((SyncField::MinQuantity, FieldValue::Whole(service.min), FieldValue::Whole(listed.min)));
        all.push((SyncField::MaxQuantity, FieldValue::Whole(service.max), FieldValue::Whole(listed.max)));
        // A panel whose list has no step may still have one, so the current step stays.
        let step = listed.step.map(FieldValue::Whole);
        all.extend(step.map(|step| (SyncField::QuantityStep, FieldValue::Whole(service.step), step)));
    }
    if policy.details && service.follows_details {
        // A field that the list does not contain is unknown, not false.
        for (field, old, new) in [
            (SyncField::HasRefill, service.has_refill, listed.refills),
            (SyncField::DripFeedIsAllowed, service.drip_feed, listed.drips),
        ] {
            all.extend(new.map(|new| (field, FieldValue::Flag(old), FieldValue::Flag(new))));
        }
    }
    if policy.descriptions
        && service.follows_description
        && let Some(description) = &listed.description
    {
        let old = FieldValue::Text(service.description.clone());
        all.push((SyncField::Description, old, FieldValue::Text(description.clone())));
    }
    all.extend(own_texts(policy, service, &listed.texts));
    all
}

/// The texts and labels that only panels of this product send. A text that the panel omits stays as it is.
fn own_texts(
    policy: &SyncPolicy,
    service: &Sold,
    listed: &OwnTexts,
) -> Vec<(SyncField, FieldValue, FieldValue)> {
    let here = &service.texts;
    let meta = policy.meta && service.follows_meta;
    let texts = [
        (
            SyncField::ShortDescription,
            policy.short_descriptions && service.follows_short_description,
            &here.short_description,
            &listed.short_description,
        ),
        (SyncField::MetaTitle, meta, &here.meta_title, &listed.meta_title),
        (SyncField::MetaDescription, meta, &here.meta_description, &listed.meta_description),
        (SyncField::Reviews, policy.reviews && service.follows_reviews, &here.reviews, &listed.reviews),
    ];
    let text = |text: &Option<String>| FieldValue::Text(text.clone().unwrap_or_default());
    let followed = texts.into_iter().filter(|(_, follows, _, new)| *follows && new.is_some());
    let mut all: Vec<_> = followed.map(|(field, _, old, new)| (field, text(old), text(new))).collect();
    if let (true, Some(new)) = (policy.labels && service.follows_labels, &listed.labels) {
        let old = here.labels.as_deref().unwrap_or_default();
        all.push((SyncField::Labels, FieldValue::Names(old.to_vec()), FieldValue::Names(new.clone())));
    }
    all
}

/// A change that is made.
pub(super) fn made(
    provider: &Provider,
    service: Option<ServiceId>,
    field: SyncField,
    old: FieldValue,
    new: FieldValue,
) -> Change {
    let (id, there) = (provider.id, provider.there.clone());
    Change { provider: id, there, service, field, old, new, state: SyncState::Applied }
}

/// One that vanishes waits for a yes, unless the run finds that few do; one that comes back does so by itself.
fn availability(provider: &Provider, is_sold: bool, verdict: &mut Verdict) {
    let change =
        made(provider, None, SyncField::Availability, FieldValue::Flag(!is_sold), FieldValue::Flag(is_sold));
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

#[cfg(test)]
mod tests {
    use panel_contract::targets::TargetName;

    use super::*;
    use panel_domain::reseller_protocol::read;

    fn money(text: &str) -> Money {
        text.parse().unwrap()
    }

    fn share(text: &str) -> Fraction {
        text.parse().unwrap()
    }

    fn policy() -> SyncPolicy {
        SyncPolicy {
            availability: true,
            prices: true,
            names: true,
            bounds: true,
            details: true,
            descriptions: true,
            jump: share("0.2"),
            least: Some(share("0.1")),
            ..SyncPolicy::default()
        }
    }

    fn listed(rate: &str) -> ListedService {
        let list =
            serde_json::json!([{ "service": 7, "name": "Likes", "rate": rate, "min": "10", "max": "1000" }]);
        ListedService::of(&read::catalogue(&list).unwrap().services[0])
    }

    fn provider(price: &str, follows_price: bool) -> Provider {
        let service = Sold {
            id: ServiceId::new(5),
            name: "Likes".into(),
            price: money("1.3"),
            floor: money("1.1"),
            per: 1_000,
            min: 10,
            max: 1_000,
            step: 0,
            margin: Some(share("0.3")),
            follows_price,
            follows_name: true,
            follows_bounds: true,
            follows_details: true,
            follows_description: true,
            has_refill: false,
            drip_feed: false,
            description: String::new(),
            follows_short_description: false,
            follows_meta: false,
            follows_reviews: false,
            follows_labels: false,
            texts: OwnTexts::default(),
            own_least: None,
            is_off: false,
            is_off_by_sync: false,
            ratio: Fraction::default(),
            others_lowest: Money::ZERO,
            imported_as: None,
            answered: Vec::new(),
        };
        Provider {
            id: ProviderId::new(3),
            there: "7".into(),
            price: money(price),
            currency: String::new(),
            per: 1_000,
            is_active: true,
            is_vanished: false,
            on_price: None,
            on_availability: None,
            services: vec![service],
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
        assert!(judge(&policy(), &provider("1", true), Some(&listed("1"))).is_empty());
    }

    #[test]
    fn a_price_follows_with_its_margin_or_the_service_goes_off_sale() {
        let found = judge(&policy(), &provider("1", true), Some(&listed("1.2")));
        let wanted =
            ["source_price 1 1.2 applied", "default_price 1.3 1.56 applied", "min_price 1.1 1.32 applied"];
        assert_eq!(words(&found), wanted);
        let found = judge(&policy(), &provider("1", false), Some(&listed("1.2")));
        assert_eq!(words(&found), ["source_price 1 1.2 applied", "is_deactivated false true applied"]);
        let mut off = provider("1.2", false);
        (off.services[0].is_off, off.services[0].is_off_by_sync) = (true, true);
        let found = judge(&policy(), &off, Some(&listed("1")));
        assert_eq!(words(&found), ["source_price 1.2 1 applied", "is_deactivated true false applied"]);
        off.services[0].is_off_by_sync = false;
        assert_eq!(
            words(&judge(&policy(), &off, Some(&listed("1")))),
            ["source_price 1.2 1 applied"],
            "staff's own"
        );
    }

    #[test]
    fn the_dearest_provider_and_the_ratio_count_as_in_the_least_margin() {
        let mut two = provider("1", true);
        two.services[0].others_lowest = money("1.5");
        let found = judge(&policy(), &two, Some(&listed("1.1")));
        let wanted =
            ["source_price 1 1.1 applied", "default_price 1.3 1.5 applied", "min_price 1.1 1.5 applied"];
        assert_eq!(words(&found), wanted);
        two.services[0].follows_price = false;
        let found = judge(&policy(), &two, Some(&listed("1")));
        assert_eq!(words(&found), ["is_deactivated false true applied"], "the other one is sold at a loss");
        let mut scaled = provider("1", true);
        scaled.services[0].ratio = share("2");
        let found = judge(&policy(), &scaled, Some(&listed("1.1")));
        let wanted =
            ["source_price 1 1.1 applied", "default_price 1.3 2.86 applied", "min_price 1.1 2.42 applied"];
        assert_eq!(words(&found), wanted);
    }

    #[test]
    fn a_service_that_became_a_package_is_asked_by_the_piece() {
        let list = serde_json::json!([{ "service": 7, "name": "Likes", "type": "Package", "rate": "1", "min": "1", "max": "1" }]);
        let package = ListedService::of(&read::catalogue(&list).unwrap().services[0]);
        let only = SyncPolicy {
            prices: true,
            jump: share("0.2"),
            least: Some(share("0.1")),
            ..SyncPolicy::default()
        };
        let found = judge(&only, &provider("1", true), Some(&package));
        assert_eq!(words(&found), ["source_price 1 1 held", "is_deactivated false true applied"]);
        let small = SyncPolicy { jump: share("10000"), ..only };
        let found = judge(&small, &provider("1", true), Some(&package));
        let wanted =
            ["source_price 1 1 applied", "default_price 1.3 1300 applied", "min_price 1.1 1100 applied"];
        assert_eq!(words(&found), wanted);
    }

    #[test]
    fn a_jump_waits_and_nothing_is_sold_at_a_loss_meanwhile() {
        let found = judge(&policy(), &provider("1", true), Some(&listed("3")));
        assert_eq!(words(&found), ["source_price 1 3 held", "is_deactivated false true applied"]);
        let found = judge(&policy(), &provider("1", true), Some(&listed("0.1")));
        assert_eq!(words(&found), ["source_price 1 0.1 held"], "a fall is no loss");
        let mut held = provider("1", true);
        held.on_price = Some(LastDecision { id: SyncChangeId::new(9), new: "3".into() });
        (held.services[0].is_off, held.services[0].is_off_by_sync) = (true, true);
        assert!(judge(&policy(), &held, Some(&listed("3"))).is_empty(), "the same is not asked twice");
        let found = judge(&policy(), &held, Some(&listed("4")));
        assert_eq!(
            (words(&found), found.over),
            (vec!["source_price 1 4 held".into()], vec![SyncChangeId::new(9)])
        );
        let found = judge(&policy(), &held, Some(&listed("1")));
        assert_eq!(
            (words(&found), found.over),
            (vec!["is_deactivated true false applied".into()], vec![SyncChangeId::new(9)])
        );
    }

    #[test]
    fn what_a_sync_took_off_sale_comes_back_without_following_prices() {
        let mut back = provider("1", true);
        back.services[0].is_off = true;
        let policy = SyncPolicy { prices: false, ..policy() };
        assert!(judge(&policy, &back, Some(&listed("1"))).is_empty(), "staff took it off");
        back.services[0].is_off_by_sync = true;
        assert_eq!(words(&judge(&policy, &back, Some(&listed("1")))), ["is_deactivated true false applied"]);
    }

    #[test]
    fn one_that_vanishes_waits_and_comes_back_by_itself() {
        let mut gone = provider("1", true);
        assert_eq!(words(&judge(&policy(), &gone, None)), ["availability true false held"]);
        gone.on_availability = Some(LastDecision { id: SyncChangeId::new(4), new: "false".into() });
        assert!(judge(&policy(), &gone, None).is_empty());
        assert_eq!(judge(&policy(), &gone, Some(&listed("1"))).over, [SyncChangeId::new(4)]);
        (gone.on_availability, gone.is_active, gone.is_vanished) = (None, false, true);
        assert_eq!(words(&judge(&policy(), &gone, Some(&listed("1")))), ["availability false true applied"]);
        assert!(judge(&policy(), &gone, None).is_empty());
    }

    #[test]
    fn switches_decide_what_follows() {
        let none = SyncPolicy { jump: share("0.2"), least: Some(share("0.1")), ..SyncPolicy::default() };
        let mut other = provider("9", true);
        (other.services[0].name, other.services[0].min) = ("Hearts".into(), 5);
        assert!(judge(&none, &other, Some(&listed("1"))).is_empty() && judge(&none, &other, None).is_empty());
        let only = SyncPolicy { names: true, bounds: true, ..none.clone() };
        let wanted = ["name Hearts Likes applied", "min_quantity 5 10 applied"];
        assert_eq!(words(&judge(&only, &other, Some(&listed("1")))), wanted);
        let only = SyncPolicy { availability: true, ..none };
        assert_eq!(words(&judge(&only, &other, None)), ["availability true false held"]);
    }

    #[test]
    fn what_a_panel_does_not_say_of_a_service_stays() {
        let mut provider = provider("1", true);
        (provider.services[0].has_refill, provider.services[0].drip_feed) = (true, true);
        provider.services[0].description = "Ours".into();
        assert!(
            judge(&policy(), &provider, Some(&listed("1"))).is_empty(),
            "the list does not contain the field"
        );
        let more = serde_json::json!([{ "service": 7, "name": "Likes", "rate": "1", "min": "10", "max": "1000", "refill": 0, "dripfeed": "1",
            "desc": "Fast<br>and <b>real</b> <3" }]);
        let more = ListedService::of(&read::catalogue(&more).unwrap().services[0]);
        let wanted = ["has_refill true false applied", "description Ours Fast\nand real <3 applied"];
        assert_eq!(words(&judge(&policy(), &provider, Some(&more))), wanted);
        provider.services[0].follows_details = false;
        provider.services[0].follows_description = false;
        assert!(judge(&policy(), &provider, Some(&more)).is_empty());
    }

    #[test]
    fn the_step_follows_with_the_bounds_where_the_panel_says_one() {
        let mut stepped = provider("1", true);
        stepped.services[0].step = 5;
        assert!(
            judge(&policy(), &stepped, Some(&listed("1"))).is_empty(),
            "the list does not contain the field"
        );
        let of = |kind: &str, step: &str| {
            let list = serde_json::json!([{ "service": 7, "name": "Likes", "type": kind, "rate": "1", "min": "10", "max": "1000", "step": step }]);
            ListedService::of(&read::catalogue(&list).unwrap().services[0])
        };
        let found = judge(&policy(), &stepped, Some(&of("Default", "10")));
        assert_eq!(words(&found), ["quantity_step 5 10 applied"]);
        assert_eq!(of("Default", "99999999999").step, Some(1_000_000_000), "within what a service may have");
        assert_eq!(of("Package", "10").step, Some(1), "of a package one is ordered");
        for none in ["0", "-5", "x", ""] {
            assert_eq!(of("Default", none).step, None, "{none}");
        }
        stepped.services[0].follows_bounds = false;
        assert!(judge(&policy(), &stepped, Some(&of("Default", "10"))).is_empty());
    }

    #[test]
    fn the_lowest_price_rises_with_the_cost_and_so_do_own_ones() {
        let mut own = provider("1", false);
        (own.services[0].price, own.services[0].own_least) = (money("2"), Some(money("1.2")));
        let wanted =
            ["source_price 1 1.2 applied", "min_price 1.1 1.32 applied", "own_prices 1.1 1.32 applied"];
        assert_eq!(words(&judge(&policy(), &own, Some(&listed("1.2")))), wanted);
        own.services[0].own_least = Some(money("1.4"));
        assert_eq!(words(&judge(&policy(), &own, Some(&listed("1.2")))), wanted[..2], "none is below");
        assert_eq!(words(&judge(&policy(), &own, Some(&listed("0.9")))), ["source_price 1 0.9 applied"]);
        let mut held = provider("1", true);
        held.services[0].margin = Some(share("1"));
        held.services[0].price = money("2");
        let found = judge(&policy(), &held, Some(&listed("1.5")));
        assert_eq!(
            words(&found),
            ["source_price 1 1.5 held", "min_price 1.1 1.65 applied"],
            "it is asked already"
        );
    }

    #[test]
    fn another_type_takes_a_service_off_sale_whatever_its_price() {
        let mut typed = provider("1", true);
        typed.services[0].imported_as = Some(PanelServiceType::Poll);
        let wanted =
            ["source_price 1 0.9 applied", "default_price 1.3 1.17 applied", "min_price 1.1 0.99 applied"];
        let found = judge(&policy(), &typed, Some(&listed("0.9")));
        assert_eq!(words(&found)[..3], wanted);
        assert_eq!(words(&found)[3..], ["is_deactivated false true applied"]);
        (typed.services[0].is_off, typed.services[0].is_off_by_sync) = (true, true);
        assert!(
            judge(&policy(), &typed, Some(&listed("1"))).is_empty(),
            "a good price does not bring it back"
        );
        typed.services[0].imported_as = Some(PanelServiceType::Default);
        let found = judge(&policy(), &typed, Some(&listed("1")));
        assert_eq!(words(&found), ["is_deactivated true false applied"]);
        // Staff made it: the type may be any that its answers are enough for.
        typed.services[0].imported_as = None;
        (typed.services[0].is_off, typed.services[0].is_off_by_sync) = (false, false);
        let mut comments = listed("1");
        comments.kind = "Custom Comments".into();
        let found = judge(&policy(), &typed, Some(&comments));
        assert_eq!(words(&found), ["is_deactivated false true applied"]);
        typed.services[0].answered = vec![Answered { kind: TargetName::Comment, parameter: None }];
        assert!(judge(&policy(), &typed, Some(&comments)).is_empty());
    }

    #[test]
    fn without_a_rate_no_price_is_touched() {
        let found = judge(
            &SyncPolicy { currency: "RUB".into(), ..policy() },
            &provider("1", true),
            Some(&listed("3")),
        );
        assert!(found.lacks_rate && found.is_empty());
    }
}
