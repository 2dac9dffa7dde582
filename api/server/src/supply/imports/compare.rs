//! Decides which changes a sync makes to providers and services after an external panel's list changed. Pure: no I/O. The
//! same rules find the changes, check them again under the lock, and apply a held change that a staff member approves.

use std::fmt;

use panel_contract::amount::{Fraction, Money};
use panel_contract::external_services::{SyncField, SyncState};
use panel_contract::ids::{ProviderId, RecordId, ServiceId, SyncChangeId};
use panel_contract::panel_service_types::PanelServiceType;

use super::prices;
use super::stored_catalogue::ListedService;
use crate::catalogue::deliverable::{AnswerKind, check_deliverable};
use crate::pricing::rates::ExchangeRates;
use panel_domain::imports;
use panel_domain::reseller_protocol::extended_texts::ExtendedTexts;
use panel_platform::db::Val;

/// The value of a field that a sync changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldValue {
    Money(Money),
    Integer(i64),
    Flag(bool),
    Text(String),
    /// Names of labels, sorted.
    Labels(Vec<String>),
}

impl fmt::Display for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Money(value) => value.fmt(f),
            Self::Integer(value) => value.fmt(f),
            Self::Flag(value) => value.fmt(f),
            Self::Text(value) => value.fmt(f),
            Self::Labels(names) => names.join(", ").fmt(f),
        }
    }
}

impl From<&FieldValue> for Val {
    fn from(value: &FieldValue) -> Self {
        match value {
            FieldValue::Money(value) => (*value).into(),
            FieldValue::Integer(value) => (*value).into(),
            FieldValue::Flag(value) => (*value).into(),
            FieldValue::Text(value) => (&**value).into(),
            FieldValue::Labels(names) => names.join(", ").into(),
        }
    }
}

/// What a sync copies from an external panel to the services that were imported from it, and by which prices and limits.
#[derive(Debug, Clone, Default)]
pub struct SyncPolicy {
    /// Whether providers are disabled and enabled when their service leaves and rejoins the panel's list.
    pub availability: bool,
    pub prices: bool,
    pub names: bool,
    /// Smallest quantity, largest quantity and step.
    pub quantity_limits: bool,
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
    pub price_jump_limit: Fraction,
    /// Margin of the external panel, for services that have none of their with_customer_price.
    pub panel_margin: Option<Fraction>,
    /// Lowest margin that the settings allow.
    pub min_margin: Option<Fraction>,
    pub rates: ExchangeRates,
}

/// A change of a provider's field that an earlier sync held for approval, or that a staff member refused. As long as the
/// panel lists the same value, a sync does not hold it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldOrRefusedChange {
    pub id: SyncChangeId,
    pub new_value: String,
}

/// A provider of the external panel that is synced.
#[derive(Debug, Clone)]
pub struct SyncedProvider {
    pub id: ProviderId,
    /// Id of the service at the external panel.
    pub external_service_id: String,
    /// The panel's price for `pricing_per` units at the last sync.
    pub price: Money,
    pub currency: String,
    pub pricing_per: i64,
    pub is_active: bool,
    /// Whether a sync disabled it because the service left the panel's list.
    pub is_vanished: bool,
    pub held_or_refused_price: Option<HeldOrRefusedChange>,
    pub held_or_refused_availability: Option<HeldOrRefusedChange>,
    /// Services whose orders go to this provider: it is the first of their active providers.
    pub services: Vec<SyncedService>,
}

