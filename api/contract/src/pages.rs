//! Pages of the customers' site as they cross the wire: what each is called, for people and for search engines.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::{ArchivableActions, Translations};
use crate::ids::PageId;
use crate::moment::{Stamp, Time};

crate::words! {
    /// Where a page stands; computed.
    PageStatus {
        Active = "active",
        Archived = "archived",
    }
}

/// One page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PanelPage {
    /// Its id.
    pub id: PageId,
    /// Its id, as editors name it.
    pub page_id: PageId,
    /// Its id at the panel that it was made at: this one.
    #[serde(default)]
    pub main_id: i64,
    /// The panel.
    pub panel_id: i64,
    /// English name.
    pub name: String,
    /// What the site calls it, such as `services.show`.
    pub route_name: String,
    /// Where it stands.
    pub status: PageStatus,
    /// Whether it is put away.
    pub is_archived: bool,
    /// Locale → `name`, `meta_title`, `meta_description` → text.
    pub translations: Translations,
    /// When it was made.
    pub created_at: Time,
    /// When it last changed; echoed by editors.
    pub updated_at: Stamp,
    /// What the caller may do with it.
    pub actions: ArchivableActions,
}

/// Body of `POST panel-pages` and `PUT panel-pages/{id}`: what is left out stays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PanelPageInput {
    /// The page's id, where one is changed; as in the address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_id: Option<PageId>,
    /// English name, 1 to 100 characters; required for a new one, here or among the translations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What the site calls it: small letters, digits, ., - and _; required for a new one, and its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub route_name: Option<String>,
    /// All of them; empty texts are dropped. Fields: `name`, `meta_title`, `meta_description`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// As it was read: refused when somebody changed the page meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

crate::wire!(PanelPage, PanelPageInput);
