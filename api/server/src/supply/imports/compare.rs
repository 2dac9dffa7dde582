//! Decides which changes a sync makes to providers and services after the service list of an external panel changed. This module
//! uses no database. A sync finds changes with these rules, checks them again under locks, and staff approvals of held changes use
//! the same rules.

use std::fmt;

use panel_contract::amount::{Fraction, Money};
use panel_contract::external_services::{SyncField, SyncState};
use panel_contract::ids::{ProviderId, RecordId, ServiceId, SyncChangeId};
use panel_contract::panel_service_types::PanelServiceType;

use super::prices;
use super::stored_catalogue::ListedService;
use crate::catalogue::delivery_checks::{AnswerKind, check_deliverable};
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

/// Which fields a sync copies from an external panel to the imported services, and the limits for prices.
#[derive(Debug, Clone, Default)]
pub struct SyncPolicy {
    /// Whether a sync disables a provider when its service is no longer listed, and enables the provider when the service is listed
    /// again.
    pub availability: bool,
    pub prices: bool,
    pub names: bool,
    /// Minimum quantity, maximum quantity and step.
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
    /// Maximum price change that needs no approval by staff, as a fraction of the price.
    pub price_jump_limit: Fraction,
    /// Margin of the external panel, for services without a margin of their own.
    pub panel_margin: Option<Fraction>,
    /// Minimum margin in the settings, if any.
    pub min_margin: Option<Fraction>,
    pub rates: ExchangeRates,
}

/// A change of a field of a provider that an earlier sync held for approval, or that a staff member rejected. As long as the
/// external panel lists the same value, a sync does not hold the change again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldOrRejectedChange {
    pub id: SyncChangeId,
    pub new_value: String,
}

/// A provider that a sync compares with the list of its external panel.
#[derive(Debug, Clone)]
pub struct SyncedProvider {
    pub id: ProviderId,
    /// Id of the service at the external panel.
    pub external_service_id: String,
    /// The external panel's price for `pricing_per` units at the last sync.
    pub price: Money,
    pub currency: String,
    pub pricing_per: i64,
    pub is_active: bool,
    /// Whether a sync disabled this provider because its service was no longer listed.
    pub is_vanished: bool,
    pub held_or_rejected_price: Option<HeldOrRejectedChange>,
    pub held_or_rejected_availability: Option<HeldOrRejectedChange>,
    /// Services whose first active provider is this provider, so that their orders are sent to it.
    pub services: Vec<SyncedService>,
}

/// A service to which a sync copies fields from the external panel of its first active provider. A field is copied only if it is
/// enabled both in the `sync_*` flags of the service and in [`SyncPolicy`].
#[derive(Debug, Clone)]
pub struct SyncedService {
    pub id: ServiceId,
    pub name: String,
    /// Price for `pricing_per` units.
    pub price: Money,
    /// Discounts never lower the price below this price.
    pub min_price: Money,
    pub pricing_per: i64,
    pub min_quantity: i64,
    pub max_quantity: i64,
    /// Allowed quantities are `min_quantity` plus a multiple of this step.
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
    /// Lowest price for a single customer that is at least `min_price`. Lower prices were agreed with the customer and are never
    /// raised.
    pub lowest_customer_price: Option<Money>,
    pub is_deactivated: bool,
    pub deactivated_by_sync: bool,
    /// Units to order at the external panel for each sold unit; at least 1.
    pub order_quantity_ratio: Fraction,
    /// Lowest price that covers the costs at the other available providers of the service.
    pub lowest_price_by_other_providers: Money,
    /// The service type at the time of the import; `None` if staff created the service.
    pub imported_type: Option<PanelServiceType>,
    /// Kinds of the answers that every order of the service contains.
    pub answer_kinds: Vec<AnswerKind>,
}

