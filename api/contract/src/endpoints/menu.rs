//! Endpoints of the menu of the customer site.

use crate::common::{Data, DryRun};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::{CustomMenuItemId, MenuItemId};
use crate::menu::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_menu_endpoint "menu";
    /// Lists menu items; `is_archived` selects archived items.
    ListMenuItems list_menu_items: GET "/api/v1/admin/panel-menu-items" [ManagePanelSettings] ((), TableQuery, EmptyBody) -> Page<MenuItem>;
    /// Creates a menu item in the last position.
    CreateMenuItem create_menu_item: POST "/api/v1/admin/panel-menu-items" [ManagePanelSettings] ((), EmptyQuery, MenuItemInput) -> Data<MenuItem>;
    /// Sorts the whole menu and can change the parents of items.
    SortMenuItems sort_menu_items: POST "/api/v1/admin/panel-menu-items/sort" [ManagePanelSettings] ((), EmptyQuery, SortMenuInput) -> EmptyBody;
    /// Updates a menu item. Absent fields keep their value.
    UpdateMenuItem update_menu_item: PUT "/api/v1/admin/panel-menu-items/{id}" [ManagePanelSettings] (MenuItemId, EmptyQuery, MenuItemInput) -> Data<MenuItem>;
    /// Archives a menu item that has no child items.
    ArchiveMenuItem archive_menu_item: POST "/api/v1/admin/panel-menu-items/{id}/archive" [ManagePanelSettings] (MenuItemId, DryRun, EmptyBody) -> Data<MenuItem>;
    /// Restores an archived menu item to the last position.
    UnarchiveMenuItem unarchive_menu_item: POST "/api/v1/admin/panel-menu-items/{id}/unarchive" [ManagePanelSettings] (MenuItemId, DryRun, EmptyBody) -> Data<MenuItem>;
    /// Lists the menu items that staff added.
    ListCustomMenuItems list_custom_menu_items: GET "/api/v1/admin/custom-menu-items" [ManagePanelSettings] ((), EmptyQuery, EmptyBody) -> Data<Vec<CustomMenuItem>>;
    /// Adds a custom menu item.
    CreateCustomMenuItem create_custom_menu_item: POST "/api/v1/admin/custom-menu-items" [ManagePanelSettings] ((), EmptyQuery, CustomMenuItemInput) -> Data<CustomMenuItem>;
    /// Updates a custom menu item. Absent fields keep their value.
    UpdateCustomMenuItem update_custom_menu_item: PUT "/api/v1/admin/custom-menu-items/{id}" [ManagePanelSettings] (CustomMenuItemId, EmptyQuery, CustomMenuItemInput) -> Data<CustomMenuItem>;
    /// Deletes a custom menu item.
    DeleteCustomMenuItem delete_custom_menu_item: POST "/api/v1/admin/custom-menu-items/{id}/delete" [ManagePanelSettings] (CustomMenuItemId, DryRun, EmptyBody) -> EmptyBody;
}
