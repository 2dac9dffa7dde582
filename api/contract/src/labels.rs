//! Labels of services, each for a feature, such as "Custom comments".

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::{NamedRef, Translations};
use crate::ids::{LabelId, ServiceId};
use crate::moment::Timestamp;
use crate::upload::ImageInput;

/// A label without its services and translations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LabelRow {
    /// Id of the label.
    pub id: LabelId,
    /// English name of the label.
    pub name: String,
    /// URL of the icon; null if there is none.
    pub icon: Option<String>,
    /// Whether services with the label require comments from the customer.
    pub is_custom_comments: bool,
    /// Number of services with the label.
    pub services_count: i64,
}

/// A label with its services and translations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Label {
    /// Fields that the list of labels also has.
    #[serde(flatten)]
    pub row: LabelRow,
    /// Services with the label, sorted by name.
    pub services: Vec<NamedRef<ServiceId>>,
    /// Names by locale; English is always present.
    pub translations: Translations,
    /// When the record last changed; editors send this time back to detect conflicts.
    pub updated_at: Timestamp,
}

/// Body of `POST services/labels` and `PUT services/labels/{id}`. Absent fields keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LabelInput {
    /// English name, 1 to 100 characters; required for a new label, in this field or in `translations`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Icon file of the label.
    #[serde(skip_serializing_if = "ImageInput::is_unchanged")]
    pub icon: ImageInput,
    /// Whether services with the label require comments from the customer in each order. The reseller API and the customer site
    /// offer these services as services with custom comments. At most one label has this flag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_custom_comments: Option<bool>,
    /// Ids of all services with the label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub services: Option<Vec<ServiceId>>,
    /// All names by locale; empty texts are removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// `updated_at` of the label that the editor read; 409 `stale_record` if the label has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

crate::image_bodies!(LabelInput);
crate::json_bodies!(Label, LabelRow);