/// A service that copies fields from the external panel of its first active provider. Its `sync_*` switches and those of
/// [`SyncPolicy`] must both be on.
#[derive(Debug, Clone)]
pub struct SyncedService {
    pub id: ServiceId,
    pub name: String,
    /// Price for `pricing_per` units.
    pub price: Money,
    /// No discount lowers the price below it.
    pub min_price: Money,
    pub pricing_per: i64,
    pub min_quantity: i64,
    pub max_quantity: i64,
    /// Quantities are `min_quantity` plus a multiple of it.
    pub quantity_step: i64,
    pub margin: Option<Fraction>,
    pub sync_price: bool,
    pub sync_name: bool,
    pub sync_quantity_limits: bool,
    /// Refill and drip feed.
    pub sync_details: bool,
    pub sync_description: bool,
    pub sync_short_description: bool,
    /// Title and description for search engines.
    pub sync_meta: bool,
    pub sync_reviews: bool,
    pub sync_labels: bool,
    pub has_refill: bool,
    pub drip_feed_is_allowed: bool,
    pub description: String,
    pub texts: ExtendedTexts,
    /// The lowest of the customers' own prices that are at or above `min_price`; lower ones were agreed with the customer.
    pub lowest_customer_price: Option<Money>,
    pub is_deactivated: bool,
    pub deactivated_by_sync: bool,
    /// Units ordered at the panel for each unit that a customer buys; at least 1.
    pub order_quantity_ratio: Fraction,
    /// The lowest price that the service's other available providers allow.
    pub lowest_price_by_other_providers: Money,
    /// The type that it was imported as; `None` if staff created it.
    pub imported_as: Option<PanelServiceType>,
    /// Kinds of the answers that each of its orders surely has.
    pub answer_kinds: Vec<AnswerKind>,
}

impl SyncedService {
    /// Whether the panel would refuse its orders, because the panel's service, of type `listed_type`, is no longer of the
    /// type that was imported, or needs answers that a service created by staff does not ask for.
    pub(super) fn has_incompatible_type(&self, listed_type: &str) -> bool {
        match self.imported_as {
            Some(kind) => PanelServiceType::parse(listed_type) != Some(kind),
            None => check_deliverable(listed_type, &self.answer_kinds).is_err(),
        }
    }
}

/// A change of one field of a provider or a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncChange {
    pub provider: ProviderId,
    /// Id of the service at the external panel.
    pub external_service_id: String,
    /// The changed service; `None` if the provider itself changes.
    pub service: Option<ServiceId>,
    pub field: SyncField,
    pub old: FieldValue,
    pub new: FieldValue,
    /// `Applied` for a change to make now, `Held` for one that waits for approval.
    pub state: SyncState,
}

impl SyncChange {
    /// Id of the changed service, or of the provider if no service changes.
    pub(super) fn as_record_id(&self) -> RecordId {
        self.service.map_or(self.provider.as_record_id(), ServiceId::as_record_id)
    }
}

/// The result of comparing a provider with the panel's list.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SyncComparison {
    /// Changes to make and changes to hold for approval.
    pub changes: Vec<SyncChange>,
    /// Earlier held or refused changes whose value the panel no longer lists.
    pub outdated: Vec<SyncChangeId>,
    /// A price could not be checked because its currency has no exchange rate.
    pub lacks_exchange_rate: bool,
}

impl SyncComparison {
    /// Whether nothing has to be written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.outdated.is_empty()
    }
}

/// Compares a provider with its service in the panel's list; `listed` is `None` if the complete list lacks the service.
#[must_use]
pub fn compare_with_listed(
    policy: &SyncPolicy,
    provider: &SyncedProvider,
    listed: Option<&ListedService>,
) -> SyncComparison {
    let mut comparison = SyncComparison::default();
    if policy.availability {
        compare_availability(provider, listed.is_some(), &mut comparison);
    }
    let Some(listed) = listed else { return comparison };
    if policy.prices {
        prices::compare_price(
            policy,
            provider,
            (listed.rate, imports::pricing_per(&listed.kind)),
            &mut comparison,
        );
    }
    for service in &provider.services {
        if policy.availability && !policy.prices && service.is_deactivated && service.deactivated_by_sync {
            // If prices are synced, `compare_price` decides whether the service is on sale.
            let (old, new) = (FieldValue::Flag(true), FieldValue::Flag(false));
            comparison.changes.push(applied(provider, Some(service.id), SyncField::IsDeactivated, old, new));
        }
        if policy.availability && service.has_incompatible_type(&listed.kind) {
            deactivate(provider, service, &mut comparison);
        }
        comparison.changes.extend(
            copied_fields(policy, service, listed)
                .into_iter()
                .filter(|(_, old, new)| old != new)
                .map(|(field, old, new)| applied(provider, Some(service.id), field, old, new)),
        );
    }
    comparison
}

/// Takes a service off sale, whatever its price is.
fn deactivate(provider: &SyncedProvider, service: &SyncedService, comparison: &mut SyncComparison) {
    let sets_is_deactivated =
        |change: &SyncChange| change.service == Some(service.id) && change.field == SyncField::IsDeactivated;
    comparison.changes.retain(|change| !sets_is_deactivated(change));
    if !service.is_deactivated {
        let (old, new) = (FieldValue::Flag(false), FieldValue::Flag(true));
        comparison.changes.push(applied(provider, Some(service.id), SyncField::IsDeactivated, old, new));
    }
}

