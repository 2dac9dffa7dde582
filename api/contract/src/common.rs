//! Pieces that many resources share: small references, outcomes of bulk runs, the dry-run switch.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use crate::amount::{Fraction, Money};
use crate::ids::{OrderId, RecordId, ServiceId, UserId};

/// Texts by locale and field: `{"en": {"name": "Likes"}}`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct Translations(pub BTreeMap<String, BTreeMap<String, String>>);

impl Translations {
    /// One text; empty texts count as none.
    #[must_use]
    pub fn text(&self, locale: &str, field: &str) -> Option<&str> {
        self.0.get(locale)?.get(field).map(String::as_str).filter(|text| !text.is_empty())
    }

    /// Puts one text in its place.
    pub fn put(&mut self, locale: &str, field: &str, text: &str) {
        self.0.entry(locale.to_owned()).or_default().insert(field.to_owned(), text.to_owned());
    }
}

crate::words! {
    /// A language of texts that customers read.
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

/// What the caller may do with a record that is edited, archived and restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ArchivableActions {
    /// Change it by its editor.
    pub editable: bool,
    /// Archive it, by `POST …/{id}/archive`.
    pub archivable: bool,
    /// Restore it, by `POST …/{id}/unarchive`.
    pub restore: bool,
}

/// The same as [`ArchivableActions`], as grades and quests name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct UnarchivableActions {
    /// Change it by its editor.
    pub editable: bool,
    /// Archive it, by `POST …/{id}/archive`.
    pub archivable: bool,
    /// Restore it, by `POST …/{id}/unarchive`.
    pub unarchivable: bool,
}

impl From<ArchivableActions> for UnarchivableActions {
    fn from(ArchivableActions { editable, archivable, restore }: ArchivableActions) -> Self {
        Self { editable, archivable, unarchivable: restore }
    }
}

/// A record named in passing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Named<I = RecordId> {
    /// Its id.
    #[schema(value_type = i64)]
    pub id: I,
    /// What people call it.
    pub name: String,
}

/// Answers of the form `{"data": …}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Data<T> {
    /// The answer itself.
    pub data: T,
}

// By hand: the derived one cannot tell that `T` may be a list.
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

impl<T: Serialize + serde::de::DeserializeOwned + ToSchema + Send + Sync + 'static> crate::endpoint::Wire
    for Data<T>
{
}

/// `dry_run=1`: the same checks and the same answer, and nothing is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct DryRun {
    /// 1 or true to try without writing.
    #[serde(default, deserialize_with = "flag", skip_serializing_if = "is_false")]
    #[param(value_type = Option<String>, example = "1")]
    pub dry_run: bool,
}

impl DryRun {
    /// Try, write nothing.
    pub const YES: Self = Self { dry_run: true };
    /// Really do it.
    pub const NO: Self = Self { dry_run: false };
}

crate::plain_query!(DryRun);

/// Skips a flag that is off when a query is written.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
pub(crate) fn is_false(flag: &bool) -> bool {
    !flag
}

/// Reads a flag of a query or form: `1`, `true`, `0`, `false`, or empty for false.
pub(crate) fn flag<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
    match text.as_ref() {
        "1" | "true" => Ok(true),
        "0" | "false" | "" => Ok(false),
        _ => Err(serde::de::Error::custom("must be 1 or 0")),
    }
}

/// What a bulk run did: every id asked for was either processed or stands under `skipped`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BulkOutcome {
    /// How many records moved.
    pub processed: i64,
    /// Those that did not, in the order of the ids given, each with its reason.
    pub skipped: Vec<Skipped>,
    /// What the run comes to.
    pub totals: BulkTotals,
    /// Whether this was only tried.
    pub dry_run: bool,
    /// How to take it back, where that is possible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<UndoOffer>,
    /// What a change of provider costs; none of other actions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub costs: Option<ProviderCosts>,
    /// Ids behind the totals; a client that sends several requests counts each of them once.
    #[serde(default, skip_serializing_if = "BulkReach::is_empty")]
    pub reach: BulkReach,
}

