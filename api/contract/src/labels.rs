//! Labels (features of services, such as "Custom comments") as they cross the wire.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::{Named, Translations};
use crate::ids::{LabelId, ServiceId};
use crate::moment::Stamp;
use crate::upload::Picture;

/// One row of the labels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LabelRow {
    /// The label's id.
    pub id: LabelId,
    /// English name.
    pub name: String,
    /// Address of its icon.
    pub icon: Option<String>,
    /// Whether services that have it take comments from the customer.
    pub is_custom_comments: bool,
    /// Services that have it.
    pub services_count: i64,
}

/// One label with everything about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Label {
    /// What the list shows.
    #[serde(flatten)]
    pub row: LabelRow,
    /// Services that have it, by name.
    pub services: Vec<Named<ServiceId>>,
    /// Locale → `name` → text.
    pub translations: Translations,
    /// When it last changed; echoed by editors.
    pub updated_at: Stamp,
}

/// Body of `POST services/labels` and `PUT services/labels/{id}`: what is left out stays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LabelInput {
    /// English name, 1 to 100 characters; required for a new one, here or among the translations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its icon.
    #[serde(skip_serializing_if = "Picture::is_unchanged")]
    pub icon: Picture,
    /// Whether services that have it take comments from the customer: their orders need the comments that the service
    /// asks for, and the reseller API and the site sell them as such. At most one label does that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_custom_comments: Option<bool>,
    /// All services that shall have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub services: Option<Vec<ServiceId>>,
    /// All of them; empty texts are dropped. Field: `name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// As it was read: refused when somebody changed the label meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

crate::upload!(LabelInput);
crate::wire!(Label, LabelRow);