/// The fields that a service copies from the panel, each with its current and its new value.
fn copied_fields(
    policy: &SyncPolicy,
    service: &SyncedService,
    listed: &ListedService,
) -> Vec<(SyncField, FieldValue, FieldValue)> {
    let mut fields = Vec::new();
    if policy.names && service.sync_name {
        fields.push((
            SyncField::Name,
            FieldValue::Text(service.name.clone()),
            FieldValue::Text(listed.name.clone()),
        ));
    }
    if policy.quantity_limits && service.sync_quantity_limits {
        for (field, old, new) in [
            (SyncField::MinQuantity, service.min_quantity, listed.min_quantity),
            (SyncField::MaxQuantity, service.max_quantity, listed.max_quantity),
        ] {
            fields.push((field, FieldValue::Integer(old), FieldValue::Integer(new)));
        }
        // A panel whose list has no step may still have one, so the current step stays.
        let step = listed.quantity_step.map(FieldValue::Integer);
        fields.extend(
            step.map(|step| (SyncField::QuantityStep, FieldValue::Integer(service.quantity_step), step)),
        );
    }
    if policy.details && service.sync_details {
        // A field that the list does not contain is unknown, not false.
        for (field, old, new) in [
            (SyncField::HasRefill, service.has_refill, listed.listed_refill),
            (SyncField::DripFeedIsAllowed, service.drip_feed_is_allowed, listed.listed_drip_feed),
        ] {
            fields.extend(new.map(|new| (field, FieldValue::Flag(old), FieldValue::Flag(new))));
        }
    }
    if policy.descriptions
        && service.sync_description
        && let Some(description) = &listed.description
    {
        let old = FieldValue::Text(service.description.clone());
        fields.push((SyncField::Description, old, FieldValue::Text(description.clone())));
    }
    fields.extend(copied_extended_texts(policy, service, &listed.texts));
    fields
}

/// The texts and labels that only panels of this product send. A text that the panel omits stays as it is.
fn copied_extended_texts(
    policy: &SyncPolicy,
    service: &SyncedService,
    listed: &ExtendedTexts,
) -> Vec<(SyncField, FieldValue, FieldValue)> {
    let current = &service.texts;
    let is_meta_synced = policy.meta && service.sync_meta;
    let texts = [
        (
            SyncField::ShortDescription,
            policy.short_descriptions && service.sync_short_description,
            &current.short_description,
            &listed.short_description,
        ),
        (SyncField::MetaTitle, is_meta_synced, &current.meta_title, &listed.meta_title),
        (SyncField::MetaDescription, is_meta_synced, &current.meta_description, &listed.meta_description),
        (SyncField::Reviews, policy.reviews && service.sync_reviews, &current.reviews, &listed.reviews),
    ];
    let text_value = |text: &Option<String>| FieldValue::Text(text.clone().unwrap_or_default());
    let synced_texts = texts.into_iter().filter(|(_, is_synced, _, new)| *is_synced && new.is_some());
    let mut fields: Vec<_> =
        synced_texts.map(|(field, _, old, new)| (field, text_value(old), text_value(new))).collect();
    if let (true, Some(new)) = (policy.labels && service.sync_labels, &listed.labels) {
        let old = current.labels.as_deref().unwrap_or_default();
        fields.push((SyncField::Labels, FieldValue::Labels(old.to_vec()), FieldValue::Labels(new.clone())));
    }
    fields
}

/// A change that the sync makes without approval.
pub(super) fn applied(
    provider: &SyncedProvider,
    service: Option<ServiceId>,
    field: SyncField,
    old: FieldValue,
    new: FieldValue,
) -> SyncChange {
    let (id, external_service_id) = (provider.id, provider.external_service_id.clone());
    SyncChange { provider: id, external_service_id, service, field, old, new, state: SyncState::Applied }
}

