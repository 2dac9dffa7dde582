//! The menu of the customer site: built-in items, and items that staff add.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::{ArchivableActions, Patch, Translations};
use crate::ids::{CustomMenuItemId, MenuItemId};
use crate::moment::{Time, Timestamp};

crate::string_enum! {
    /// Status of a menu item, which the server computes for each response.
    MenuItemStatus {
        Active = "active",
        Disabled = "disabled",
        Archived = "archived",
    }
}

/// A menu item of the customer site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MenuItem {
    /// Id of the menu item.
    pub id: MenuItemId,
    /// The same value as `id`, under the name of the specification.
    pub menu_item_id: MenuItemId,
    /// The same value as `id`. The specification distinguishes main panels and child panels, which this server does not.
    #[serde(default)]
    pub main_id: i64,
    /// Id of this panel; always 1.
    pub panel_id: i64,
    /// English name of the menu item.
    pub name: String,
    /// Name of the icon, such as `home`; null if there is none.
    pub icon: Option<String>,
    /// Target of the link: a path of the customer site, or an absolute URL.
    pub url: String,
    /// Parent item; null at the top level.
    pub parent: Option<MenuParent>,
    /// Sort position, from 1.
    pub sorting: i64,
    /// Status of the menu item.
    pub status: MenuItemStatus,
    /// Whether the item is enabled. The customer site shows enabled items that are not archived.
    pub is_enabled: bool,
    /// Whether the record is archived.
    pub is_archived: bool,
    /// Whether signed-in customers see the item.
    pub is_allowed_for_authorized: bool,
    /// Whether guests see the item.
    pub is_allowed_for_guest: bool,
    /// Whether the link opens in a new tab.
    pub is_blank: bool,
    /// Names by locale; English is always present.
    pub translations: Translations,
    /// When the menu item was created.
    pub created_at: Time,
    /// When the record last changed; editors send this time back to detect conflicts.
    pub updated_at: Timestamp,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: ArchivableActions,
}

/// The parent of a menu item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MenuParent {
    /// Id of the parent item.
    pub id: MenuItemId,
    /// English name of the parent item.
    pub name: String,
    /// Target of the link: a path of the customer site, or an absolute URL.
    pub url: String,
}

/// Body of `POST panel-menu-items` and `PUT panel-menu-items/{id}`. Absent fields keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MenuItemInput {
    /// English name, 1 to 100 characters; required for a new item, in this field or in `translations`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Name of the icon: lowercase letters, digits and hyphens; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub icon: Patch<String>,
    /// Target of the link: a path that starts with `/`, or an absolute URL; required for a new item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Parent item; null for none. A menu has at most three levels.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub parent_id: Patch<MenuItemId>,
    /// Whether the customer site shows the item; defaults to true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_enabled: Option<bool>,
    /// Whether signed-in customers see the item; defaults to true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_allowed_for_authorized: Option<bool>,
    /// Whether guests see the item; defaults to true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_allowed_for_guest: Option<bool>,
    /// Whether the link opens in a new tab; defaults to false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_blank: Option<bool>,
    /// All names by locale; empty texts are removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// `updated_at` of the item that the editor read; 409 `stale_record` if the item has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

/// Body of `POST panel-menu-items/sort`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SortMenuInput {
    /// All items that are not archived, in their order; parents before their children.
    pub menu_items: Vec<MenuItemPosition>,
}

/// The position of a menu item in the tree. Its order among siblings is its order in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MenuItemPosition {
    /// Id of the menu item.
    pub id: MenuItemId,
    /// Parent item; null at the top level.
    #[serde(default)]
    pub parent_id: Option<MenuItemId>,
}

/// A custom menu item, which staff added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CustomMenuItem {
    /// Id of the custom menu item.
    pub id: CustomMenuItemId,
    /// English name of the item.
    pub name: String,
    /// Name of the icon, such as `star`; null if there is none.
    pub icon: Option<String>,
    /// Target of the link: a path of the customer site, or an absolute URL.
    pub url: String,
    /// Whether the link opens in a new tab.
    pub is_blank: bool,
    /// The same value as `is_blank`, under the name of the specification.
    #[serde(default)]
    pub open_in_new_tab: bool,
    /// Whether the item is enabled. The customer site shows enabled items that are not archived.
    pub is_enabled: bool,
    /// Whether signed-in customers see the item.
    pub is_allowed_for_authorized: bool,
    /// Whether guests see the item.
    pub is_allowed_for_guest: bool,
    /// Whether the item is in the area of signed-in customers.
    pub show_in_internal: bool,
    /// Whether the item is in the public part of the site.
    pub show_in_public: bool,
    /// Names by locale; English is always present.
    pub translations: Translations,
    /// When the record last changed; editors send this time back to detect conflicts.
    pub updated_at: Timestamp,
}

/// Body of `POST custom-menu-items` and `PUT custom-menu-items/{id}`. Absent fields keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CustomMenuItemInput {
    /// English name, 1 to 100 characters; required for a new item, in this field or in `translations`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Name of the icon: lowercase letters, digits and hyphens; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub icon: Patch<String>,
    /// Target of the link: a path that starts with `/`, or an absolute URL; required for a new item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Whether the link opens in a new tab; `open_in_new_tab` is an alias.
    #[serde(alias = "open_in_new_tab", skip_serializing_if = "Option::is_none")]
    pub is_blank: Option<bool>,
    /// Whether the customer site shows the item; defaults to true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_enabled: Option<bool>,
    /// Whether signed-in customers see the item; defaults to true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_allowed_for_authorized: Option<bool>,
    /// Whether guests see the item; defaults to true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_allowed_for_guest: Option<bool>,
    /// Whether the item is in the area of signed-in customers; defaults to true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show_in_internal: Option<bool>,
    /// Whether the item is in the public part of the site; defaults to false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show_in_public: Option<bool>,
    /// All names by locale; empty texts are removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// `updated_at` of the item that the editor read; 409 `stale_record` if the item has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

crate::json_bodies!(MenuItem, MenuItemInput, SortMenuInput, CustomMenuItem, CustomMenuItemInput);
