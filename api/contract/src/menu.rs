//! The menu of the customers' site as it crosses the wire: its own items, and items that staff add to it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::{ArchivableActions, Patch, Translations};
use crate::ids::{CustomMenuItemId, MenuItemId};
use crate::moment::{Stamp, Time};

crate::words! {
    /// Where a menu item stands; computed.
    MenuItemStatus {
        Active = "active",
        Disabled = "disabled",
        Archived = "archived",
    }
}

/// One item of the menu.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MenuItem {
    /// Its id.
    pub id: MenuItemId,
    /// Its id, as menus name it.
    pub menu_item_id: MenuItemId,
    /// Its id at the panel that it was made at: this one.
    #[serde(default)]
    pub main_id: i64,
    /// The panel.
    pub panel_id: i64,
    /// English name.
    pub name: String,
    /// The name of its icon, such as `home`.
    pub icon: Option<String>,
    /// Where it leads: a path of the site, or an absolute address.
    pub url: String,
    /// The item that it stands below.
    pub parent: Option<MenuParent>,
    /// Its place in the whole menu, from 1.
    pub sorting: i64,
    /// Where it stands.
    pub status: MenuItemStatus,
    /// Whether it is shown.
    pub is_enabled: bool,
    /// Whether it is put away.
    pub is_archived: bool,
    /// Whether it is shown to who is signed in.
    pub is_allowed_for_authorized: bool,
    /// Whether it is shown to who is not.
    pub is_allowed_for_guest: bool,
    /// Whether it opens a tab of its own.
    pub is_blank: bool,
    /// Locale → `name` → text.
    pub translations: Translations,
    /// When it was made.
    pub created_at: Time,
    /// When it last changed; echoed by editors.
    pub updated_at: Stamp,
    /// What the caller may do with it.
    pub actions: ArchivableActions,
}

/// The item that another stands below.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MenuParent {
    /// Its id.
    pub id: MenuItemId,
    /// English name.
    pub name: String,
    /// Where it leads.
    pub url: String,
}

/// Body of `POST panel-menu-items` and `PUT panel-menu-items/{id}`: what is left out stays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MenuItemInput {
    /// English name, 1 to 100 characters; required for a new one, here or among the translations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The name of its icon: small letters, digits and hyphens.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub icon: Patch<String>,
    /// A path that begins with /, or an absolute address; required for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The item that it stands below; null for none. A menu is at most three deep.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub parent_id: Patch<MenuItemId>,
    /// Whether it is shown; a new one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_enabled: Option<bool>,
    /// Whether it is shown to who is signed in; a new one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_allowed_for_authorized: Option<bool>,
    /// Whether it is shown to who is not; a new one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_allowed_for_guest: Option<bool>,
    /// Whether it opens a tab of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_blank: Option<bool>,
    /// All of them; empty texts are dropped. Field: `name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// As it was read: refused when somebody changed the item meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// Body of `POST panel-menu-items/sort`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SortMenuInput {
    /// All items that are not put away, in their order; an item stands behind its parent.
    pub menu_items: Vec<PlacedMenuItem>,
}

/// An item in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlacedMenuItem {
    /// Its id.
    pub id: MenuItemId,
    /// The item that it stands below.
    #[serde(default)]
    pub parent_id: Option<MenuItemId>,
}

/// An item that staff add to the menu.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CustomMenuItem {
    /// Its id.
    pub id: CustomMenuItemId,
    /// English name.
    pub name: String,
    /// The name of its icon, such as `star`.
    pub icon: Option<String>,
    /// Where it leads.
    pub url: String,
    /// Whether it opens a tab of its own.
    pub is_blank: bool,
    /// The same, as the panel's settings call it.
    #[serde(default)]
    pub open_in_new_tab: bool,
    /// Whether it is shown.
    pub is_enabled: bool,
    /// Whether it is shown to who is signed in.
    pub is_allowed_for_authorized: bool,
    /// Whether it is shown to who is not.
    pub is_allowed_for_guest: bool,
    /// Whether the customers' area shows it.
    pub show_in_internal: bool,
    /// Whether the public site shows it.
    pub show_in_public: bool,
    /// Locale → `name` → text.
    pub translations: Translations,
    /// When it last changed; echoed by editors.
    pub updated_at: Stamp,
}

/// Body of `POST custom-menu-items` and `PUT custom-menu-items/{id}`: what is left out stays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CustomMenuItemInput {
    /// English name, 1 to 100 characters; required for a new one, here or among the translations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The name of its icon: small letters, digits and hyphens.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub icon: Patch<String>,
    /// A path that begins with /, or an absolute address; required for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Whether it opens a tab of its own; also taken as `open_in_new_tab`.
    #[serde(alias = "open_in_new_tab", skip_serializing_if = "Option::is_none")]
    pub is_blank: Option<bool>,
    /// Whether it is shown; a new one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_enabled: Option<bool>,
    /// Whether it is shown to who is signed in; a new one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_allowed_for_authorized: Option<bool>,
    /// Whether it is shown to who is not; a new one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_allowed_for_guest: Option<bool>,
    /// Whether the customers' area shows it; a new one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show_in_internal: Option<bool>,
    /// Whether the public site shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show_in_public: Option<bool>,
    /// All of them; empty texts are dropped. Field: `name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// As it was read: refused when somebody changed the item meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

crate::wire!(MenuItem, MenuItemInput, SortMenuInput, CustomMenuItem, CustomMenuItemInput);