/// Holds the change if the service left the list; the sync applies it after all if only few services left (`sync.rs`). A
/// provider whose service rejoins the list is enabled without approval.
fn compare_availability(provider: &SyncedProvider, is_listed: bool, comparison: &mut SyncComparison) {
    let (old, new) = (FieldValue::Flag(!is_listed), FieldValue::Flag(is_listed));
    let change = applied(provider, None, SyncField::Availability, old, new);
    match (is_listed, &provider.held_or_refused_availability) {
        (false, None) if provider.is_active => {
            comparison.changes.push(SyncChange { state: SyncState::Held, ..change });
        }
        (true, held_or_refused) => {
            comparison.outdated.extend(held_or_refused.as_ref().map(|change| change.id));
            if provider.is_vanished && !provider.is_active {
                comparison.changes.push(change);
            }
        }
        (false, _) => {}
    }
}

#[cfg(test)]
mod tests {
    use panel_contract::targets::TargetName;

    use super::*;
    use panel_domain::reseller_protocol::responses;

    fn money(text: &str) -> Money {
        text.parse().unwrap()
    }

    fn fraction(text: &str) -> Fraction {
        text.parse().unwrap()
    }

    fn policy() -> SyncPolicy {
        SyncPolicy {
            availability: true,
            prices: true,
            names: true,
            quantity_limits: true,
            details: true,
            descriptions: true,
            price_jump_limit: fraction("0.2"),
            min_margin: Some(fraction("0.1")),
            ..SyncPolicy::default()
        }
    }

    fn listed(rate: &str) -> ListedService {
        let list =
            serde_json::json!([{ "service": 7, "name": "Likes", "rate": rate, "min": "10", "max": "1000" }]);
        ListedService::of(&responses::parse_catalogue(&list).unwrap().services[0])
    }

    fn provider(price: &str, sync_price: bool) -> SyncedProvider {
        let service = SyncedService {
            id: ServiceId::new(5),
            name: "Likes".into(),
            price: money("1.3"),
            min_price: money("1.1"),
            pricing_per: 1_000,
            min_quantity: 10,
            max_quantity: 1_000,
            quantity_step: 0,
            margin: Some(fraction("0.3")),
            sync_price,
            sync_name: true,
            sync_quantity_limits: true,
            sync_details: true,
            sync_description: true,
            has_refill: false,
            drip_feed_is_allowed: false,
            description: String::new(),
            sync_short_description: false,
            sync_meta: false,
            sync_reviews: false,
            sync_labels: false,
            texts: ExtendedTexts::default(),
            lowest_customer_price: None,
            is_deactivated: false,
            deactivated_by_sync: false,
            order_quantity_ratio: Fraction::default(),
            lowest_price_by_other_providers: Money::ZERO,
            imported_as: None,
            answer_kinds: Vec::new(),
        };
        SyncedProvider {
            id: ProviderId::new(3),
            external_service_id: "7".into(),
            price: money(price),
            currency: String::new(),
            pricing_per: 1_000,
            is_active: true,
            is_vanished: false,
            held_or_refused_price: None,
            held_or_refused_availability: None,
            services: vec![service],
        }
    }

    fn summaries(comparison: &SyncComparison) -> Vec<String> {
        comparison
            .changes
            .iter()
            .map(|change| format!("{} {} {} {}", change.field, change.old, change.new, change.state))
            .collect()
    }

    #[test]
    fn an_unchanged_service_gives_no_changes() {
        assert!(compare_with_listed(&policy(), &provider("1", true), Some(&listed("1"))).is_empty());
    }

    #[test]
    fn a_synced_price_keeps_its_margin_and_an_unsynced_one_below_cost_deactivates_the_service() {
        let comparison = compare_with_listed(&policy(), &provider("1", true), Some(&listed("1.2")));
        let expected =
            ["source_price 1 1.2 applied", "default_price 1.3 1.56 applied", "min_price 1.1 1.32 applied"];
        assert_eq!(summaries(&comparison), expected);
        let comparison = compare_with_listed(&policy(), &provider("1", false), Some(&listed("1.2")));
        assert_eq!(
            summaries(&comparison),
            ["source_price 1 1.2 applied", "is_deactivated false true applied"]
        );
        let mut deactivated = provider("1.2", false);
        (deactivated.services[0].is_deactivated, deactivated.services[0].deactivated_by_sync) = (true, true);
        let comparison = compare_with_listed(&policy(), &deactivated, Some(&listed("1")));
        assert_eq!(
            summaries(&comparison),
            ["source_price 1.2 1 applied", "is_deactivated true false applied"]
        );
        deactivated.services[0].deactivated_by_sync = false;
        assert_eq!(
            summaries(&compare_with_listed(&policy(), &deactivated, Some(&listed("1")))),
            ["source_price 1.2 1 applied"],
            "staff deactivated it"
        );
    }

