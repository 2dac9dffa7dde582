//! Pages of the customer site, with names and texts for search engines.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::{ArchivableActions, Translations};
use crate::ids::PageId;
use crate::moment::{Time, Timestamp};

crate::string_enum! {
    /// Status of a page, which the server computes for each response.
    PageStatus {
        Active = "active",
        Archived = "archived",
    }
}

/// A page of the customer site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PanelPage {
    /// Id of the page.
    pub id: PageId,
    /// The same value as `id`, under the name of the specification.
    pub page_id: PageId,
    /// The same value as `id`. The specification distinguishes main panels and child panels, which this server does not.
    #[serde(default)]
    pub main_id: i64,
    /// Id of this panel; always 1.
    pub panel_id: i64,
    /// English name of the page.
    pub name: String,
    /// Name of the route on the customer site, such as `services.show`.
    pub route_name: String,
    /// Status of the page.
    pub status: PageStatus,
    /// Whether the record is archived.
    pub is_archived: bool,
    /// Texts by locale and field: `name`, `meta_title`, `meta_description`.
    pub translations: Translations,
    /// When the page was created.
    pub created_at: Time,
    /// When the record last changed; editors send this time back to detect conflicts.
    pub updated_at: Timestamp,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: ArchivableActions,
}

/// Body of `POST panel-pages` and `PUT panel-pages/{id}`. Absent fields keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PanelPageInput {
    /// Id of the page to update; the same as in the URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_id: Option<PageId>,
    /// English name, 1 to 100 characters; required for a new page, in this field or in `translations`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Unique route name of lowercase letters, digits, `.`, `-` and `_`; required for a new page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub route_name: Option<String>,
    /// All texts by locale and field; empty texts are removed. Fields: `name`, `meta_title`, `meta_description`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// `updated_at` of the page that the editor read; 409 `stale_record` if the page has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

crate::json_bodies!(PanelPage, PanelPageInput);