impl SyncedService {
    /// Whether the external panel would reject orders of this service, because `listed_type` is no longer the imported type, or
    /// because it requires answers for which a service that staff created does not ask.
    pub(super) fn has_incompatible_type(&self, listed_type: &str) -> bool {
        match self.imported_type {
            Some(imported_type) => PanelServiceType::parse(listed_type) != Some(imported_type),
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
    /// `Applied` for a change that is applied now, `Held` for a change that waits for approval by staff.
    pub state: SyncState,
}

impl SyncChange {
    /// Returns the id of the changed service, or of the provider if the change has no service.
    pub(super) fn changed_record_id(&self) -> RecordId {
        self.service.map_or(self.provider.as_record_id(), ServiceId::as_record_id)
    }
}

/// The result of comparing a provider with the service list of its external panel.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SyncComparison {
    /// Changes to apply and changes to hold for approval.
    pub changes: Vec<SyncChange>,
    /// Earlier held or rejected changes whose value the external panel no longer lists.
    pub outdated_ids: Vec<SyncChangeId>,
    /// Whether a price could not be compared because its currency has no exchange rate.
    pub lacks_exchange_rate: bool,
}

impl SyncComparison {
    /// Whether the comparison found nothing to write.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.outdated_ids.is_empty()
    }
}

/// Compares a provider with its service in the list of the external panel. `listed` is `None` if a complete list does not contain
/// the service.
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
            (listed.rate, imports::units_per_price(&listed.kind)),
            &mut comparison,
        );
    }
    for service in &provider.services {
        if policy.availability && !policy.prices && service.is_deactivated && service.deactivated_by_sync {
            // If prices are synced, `compare_price` decides whether to reactivate the service.
            let (old, new) = (FieldValue::Flag(true), FieldValue::Flag(false));
            comparison.changes.push(applied_change(
                provider,
                Some(service.id),
                SyncField::IsDeactivated,
                old,
                new,
            ));
        }
        if policy.availability && service.has_incompatible_type(&listed.kind) {
            deactivate(provider, service, &mut comparison);
        }
        comparison.changes.extend(
            find_copied_fields(policy, service, listed)
                .into_iter()
                .filter(|(_, old, new)| old != new)
                .map(|(field, old, new)| applied_change(provider, Some(service.id), field, old, new)),
        );
    }
    comparison
}

/// Deactivates a service regardless of its price.
fn deactivate(provider: &SyncedProvider, service: &SyncedService, comparison: &mut SyncComparison) {
    let changes_is_deactivated =
        |change: &SyncChange| change.service == Some(service.id) && change.field == SyncField::IsDeactivated;
    comparison.changes.retain(|change| !changes_is_deactivated(change));
    if !service.is_deactivated {
        let (old, new) = (FieldValue::Flag(false), FieldValue::Flag(true));
        comparison.changes.push(applied_change(
            provider,
            Some(service.id),
            SyncField::IsDeactivated,
            old,
            new,
        ));
    }
}

/// Returns the fields that a sync copies to the service, each with its current and its new value.
fn find_copied_fields(
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
        // If the list has no step, the external panel may still require one, so the current step stays.
        let new_step = listed.quantity_step.map(FieldValue::Integer);
        fields.extend(
            new_step.map(|step| (SyncField::QuantityStep, FieldValue::Integer(service.quantity_step), step)),
        );
    }
    if policy.details && service.sync_details {
        // If the list does not contain a field, its value is unknown, not false.
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
    fields.extend(find_copied_texts(policy, service, &listed.texts));
    fields
}