    #[test]
    fn the_most_expensive_provider_and_the_quantity_ratio_set_the_lowest_price() {
        let mut with_two_providers = provider("1", true);
        with_two_providers.services[0].lowest_price_by_other_providers = money("1.5");
        let comparison = compare_with_listed(&policy(), &with_two_providers, Some(&listed("1.1")));
        let expected =
            ["source_price 1 1.1 applied", "default_price 1.3 1.5 applied", "min_price 1.1 1.5 applied"];
        assert_eq!(summaries(&comparison), expected);
        with_two_providers.services[0].sync_price = false;
        let comparison = compare_with_listed(&policy(), &with_two_providers, Some(&listed("1")));
        assert_eq!(
            summaries(&comparison),
            ["is_deactivated false true applied"],
            "the other provider costs more than the price"
        );
        let mut with_ratio = provider("1", true);
        with_ratio.services[0].order_quantity_ratio = fraction("2");
        let comparison = compare_with_listed(&policy(), &with_ratio, Some(&listed("1.1")));
        let expected =
            ["source_price 1 1.1 applied", "default_price 1.3 2.86 applied", "min_price 1.1 2.42 applied"];
        assert_eq!(summaries(&comparison), expected);
    }

    #[test]
    fn a_service_that_became_a_package_is_priced_per_piece() {
        let list = serde_json::json!([{ "service": 7, "name": "Likes", "type": "Package", "rate": "1", "min": "1", "max": "1" }]);
        let package = ListedService::of(&responses::parse_catalogue(&list).unwrap().services[0]);
        let only_prices = SyncPolicy {
            prices: true,
            price_jump_limit: fraction("0.2"),
            min_margin: Some(fraction("0.1")),
            ..SyncPolicy::default()
        };
        let comparison = compare_with_listed(&only_prices, &provider("1", true), Some(&package));
        assert_eq!(summaries(&comparison), ["source_price 1 1 held", "is_deactivated false true applied"]);
        let without_jumps = SyncPolicy { price_jump_limit: fraction("10000"), ..only_prices };
        let comparison = compare_with_listed(&without_jumps, &provider("1", true), Some(&package));
        let expected =
            ["source_price 1 1 applied", "default_price 1.3 1300 applied", "min_price 1.1 1100 applied"];
        assert_eq!(summaries(&comparison), expected);
    }

    #[test]
    fn a_price_jump_is_held_and_the_service_is_deactivated_while_it_would_lose_money() {
        let comparison = compare_with_listed(&policy(), &provider("1", true), Some(&listed("3")));
        assert_eq!(summaries(&comparison), ["source_price 1 3 held", "is_deactivated false true applied"]);
        let comparison = compare_with_listed(&policy(), &provider("1", true), Some(&listed("0.1")));
        assert_eq!(summaries(&comparison), ["source_price 1 0.1 held"], "a lower cost is no loss");
        let mut held = provider("1", true);
        held.held_or_refused_price =
            Some(HeldOrRefusedChange { id: SyncChangeId::new(9), new_value: "3".into() });
        (held.services[0].is_deactivated, held.services[0].deactivated_by_sync) = (true, true);
        assert!(
            compare_with_listed(&policy(), &held, Some(&listed("3"))).is_empty(),
            "the same value is not held twice"
        );
        let comparison = compare_with_listed(&policy(), &held, Some(&listed("4")));
        assert_eq!(
            (summaries(&comparison), comparison.outdated),
            (vec!["source_price 1 4 held".into()], vec![SyncChangeId::new(9)])
        );
        let comparison = compare_with_listed(&policy(), &held, Some(&listed("1")));
        assert_eq!(
            (summaries(&comparison), comparison.outdated),
            (vec!["is_deactivated true false applied".into()], vec![SyncChangeId::new(9)])
        );
    }

