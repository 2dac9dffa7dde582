//! Types that many resources share: references by id and name, results of bulk requests, the dry-run parameter, update fields.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use crate::amount::{Fraction, Money};
use crate::ids::{OrderId, RecordId, ServiceId, UserId};

/// Translated texts, by locale and then by field: `{"en": {"name": "Likes"}}`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct Translations(pub BTreeMap<String, BTreeMap<String, String>>);

impl Translations {
    /// The text of `field` in `locale`; `None` if it is missing or empty.
    #[must_use]
    pub fn text(&self, locale: &str, field: &str) -> Option<&str> {
        self.0.get(locale)?.get(field).map(String::as_str).filter(|text| !text.is_empty())
    }

    /// Sets the text of `field` in `locale`. Replaces an existing text.
    pub fn put(&mut self, locale: &str, field: &str, text: &str) {
        self.0.entry(locale.to_owned()).or_default().insert(field.to_owned(), text.to_owned());
    }
}

crate::string_enum! {
    /// A language that customer-facing texts can be translated to.
    LocaleCode {
        En = "en",
        Ru = "ru",
        Es = "es",
        Fr = "fr",
        De = "de",
        HiIn = "hi_IN",
        Ko = "ko",
        PtBr = "pt_BR",
        Tr = "tr",
        ZhCn = "zh_CN",
        Ja = "ja",
        Vi = "vi",
    }
}

/// Actions that the caller's permissions and the record's state allow on a record that can be archived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ArchivableActions {
    /// Whether the caller can update the record.
    pub editable: bool,
    /// Whether the caller can archive the record by `POST …/{id}/archive`.
    pub archivable: bool,
    /// Whether the caller can restore the archived record by `POST …/{id}/unarchive`.
    pub restore: bool,
}

/// The same actions as [`ArchivableActions`], for grades and quests. The API calls their third field `unarchivable`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ArchiveAndRestoreActions {
    /// Whether the caller can update the record.
    pub editable: bool,
    /// Whether the caller can archive the record by `POST …/{id}/archive`.
    pub archivable: bool,
    /// Whether the caller can restore the archived record by `POST …/{id}/unarchive`.
    pub unarchivable: bool,
}

impl From<ArchivableActions> for ArchiveAndRestoreActions {
    fn from(ArchivableActions { editable, archivable, restore }: ArchivableActions) -> Self {
        Self { editable, archivable, unarchivable: restore }
    }
}

/// A reference to another record by its id and display name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NamedRef<I = RecordId> {
    /// Id of the referenced record.
    #[schema(value_type = i64)]
    pub id: I,
    /// Display name of the referenced record.
    pub name: String,
}

/// A response of the form `{"data": …}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Data<T> {
    /// The requested resource or list of resources.
    pub data: T,
}

// Not derived, because a derived schema cannot express that `T` may be a list.
impl<T: PartialSchema> PartialSchema for Data<T> {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().property("data", T::schema()).required("data").into()
    }
}

impl<T: ToSchema> ToSchema for Data<T> {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        T::schemas(schemas);
    }
}

impl<T: Serialize + serde::de::DeserializeOwned + ToSchema + Send + Sync + 'static> crate::endpoint::ApiBody
    for Data<T>
{
}

/// `dry_run=1`: the server makes the same checks and returns the same response, but writes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct DryRun {
    /// `1` or `true` validates the request and previews its result without writing anything.
    #[serde(default, deserialize_with = "deserialize_flag", skip_serializing_if = "is_false")]
    #[param(value_type = Option<String>, example = "1")]
    pub dry_run: bool,
}

impl DryRun {
    /// The server validates the request and returns its result, but writes nothing.
    pub const YES: Self = Self { dry_run: true };
    /// The server executes the request.
    pub const NO: Self = Self { dry_run: false };
}

crate::serde_queries!(DryRun);

/// For `skip_serializing_if`: whether a flag has the default value false.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(crate) fn is_false(flag: &bool) -> bool {
    !flag
}

/// Deserializes a flag of a query or form: `1`, `true`, `0`, `false`, or empty for false.
pub(crate) fn deserialize_flag<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
    match text.as_ref() {
        "1" | "true" => Ok(true),
        "0" | "false" | "" => Ok(false),
        _ => Err(serde::de::Error::custom("must be 1 or 0")),
    }
}

/// Result of a bulk request. Each requested id is either counted in `processed` or listed in `skipped`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BulkOutcome {
    /// Number of records that the request changed.
    pub processed: i64,
    /// Records that the request left unchanged, in the order of the requested ids, each with its reason.
    pub skipped: Vec<SkippedRecord>,
    /// Counts and sums over the changed records.
    pub totals: BulkTotals,
    /// Whether the request was a dry run, which changes nothing.
    pub dry_run: bool,
    /// Offer to undo the request; absent if it cannot be undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<UndoOffer>,
    /// Costs of the orders at the new provider; absent unless the request changed the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub costs: Option<ProviderCosts>,
    /// Ids of the customers and services that `totals` counts. A client that splits a bulk action into several requests needs
    /// the ids to count each customer and service only once.
    #[serde(default, skip_serializing_if = "AffectedIds::is_empty")]
    pub affected_ids: AffectedIds,
}

