//! Pages of the customer site on the wirewith names and search engine texts.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::{ArchivableActions, Translations};
use crate::ids::PageId;
use crate::moment::{Stamp, Time};

crate::string_enum! {
    /// Status of a page; computed.
    PageStatus {
        Active = "active",
        Archived = "archived",
    }
}

/// A page of the customer site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PanelPage {
    /// Id of the panel page.
    pub id: PageId,
    /// The same as `id`.
    pub page_id: PageId,
    /// Id at the main panel; always the same as `id`.
    #[serde(default)]
    pub main_id: i64,
    /// Id of the panel.
    pub panel_id: i64,
    /// English name of the panel page.
    pub name: String,
    /// Route name of the site, such as `services.show`.
    pub route_name: String,
    /// Status of the panel page.
    pub status: PageStatus,
    /// Whether the record is archived.
    pub is_archived: bool,
    /// Texts by locale and field: `name`, `meta_title`, `meta_description`.
    pub translations: Translations,
    /// When the panel page was created.
    pub created_at: Time,
    /// When the record last changed; editors send it back to detect conflicts.
    pub updated_at: Stamp,
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
    /// English name, 1 to 100 characters; required for a new record, here or in `translations`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Unique route name of lowercase letters, digits, `.`, `-` and `_`; required for a new page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub route_name: Option<String>,
    /// All texts by locale and field; empty texts are removed. Fields: `name`, `meta_title`, `meta_description`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// `updated_at` of the page that the editor read; a 409 `stale_record` if it has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

crate::wire!(PanelPage, PanelPageInput);