    #[test]
    fn a_service_that_a_sync_deactivated_is_reactivated_without_price_sync() {
        let mut deactivated = provider("1", true);
        deactivated.services[0].is_deactivated = true;
        let policy = SyncPolicy { prices: false, ..policy() };
        assert!(
            compare_with_listed(&policy, &deactivated, Some(&listed("1"))).is_empty(),
            "staff deactivated it"
        );
        deactivated.services[0].deactivated_by_sync = true;
        assert_eq!(
            summaries(&compare_with_listed(&policy, &deactivated, Some(&listed("1")))),
            ["is_deactivated true false applied"]
        );
    }

    #[test]
    fn a_missing_service_is_held_and_a_listed_one_is_enabled_without_approval() {
        let mut missing = provider("1", true);
        assert_eq!(
            summaries(&compare_with_listed(&policy(), &missing, None)),
            ["availability true false held"]
        );
        missing.held_or_refused_availability =
            Some(HeldOrRefusedChange { id: SyncChangeId::new(4), new_value: "false".into() });
        assert!(compare_with_listed(&policy(), &missing, None).is_empty());
        assert_eq!(
            compare_with_listed(&policy(), &missing, Some(&listed("1"))).outdated,
            [SyncChangeId::new(4)]
        );
        (missing.held_or_refused_availability, missing.is_active, missing.is_vanished) = (None, false, true);
        assert_eq!(
            summaries(&compare_with_listed(&policy(), &missing, Some(&listed("1")))),
            ["availability false true applied"]
        );
        assert!(compare_with_listed(&policy(), &missing, None).is_empty());
    }

    #[test]
    fn only_fields_that_the_policy_enables_are_synced() {
        let nothing_enabled = SyncPolicy {
            price_jump_limit: fraction("0.2"),
            min_margin: Some(fraction("0.1")),
            ..SyncPolicy::default()
        };
        let mut changed = provider("9", true);
        (changed.services[0].name, changed.services[0].min_quantity) = ("Hearts".into(), 5);
        assert!(
            compare_with_listed(&nothing_enabled, &changed, Some(&listed("1"))).is_empty()
                && compare_with_listed(&nothing_enabled, &changed, None).is_empty()
        );
        let names_and_limits = SyncPolicy { names: true, quantity_limits: true, ..nothing_enabled.clone() };
        let expected = ["name Hearts Likes applied", "min_quantity 5 10 applied"];
        assert_eq!(
            summaries(&compare_with_listed(&names_and_limits, &changed, Some(&listed("1")))),
            expected
        );
        let only_availability = SyncPolicy { availability: true, ..nothing_enabled };
        assert_eq!(
            summaries(&compare_with_listed(&only_availability, &changed, None)),
            ["availability true false held"]
        );
    }

    #[test]
    fn fields_that_the_list_lacks_stay_as_they_are() {
        let mut provider = provider("1", true);
        (provider.services[0].has_refill, provider.services[0].drip_feed_is_allowed) = (true, true);
        provider.services[0].description = "Ours".into();
        assert!(
            compare_with_listed(&policy(), &provider, Some(&listed("1"))).is_empty(),
            "the list does not contain the field"
        );
        let with_details = serde_json::json!([{ "service": 7, "name": "Likes", "rate": "1", "min": "10", "max": "1000", "refill": 0, "dripfeed": "1",
            "desc": "Fast<br>and <b>real</b> <3" }]);
        let with_details = ListedService::of(&responses::parse_catalogue(&with_details).unwrap().services[0]);
        let expected = ["has_refill true false applied", "description Ours Fast\nand real <3 applied"];
        assert_eq!(summaries(&compare_with_listed(&policy(), &provider, Some(&with_details))), expected);
        provider.services[0].sync_details = false;
        provider.services[0].sync_description = false;
        assert!(compare_with_listed(&policy(), &provider, Some(&with_details)).is_empty());
    }