/// Ids of the customers and services that a bulk request affects. Each list is ascending and has no duplicates.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct AffectedIds {
    /// Ids of customers who received a refund.
    pub users: Vec<UserId>,
    /// Ids of the services of the changed orders.
    pub services: Vec<ServiceId>,
    /// Ids of the customers of the changed orders.
    pub customers: Vec<UserId>,
}

impl AffectedIds {
    fn is_empty(&self) -> bool {
        self.users.is_empty() && self.services.is_empty() && self.customers.is_empty()
    }

    /// The number of ids in each list, as totals without amounts.
    #[must_use]
    pub fn totals(&self) -> BulkTotals {
        let to_i64 = |length: usize| i64::try_from(length).unwrap_or(i64::MAX);
        BulkTotals {
            users: to_i64(self.users.len()),
            services: to_i64(self.services.len()),
            customers: to_i64(self.customers.len()),
            ..BulkTotals::default()
        }
    }
}

/// Costs of placing orders at another provider, in the panel's currency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProviderCosts {
    /// Sum over all orders; null if the exchange rate of a price is unknown.
    pub total: Option<ProviderMargin>,
    /// Cost of each changed order, in the order of the requested ids.
    pub orders: Vec<OrderProviderCost>,
}

/// Cost of placing one order at another provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderProviderCost {
    /// Id of the order that the cost is for.
    pub id: OrderId,
    /// Units that are ordered at the provider.
    pub quantity: i64,
    /// Cost and margin; null if the exchange rate of the provider's price is unknown.
    pub margin: Option<ProviderMargin>,
}

/// Cost of an order at a provider, and the margin that remains of the charge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProviderMargin {
    /// Cost of the units at the current price of the provider.
    pub provider_cost: Money,
    /// The customer's charge minus refunds, minus the provider costs so far, minus `provider_cost`.
    pub margin: Money,
    /// The margin as a fraction of the charge minus refunds; null if the charge minus refunds is 0.
    pub margin_fraction: Option<Fraction>,
}

/// How to undo a request by `POST /api/v1/admin/undo`. In a response for a single record, the field `undo` next to `data` holds
/// this offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UndoOffer {
    /// Id of the request to undo, as in the `X-Request-Id` response header and in the server's log.
    pub request_id: String,
    /// Number of records whose change can be undone. Other changes of the request cannot be undone.
    pub records: i64,
}

/// A record that a bulk request left unchanged, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkippedRecord {
    /// Id of the record that was skipped.
    pub id: RecordId,
    /// Machine-readable reason that never changes, such as `not_found` or `order_not_cancelable`.
    pub code: String,
    /// Reason as one English sentence, for users.
    pub message: String,
}

/// Counts and sums of a bulk request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct BulkTotals {
    /// Number of orders whose status changed.
    pub orders: i64,
    /// Amount refunded to customers, in the panel's currency.
    pub refunded: Money,
    /// Number of customers who received a refund. In a bulk request about users, the number of changed users.
    pub users: i64,
    /// Amount charged to customers, in the panel's currency.
    #[serde(default)]
    pub charged: Money,
    /// Number of distinct services of the changed orders.
    #[serde(default)]
    pub services: i64,
    /// Number of distinct customers of the changed orders.
    #[serde(default)]
    pub customers: i64,
}

/// An enum value with its label, for forms and filters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Choice {
    /// Value to send in requests.
    #[serde(rename = "type")]
    pub kind: String,
    /// English label that user interfaces show.
    pub label: String,
}

crate::json_bodies!(BulkOutcome);

/// A field of an update: an absent field keeps its value, null (or an empty string) clears it, a value replaces it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Patch<T> {
    /// The field is absent and keeps its value.
    #[default]
    Keep,
    /// The field is null and is cleared.
    Clear,
    /// The field has a value, which replaces the current one.
    Set(T),
}

impl<T> Patch<T> {
    /// Whether the field is absent.
    pub const fn is_keep(&self) -> bool {
        matches!(self, Self::Keep)
    }

    /// The value of the field after the update of `current`.
    #[must_use]
    pub fn apply_to(&self, current: Option<T>) -> Option<T>
    where
        T: Clone,
    {
        match self {
            Self::Keep => current,
            Self::Clear => None,
            Self::Set(value) => Some(value.clone()),
        }
    }

    /// The field as nested options: `None` if the field is absent, `Some(None)` to clear it, `Some(Some(value))` to replace it.
    pub const fn as_update(&self) -> Option<Option<&T>> {
        match self {
            Self::Keep => None,
            Self::Clear => Some(None),
            Self::Set(value) => Some(Some(value)),
        }
    }
}

impl<T: Serialize> Serialize for Patch<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_update().flatten().serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Self::Clear, Self::Set))
    }
}
