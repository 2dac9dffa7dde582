//! Labels (features of services, such as "Custom comments") on the wire.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::{Named, Translations};
use crate::ids::{LabelId, ServiceId};
use crate::moment::Stamp;
use crate::upload::Picture;

/// A label in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LabelRow {
    /// Id of the label.
    pub id: LabelId,
    /// English name of the label.
    pub name: String,
    /// URL of the icon.
    pub icon: Option<String>,
    /// Whether services with the label require comments from the customer.
    pub is_custom_comments: bool,
    /// Number of services with the label.
    pub services_count: i64,
}

/// A label with its services and translations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Label {
    /// The fields of the list row.
    #[serde(flatten)]
    pub row: LabelRow,
    /// Services with the label, sorted by name.
    pub services: Vec<Named<ServiceId>>,
    /// Names by locale; English is always present.
    pub translations: Translations,
    /// When the record last changed; editors send it back to detect conflicts.
    pub updated_at: Stamp,
}

/// Body of `POST services/labels` and `PUT services/labels/{id}`. Absent fields keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LabelInput {
    /// English name, 1 to 100 characters; required for a new label, here or in `translations`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Icon image of the label.
    #[serde(skip_serializing_if = "Picture::is_unchanged")]
    pub icon: Picture,
    /// Whether services with the label require comments from the customer: their orders need the comments that the service asks
    /// for, and the reseller API and the customer site sell them as such. At most one label has this flag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_custom_comments: Option<bool>,
    /// Ids of all services with the label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub services: Option<Vec<ServiceId>>,
    /// All names by locale; empty texts are removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// `updated_at` of the label that the editor read; a 409 `stale_record` if it has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

crate::upload!(LabelInput);
crate::wire!(Label, LabelRow);