/// Whom and what a bulk run of orders reaches, each list ascending and without repeats.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct BulkReach {
    /// Customers who got money.
    pub users: Vec<UserId>,
    /// Services of the orders that moved.
    pub services: Vec<ServiceId>,
    /// Customers of the orders that moved.
    pub customers: Vec<UserId>,
}

impl BulkReach {
    fn is_empty(&self) -> bool {
        self.users.is_empty() && self.services.is_empty() && self.customers.is_empty()
    }

    /// Its numbers as totals without money.
    #[must_use]
    pub fn totals(&self) -> BulkTotals {
        let count = |records: usize| i64::try_from(records).unwrap_or(i64::MAX);
        BulkTotals {
            users: count(self.users.len()),
            services: count(self.services.len()),
            customers: count(self.customers.len()),
            ..BulkTotals::default()
        }
    }
}

/// What ordering at another provider costs, in the panel's currency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProviderCosts {
    /// Over all orders; none where a price has no exchange rate.
    pub total: Option<ProviderMargin>,
    /// For each order that moves, in the order of the ids given.
    pub orders: Vec<OrderProviderCost>,
}

/// What ordering at another provider costs for one order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderProviderCost {
    /// Id of the order.
    pub id: OrderId,
    /// Units of the order that are ordered there.
    pub quantity: i64,
    /// Cost and margin; none where the provider's price has no exchange rate.
    pub margin: Option<ProviderMargin>,
}

/// A cost and what is left of the charge after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProviderMargin {
    /// What the provider charges, by its price.
    pub provider_cost: Money,
    /// What the customer was charged, less refunds, less what providers charged so far, less this.
    pub margin: Money,
    /// The margin as a share of the charge less refunds; none of a charge of 0.
    pub margin_percent: Option<Fraction>,
}

/// Says that a request can be taken back by `POST /api/v1/admin/undo`. Answers of single records carry it as well, beside
/// `data`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UndoOffer {
    /// Request id, as in the `x-request-id` header and in the log.
    pub request_id: String,
    /// How many of the changed records can be restored; the change of the others is final.
    pub records: i64,
}

/// One record that a bulk run left as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Skipped {
    /// Its id.
    pub id: RecordId,
    /// Stable code, such as `not_found` or `order_not_cancelable`.
    pub code: String,
    /// One sentence.
    pub message: String,
}

/// Sums of a bulk run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct BulkTotals {
    /// How many orders changed their status.
    pub orders: i64,
    /// Money returned to customers.
    pub returned: Money,
    /// Customers who got money; users who moved where the run was about users.
    pub users: i64,
    /// Money charged to customers, which is final.
    #[serde(default)]
    pub charged: Money,
    /// Distinct services of the orders that moved.
    #[serde(default)]
    pub services: i64,
    /// Distinct customers of the orders that moved.
    #[serde(default)]
    pub customers: i64,
}

/// A word with its label, for pickers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Choice {
    /// What is sent.
    #[serde(rename = "type")]
    pub kind: String,
    /// What is shown.
    pub label: String,
}

crate::wire!(BulkOutcome);

/// A field of an update: left out it stays, null (or an empty text) clears it, a value sets it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Patch<T> {
    /// Not named: stays as it is.
    #[default]
    Keep,
    /// Null: cleared.
    Clear,
    /// The new value.
    Set(T),
}

impl<T> Patch<T> {
    /// Whether it was left out.
    pub const fn is_keep(&self) -> bool {
        matches!(self, Self::Keep)
    }

    /// The value of the field after the update, by the one that it has.
    #[must_use]
    pub fn over(&self, current: Option<T>) -> Option<T>
    where
        T: Clone,
    {
        match self {
            Self::Keep => current,
            Self::Clear => None,
            Self::Set(value) => Some(value.clone()),
        }
    }

    /// The wish: none when left out, `Some(None)` to clear.
    pub const fn wish(&self) -> Option<Option<&T>> {
        match self {
            Self::Keep => None,
            Self::Clear => Some(None),
            Self::Set(value) => Some(Some(value)),
        }
    }
}

impl<T: Serialize> Serialize for Patch<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.wish().flatten().serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Self::Clear, Self::Set))
    }
}