    #[test]
    fn the_step_is_synced_with_the_quantity_limits_if_the_list_has_one() {
        let mut stepped = provider("1", true);
        stepped.services[0].quantity_step = 5;
        assert!(
            compare_with_listed(&policy(), &stepped, Some(&listed("1"))).is_empty(),
            "the list does not contain the field"
        );
        let listed_step = |kind: &str, step: &str| {
            let list = serde_json::json!([{ "service": 7, "name": "Likes", "type": kind, "rate": "1", "min": "10", "max": "1000", "step": step }]);
            ListedService::of(&responses::parse_catalogue(&list).unwrap().services[0])
        };
        let comparison = compare_with_listed(&policy(), &stepped, Some(&listed_step("Default", "10")));
        assert_eq!(summaries(&comparison), ["quantity_step 5 10 applied"]);
        assert_eq!(
            listed_step("Default", "99999999999").quantity_step,
            Some(1_000_000_000),
            "clamped to the limit of a service"
        );
        assert_eq!(
            listed_step("Package", "10").quantity_step,
            Some(1),
            "the quantity of a package is always one"
        );
        for none in ["0", "-5", "x", ""] {
            assert_eq!(listed_step("Default", none).quantity_step, None, "{none}");
        }
        stepped.services[0].sync_quantity_limits = false;
        assert!(compare_with_listed(&policy(), &stepped, Some(&listed_step("Default", "10"))).is_empty());
    }

    #[test]
    fn the_lowest_price_rises_with_the_cost_and_so_do_customer_prices() {
        let mut with_customer_price = provider("1", false);
        (with_customer_price.services[0].price, with_customer_price.services[0].lowest_customer_price) =
            (money("2"), Some(money("1.2")));
        let expected =
            ["source_price 1 1.2 applied", "min_price 1.1 1.32 applied", "own_prices 1.1 1.32 applied"];
        assert_eq!(
            summaries(&compare_with_listed(&policy(), &with_customer_price, Some(&listed("1.2")))),
            expected
        );
        with_customer_price.services[0].lowest_customer_price = Some(money("1.4"));
        assert_eq!(
            summaries(&compare_with_listed(&policy(), &with_customer_price, Some(&listed("1.2")))),
            expected[..2],
            "no customer price is below the lowest price"
        );
        assert_eq!(
            summaries(&compare_with_listed(&policy(), &with_customer_price, Some(&listed("0.9")))),
            ["source_price 1 0.9 applied"]
        );
        let mut held = provider("1", true);
        held.services[0].margin = Some(fraction("1"));
        held.services[0].price = money("2");
        let comparison = compare_with_listed(&policy(), &held, Some(&listed("1.5")));
        assert_eq!(
            summaries(&comparison),
            ["source_price 1 1.5 held", "min_price 1.1 1.65 applied"],
            "the panel charges the held price already"
        );
    }

    #[test]
    fn an_incompatible_type_deactivates_a_service_whatever_its_price() {
        let mut imported = provider("1", true);
        imported.services[0].imported_as = Some(PanelServiceType::Poll);
        let expected =
            ["source_price 1 0.9 applied", "default_price 1.3 1.17 applied", "min_price 1.1 0.99 applied"];
        let comparison = compare_with_listed(&policy(), &imported, Some(&listed("0.9")));
        assert_eq!(summaries(&comparison)[..3], expected);
        assert_eq!(summaries(&comparison)[3..], ["is_deactivated false true applied"]);
        (imported.services[0].is_deactivated, imported.services[0].deactivated_by_sync) = (true, true);
        assert!(
            compare_with_listed(&policy(), &imported, Some(&listed("1"))).is_empty(),
            "a profitable price does not reactivate it"
        );
        imported.services[0].imported_as = Some(PanelServiceType::Default);
        let comparison = compare_with_listed(&policy(), &imported, Some(&listed("1")));
        assert_eq!(summaries(&comparison), ["is_deactivated true false applied"]);
        // Staff created it: every type is compatible whose required answers the service asks for.
        imported.services[0].imported_as = None;
        (imported.services[0].is_deactivated, imported.services[0].deactivated_by_sync) = (false, false);
        let mut comments = listed("1");
        comments.kind = "Custom Comments".into();
        let comparison = compare_with_listed(&policy(), &imported, Some(&comments));
        assert_eq!(summaries(&comparison), ["is_deactivated false true applied"]);
        imported.services[0].answer_kinds = vec![AnswerKind { kind: TargetName::Comment, parameter: None }];
        assert!(compare_with_listed(&policy(), &imported, Some(&comments)).is_empty());
    }

    #[test]
    fn no_price_changes_without_an_exchange_rate() {
        let comparison = compare_with_listed(
            &SyncPolicy { currency: "RUB".into(), ..policy() },
            &provider("1", true),
            Some(&listed("3")),
        );
        assert!(comparison.lacks_exchange_rate && comparison.is_empty());
    }
}