/// Returns the texts and labels to copy, which only external panels of the same product send. A text that the list omits stays
/// unchanged.
fn find_copied_texts(
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

/// Creates a change that the sync applies without approval.
pub(super) fn applied_change(
    provider: &SyncedProvider,
    service: Option<ServiceId>,
    field: SyncField,
    old: FieldValue,
    new: FieldValue,
) -> SyncChange {
    let (id, external_service_id) = (provider.id, provider.external_service_id.clone());
    SyncChange { provider: id, external_service_id, service, field, old, new, state: SyncState::Applied }
}

/// Compares whether the service is listed. If the service is no longer listed, the change is held; `sync.rs` applies it without
/// approval if only a few services are missing. If the service is listed again, the provider is enabled without approval.
fn compare_availability(provider: &SyncedProvider, is_listed: bool, comparison: &mut SyncComparison) {
    let (old, new) = (FieldValue::Flag(!is_listed), FieldValue::Flag(is_listed));
    let change = applied_change(provider, None, SyncField::Availability, old, new);
    match (is_listed, &provider.held_or_rejected_availability) {
        (false, None) if provider.is_active => {
            comparison.changes.push(SyncChange { state: SyncState::Held, ..change });
        }
        (true, held_or_rejected) => {
            comparison.outdated_ids.extend(held_or_rejected.as_ref().map(|change| change.id));
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

    fn test_policy() -> SyncPolicy {
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

    fn listed_service(rate: &str) -> ListedService {
        let list =
            serde_json::json!([{ "service": 7, "name": "Likes", "rate": rate, "min": "10", "max": "1000" }]);
        ListedService::from_catalogue(&responses::parse_catalogue(&list).unwrap().services[0])
    }

    fn provider_with_price(price: &str, sync_price: bool) -> SyncedProvider {
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
            imported_type: None,
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
            held_or_rejected_price: None,
            held_or_rejected_availability: None,
            services: vec![service],
        }
    }

    fn change_summaries(comparison: &SyncComparison) -> Vec<String> {
        comparison
            .changes
            .iter()
            .map(|change| format!("{} {} {} {}", change.field, change.old, change.new, change.state))
            .collect()
    }

    #[test]
    fn an_unchanged_service_gives_no_changes() {
        assert!(
            compare_with_listed(&test_policy(), &provider_with_price("1", true), Some(&listed_service("1")))
                .is_empty()
        );
    }

    #[test]
    fn a_synced_price_keeps_its_margin_and_an_unsynced_price_below_cost_deactivates_the_service() {
        let comparison = compare_with_listed(
            &test_policy(),
            &provider_with_price("1", true),
            Some(&listed_service("1.2")),
        );
        let expected_changes =
            ["source_price 1 1.2 applied", "default_price 1.3 1.56 applied", "min_price 1.1 1.32 applied"];
        assert_eq!(change_summaries(&comparison), expected_changes);
        let comparison = compare_with_listed(
            &test_policy(),
            &provider_with_price("1", false),
            Some(&listed_service("1.2")),
        );
        assert_eq!(
            change_summaries(&comparison),
            ["source_price 1 1.2 applied", "is_deactivated false true applied"]
        );
        let mut with_deactivated_service = provider_with_price("1.2", false);
        (
            with_deactivated_service.services[0].is_deactivated,
            with_deactivated_service.services[0].deactivated_by_sync,
        ) = (true, true);
        let comparison =
            compare_with_listed(&test_policy(), &with_deactivated_service, Some(&listed_service("1")));
        assert_eq!(
            change_summaries(&comparison),
            ["source_price 1.2 1 applied", "is_deactivated true false applied"]
        );
        with_deactivated_service.services[0].deactivated_by_sync = false;
        assert_eq!(
            change_summaries(&compare_with_listed(
                &test_policy(),
                &with_deactivated_service,
                Some(&listed_service("1"))
            )),
            ["source_price 1.2 1 applied"],
            "a sync must not reactivate a service that staff deactivated"
        );
    }

    #[test]
    fn the_most_expensive_provider_and_the_quantity_ratio_set_the_lowest_price() {
        let mut with_two_providers = provider_with_price("1", true);
        with_two_providers.services[0].lowest_price_by_other_providers = money("1.5");
        let comparison =
            compare_with_listed(&test_policy(), &with_two_providers, Some(&listed_service("1.1")));
        let expected_changes =
            ["source_price 1 1.1 applied", "default_price 1.3 1.5 applied", "min_price 1.1 1.5 applied"];
        assert_eq!(change_summaries(&comparison), expected_changes);
        with_two_providers.services[0].sync_price = false;
        let comparison = compare_with_listed(&test_policy(), &with_two_providers, Some(&listed_service("1")));
        assert_eq!(
            change_summaries(&comparison),
            ["is_deactivated false true applied"],
            "a price below the cost of the other provider must deactivate the service"
        );
        let mut with_ratio = provider_with_price("1", true);
        with_ratio.services[0].order_quantity_ratio = fraction("2");
        let comparison = compare_with_listed(&test_policy(), &with_ratio, Some(&listed_service("1.1")));
        let expected_changes =
            ["source_price 1 1.1 applied", "default_price 1.3 2.86 applied", "min_price 1.1 2.42 applied"];
        assert_eq!(change_summaries(&comparison), expected_changes);
    }

    #[test]
    fn a_service_that_became_a_package_is_priced_per_piece() {
        let list = serde_json::json!([{ "service": 7, "name": "Likes", "type": "Package", "rate": "1", "min": "1", "max": "1" }]);
        let listed_package =
            ListedService::from_catalogue(&responses::parse_catalogue(&list).unwrap().services[0]);
        let price_policy = SyncPolicy {
            prices: true,
            price_jump_limit: fraction("0.2"),
            min_margin: Some(fraction("0.1")),
            ..SyncPolicy::default()
        };
        let comparison =
            compare_with_listed(&price_policy, &provider_with_price("1", true), Some(&listed_package));
        assert_eq!(
            change_summaries(&comparison),
            ["source_price 1 1 held", "is_deactivated false true applied"]
        );
        let policy_without_jump_limit = SyncPolicy { price_jump_limit: fraction("10000"), ..price_policy };
        let comparison = compare_with_listed(
            &policy_without_jump_limit,
            &provider_with_price("1", true),
            Some(&listed_package),
        );
        let expected_changes =
            ["source_price 1 1 applied", "default_price 1.3 1300 applied", "min_price 1.1 1100 applied"];
        assert_eq!(change_summaries(&comparison), expected_changes);
    }

    #[test]
    fn a_price_jump_is_held_and_the_service_is_deactivated_while_it_would_lose_money() {
        let comparison =
            compare_with_listed(&test_policy(), &provider_with_price("1", true), Some(&listed_service("3")));
        assert_eq!(
            change_summaries(&comparison),
            ["source_price 1 3 held", "is_deactivated false true applied"]
        );
        let comparison = compare_with_listed(
            &test_policy(),
            &provider_with_price("1", true),
            Some(&listed_service("0.1")),
        );
        assert_eq!(
            change_summaries(&comparison),
            ["source_price 1 0.1 held"],
            "a lower cost must not deactivate the service"
        );
        let mut with_held_price = provider_with_price("1", true);
        with_held_price.held_or_rejected_price =
            Some(HeldOrRejectedChange { id: SyncChangeId::new(9), new_value: "3".into() });
        (with_held_price.services[0].is_deactivated, with_held_price.services[0].deactivated_by_sync) =
            (true, true);
        assert!(
            compare_with_listed(&test_policy(), &with_held_price, Some(&listed_service("3"))).is_empty(),
            "the same value must not be held twice"
        );
        let comparison = compare_with_listed(&test_policy(), &with_held_price, Some(&listed_service("4")));
        assert_eq!(
            (change_summaries(&comparison), comparison.outdated_ids),
            (vec!["source_price 1 4 held".into()], vec![SyncChangeId::new(9)])
        );
        let comparison = compare_with_listed(&test_policy(), &with_held_price, Some(&listed_service("1")));
        assert_eq!(
            (change_summaries(&comparison), comparison.outdated_ids),
            (vec!["is_deactivated true false applied".into()], vec![SyncChangeId::new(9)])
        );
    }

    #[test]
    fn a_service_that_a_sync_deactivated_is_reactivated_without_price_sync() {
        let mut with_deactivated_service = provider_with_price("1", true);
        with_deactivated_service.services[0].is_deactivated = true;
        let policy = SyncPolicy { prices: false, ..test_policy() };
        assert!(
            compare_with_listed(&policy, &with_deactivated_service, Some(&listed_service("1"))).is_empty(),
            "a sync must not reactivate a service that staff deactivated"
        );
        with_deactivated_service.services[0].deactivated_by_sync = true;
        assert_eq!(
            change_summaries(&compare_with_listed(
                &policy,
                &with_deactivated_service,
                Some(&listed_service("1"))
            )),
            ["is_deactivated true false applied"]
        );
    }

    #[test]
    fn disabling_a_missing_service_is_held_and_enabling_a_listed_service_is_applied() {
        let mut with_missing_service = provider_with_price("1", true);
        assert_eq!(
            change_summaries(&compare_with_listed(&test_policy(), &with_missing_service, None)),
            ["availability true false held"]
        );
        with_missing_service.held_or_rejected_availability =
            Some(HeldOrRejectedChange { id: SyncChangeId::new(4), new_value: "false".into() });
        assert!(compare_with_listed(&test_policy(), &with_missing_service, None).is_empty());
        assert_eq!(
            compare_with_listed(&test_policy(), &with_missing_service, Some(&listed_service("1")))
                .outdated_ids,
            [SyncChangeId::new(4)]
        );
        (
            with_missing_service.held_or_rejected_availability,
            with_missing_service.is_active,
            with_missing_service.is_vanished,
        ) = (None, false, true);
        assert_eq!(
            change_summaries(&compare_with_listed(
                &test_policy(),
                &with_missing_service,
                Some(&listed_service("1"))
            )),
            ["availability false true applied"]
        );
        assert!(compare_with_listed(&test_policy(), &with_missing_service, None).is_empty());
    }

    #[test]
    fn only_fields_that_the_policy_enables_are_synced() {
        let empty_policy = SyncPolicy {
            price_jump_limit: fraction("0.2"),
            min_margin: Some(fraction("0.1")),
            ..SyncPolicy::default()
        };
        let mut with_changed_fields = provider_with_price("9", true);
        (with_changed_fields.services[0].name, with_changed_fields.services[0].min_quantity) =
            ("Hearts".into(), 5);
        assert!(
            compare_with_listed(&empty_policy, &with_changed_fields, Some(&listed_service("1"))).is_empty()
                && compare_with_listed(&empty_policy, &with_changed_fields, None).is_empty()
        );
        let names_and_limits_policy =
            SyncPolicy { names: true, quantity_limits: true, ..empty_policy.clone() };
        let expected_changes = ["name Hearts Likes applied", "min_quantity 5 10 applied"];
        assert_eq!(
            change_summaries(&compare_with_listed(
                &names_and_limits_policy,
                &with_changed_fields,
                Some(&listed_service("1"))
            )),
            expected_changes
        );
        let availability_policy = SyncPolicy { availability: true, ..empty_policy };
        assert_eq!(
            change_summaries(&compare_with_listed(&availability_policy, &with_changed_fields, None)),
            ["availability true false held"]
        );
    }

    #[test]
    fn fields_that_the_list_omits_stay_unchanged() {
        let mut provider = provider_with_price("1", true);
        (provider.services[0].has_refill, provider.services[0].drip_feed_is_allowed) = (true, true);
        provider.services[0].description = "Ours".into();
        assert!(
            compare_with_listed(&test_policy(), &provider, Some(&listed_service("1"))).is_empty(),
            "a field that the list omits must not change"
        );
        let with_details = serde_json::json!([{ "service": 7, "name": "Likes", "rate": "1", "min": "10", "max": "1000", "refill": 0, "dripfeed": "1",
            "desc": "Fast<br>and <b>real</b> <3" }]);
        let with_details =
            ListedService::from_catalogue(&responses::parse_catalogue(&with_details).unwrap().services[0]);
        let expected_changes =
            ["has_refill true false applied", "description Ours Fast\nand real <3 applied"];
        assert_eq!(
            change_summaries(&compare_with_listed(&test_policy(), &provider, Some(&with_details))),
            expected_changes
        );
        provider.services[0].sync_details = false;
        provider.services[0].sync_description = false;
        assert!(compare_with_listed(&test_policy(), &provider, Some(&with_details)).is_empty());
    }

    #[test]
    fn the_step_is_synced_with_the_quantity_limits_if_the_list_has_one() {
        let mut with_step = provider_with_price("1", true);
        with_step.services[0].quantity_step = 5;
        assert!(
            compare_with_listed(&test_policy(), &with_step, Some(&listed_service("1"))).is_empty(),
            "a field that the list omits must not change"
        );
        let listed_with_step = |kind: &str, step: &str| {
            let list = serde_json::json!([{ "service": 7, "name": "Likes", "type": kind, "rate": "1", "min": "10", "max": "1000", "step": step }]);
            ListedService::from_catalogue(&responses::parse_catalogue(&list).unwrap().services[0])
        };
        let comparison =
            compare_with_listed(&test_policy(), &with_step, Some(&listed_with_step("Default", "10")));
        assert_eq!(change_summaries(&comparison), ["quantity_step 5 10 applied"]);
        assert_eq!(
            listed_with_step("Default", "99999999999").quantity_step,
            Some(1_000_000_000),
            "the step must be limited to the maximum of a service"
        );
        assert_eq!(
            listed_with_step("Package", "10").quantity_step,
            Some(1),
            "the quantity of a package must always be one"
        );
        for invalid_step in ["0", "-5", "x", ""] {
            assert_eq!(listed_with_step("Default", invalid_step).quantity_step, None, "{invalid_step}");
        }
        with_step.services[0].sync_quantity_limits = false;
        assert!(
            compare_with_listed(&test_policy(), &with_step, Some(&listed_with_step("Default", "10")))
                .is_empty()
        );
    }

    #[test]
    fn the_lowest_price_rises_with_the_cost_and_so_do_customer_prices() {
        let mut with_customer_price = provider_with_price("1", false);
        (with_customer_price.services[0].price, with_customer_price.services[0].lowest_customer_price) =
            (money("2"), Some(money("1.2")));
        let expected_changes =
            ["source_price 1 1.2 applied", "min_price 1.1 1.32 applied", "own_prices 1.1 1.32 applied"];
        assert_eq!(
            change_summaries(&compare_with_listed(
                &test_policy(),
                &with_customer_price,
                Some(&listed_service("1.2"))
            )),
            expected_changes
        );
        with_customer_price.services[0].lowest_customer_price = Some(money("1.4"));
        assert_eq!(
            change_summaries(&compare_with_listed(
                &test_policy(),
                &with_customer_price,
                Some(&listed_service("1.2"))
            )),
            expected_changes[..2],
            "a customer price above the new lowest price must not be raised"
        );
        assert_eq!(
            change_summaries(&compare_with_listed(
                &test_policy(),
                &with_customer_price,
                Some(&listed_service("0.9"))
            )),
            ["source_price 1 0.9 applied"]
        );
        let mut with_held_price = provider_with_price("1", true);
        with_held_price.services[0].margin = Some(fraction("1"));
        with_held_price.services[0].price = money("2");
        let comparison = compare_with_listed(&test_policy(), &with_held_price, Some(&listed_service("1.5")));
        assert_eq!(
            change_summaries(&comparison),
            ["source_price 1 1.5 held", "min_price 1.1 1.65 applied"],
            "the minimum price must cover the held price, because the external panel already charges it"
        );
    }

    #[test]
    fn an_incompatible_type_deactivates_a_service_whatever_its_price() {
        let mut with_imported_service = provider_with_price("1", true);
        with_imported_service.services[0].imported_type = Some(PanelServiceType::Poll);
        let expected_changes =
            ["source_price 1 0.9 applied", "default_price 1.3 1.17 applied", "min_price 1.1 0.99 applied"];
        let comparison =
            compare_with_listed(&test_policy(), &with_imported_service, Some(&listed_service("0.9")));
        assert_eq!(change_summaries(&comparison)[..3], expected_changes);
        assert_eq!(change_summaries(&comparison)[3..], ["is_deactivated false true applied"]);
        (
            with_imported_service.services[0].is_deactivated,
            with_imported_service.services[0].deactivated_by_sync,
        ) = (true, true);
        assert!(
            compare_with_listed(&test_policy(), &with_imported_service, Some(&listed_service("1")))
                .is_empty(),
            "a profitable price must not reactivate a service of an incompatible type"
        );
        with_imported_service.services[0].imported_type = Some(PanelServiceType::Default);
        let comparison =
            compare_with_listed(&test_policy(), &with_imported_service, Some(&listed_service("1")));
        assert_eq!(change_summaries(&comparison), ["is_deactivated true false applied"]);
        // If staff created the service, every type is compatible for which the service asks the required answers.
        with_imported_service.services[0].imported_type = None;
        (
            with_imported_service.services[0].is_deactivated,
            with_imported_service.services[0].deactivated_by_sync,
        ) = (false, false);
        let mut listed_comments = listed_service("1");
        listed_comments.kind = "Custom Comments".into();
        let comparison = compare_with_listed(&test_policy(), &with_imported_service, Some(&listed_comments));
        assert_eq!(change_summaries(&comparison), ["is_deactivated false true applied"]);
        with_imported_service.services[0].answer_kinds =
            vec![AnswerKind { kind: TargetName::Comment, parameter: None }];
        assert!(
            compare_with_listed(&test_policy(), &with_imported_service, Some(&listed_comments)).is_empty()
        );
    }

    #[test]
    fn no_price_changes_without_an_exchange_rate() {
        let comparison = compare_with_listed(
            &SyncPolicy { currency: "RUB".into(), ..test_policy() },
            &provider_with_price("1", true),
            Some(&listed_service("3")),
        );
        assert!(comparison.lacks_exchange_rate && comparison.is_empty());
    }
}
