//! The menu of the customer site: built-in items, and items that staff add.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::{ArchivableActions, Patch, Translations};
use crate::ids::{CustomMenuItemId, MenuItemId};
use crate::moment::{Stamp, Time};

crate::string_enum! {
    /// Status of a menu item; computed.
    MenuItemStatus {
        Active = "active",
        Disabled = "disabled",
        Archived = "archived",
    }
}

/// A menu item of the customer site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MenuItem {
    /// Id of the menu.
    pub id: MenuItemId,
    /// The same as `id`.
    pub menu_item_id: MenuItemId,
    /// Id at the main panel; always the same as `id`.
    #[serde(default)]
    pub main_id: i64,
    /// Id of the panel.
    pub panel_id: i64,
    /// English name of the menu.
    pub name: String,
    /// The name of its icon, such as `home`.
    pub icon: Option<String>,
    /// URL of the link: a path of the site, or an absolute address.
    pub url: String,
    /// Parent item; null at the top level.
    pub parent: Option<MenuParent>,
    /// Sort position, from 1.
    pub sorting: i64,
    /// Status of the menu.
    pub status: MenuItemStatus,
    /// Whether it is shown.
    pub is_enabled: bool,
    /// Whether the record is archived.
    pub is_archived: bool,
    /// Whether it is shown to signed-in customers.
    pub is_allowed_for_authorized: bool,
    /// Whether it is shown to guests.
    pub is_allowed_for_guest: bool,
    /// Whether the link opens in a new tab.
    pub is_blank: bool,
    /// Names by locale; English is always present.
    pub translations: Translations,
    /// When the menu was created.
    pub created_at: Time,
    /// When the record last changed; editors send it back to detect conflicts.
    pub updated_at: Stamp,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: ArchivableActions,
}

/// The parent of a menu item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MenuParent {
    /// Id of the menu parent.
    pub id: MenuItemId,
    /// English name of the menu parent.
    pub name: String,
    /// URL of the link.
    pub url: String,
}

/// Body of `POST panel-menu-items` and `PUT panel-menu-items/{id}`. Absent fields keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MenuItemInput {
    /// English name, 1 to 100 characters; required for a new record, here or in `translations`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The name of its icon: small letters, digits and hyphens.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub icon: Patch<String>,
    /// A path that begins with /, or an absolute address; required for a new record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Parent item; null for none. A menu has at most three levels.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub parent_id: Patch<MenuItemId>,
    /// Whether it is shown; defaults to true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_enabled: Option<bool>,
    /// Whether it is shown to signed-in customers; defaults to true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_allowed_for_authorized: Option<bool>,
    /// Whether it is shown to guests; defaults to true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_allowed_for_guest: Option<bool>,
    /// Whether the link opens in a new tab.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_blank: Option<bool>,
    /// All names by locale; empty texts are removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// `updated_at` of the item that the editor read; a 409 `stale_record` if it has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// Body of `POST panel-menu-items/sort`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SortMenuInput {
    /// All items that are not archived, in their order; parents before their children.
    pub menu_items: Vec<PlacedMenuItem>,
}

/// A menu item and its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlacedMenuItem {
    /// Id of the placed menu.
    pub id: MenuItemId,
    /// Parent item; null at the top level.
    #[serde(default)]
    pub parent_id: Option<MenuItemId>,
}

/// An item that staff add to the menu.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CustomMenuItem {
    /// Id of the custom menu.
    pub id: CustomMenuItemId,
    /// English name of the custom menu.
    pub name: String,
    /// The name of its icon, such as `star`.
    pub icon: Option<String>,
    /// URL of the link.
    pub url: String,
    /// Whether the link opens in a new tab.
    pub is_blank: bool,
    /// The same as `is_blank`.
    #[serde(default)]
    pub open_in_new_tab: bool,
    /// Whether it is shown.
    pub is_enabled: bool,
    /// Whether it is shown to signed-in customers.
    pub is_allowed_for_authorized: bool,
    /// Whether it is shown to guests.
    pub is_allowed_for_guest: bool,
    /// Whether the customers' area shows it.
    pub show_in_internal: bool,
    /// Whether the public site shows it.
    pub show_in_public: bool,
    /// Names by locale; English is always present.
    pub translations: Translations,
    /// When the record last changed; editors send it back to detect conflicts.
    pub updated_at: Stamp,
}

/// Body of `POST custom-menu-items` and `PUT custom-menu-items/{id}`. Absent fields keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CustomMenuItemInput {
    /// English name, 1 to 100 characters; required for a new record, here or in `translations`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The name of its icon: small letters, digits and hyphens.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub icon: Patch<String>,
    /// A path that begins with /, or an absolute address; required for a new record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Whether the link opens in a new tab; `open_in_new_tab` is an alias.
    #[serde(alias = "open_in_new_tab", skip_serializing_if = "Option::is_none")]
    pub is_blank: Option<bool>,
    /// Whether it is shown; defaults to true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_enabled: Option<bool>,
    /// Whether it is shown to signed-in customers; defaults to true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_allowed_for_authorized: Option<bool>,
    /// Whether it is shown to guests; defaults to true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_allowed_for_guest: Option<bool>,
    /// Whether the customers' area shows it; defaults to true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show_in_internal: Option<bool>,
    /// Whether the public site shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show_in_public: Option<bool>,
    /// All names by locale; empty texts are removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// `updated_at` of the item that the editor read; a 409 `stale_record` if it has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

crate::wire!(MenuItem, MenuItemInput, SortMenuInput, CustomMenuItem, CustomMenuItemInput);
