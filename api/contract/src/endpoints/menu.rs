//! Endpoints of the menu of the customers' site.

use crate::common::{Data, DryRun};
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::{CustomMenuItemId, MenuItemId};
use crate::menu::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_menu_endpoint "menu";
    /// Items of the menu, archived ones by `is_archived`.
    ListMenuItems list_menu_items: GET "/api/v1/admin/panel-menu-items" [ManagePanelSettings] ((), TableQuery, NoBody) -> Page<MenuItem>;
    /// Makes an item; it stands last.
    CreateMenuItem create_menu_item: POST "/api/v1/admin/panel-menu-items" [ManagePanelSettings] ((), NoQuery, MenuItemInput) -> Data<MenuItem>;
    /// Puts the whole menu in order, with who stands below whom.
    SortMenuItems sort_menu_items: POST "/api/v1/admin/panel-menu-items/sort" [ManagePanelSettings] ((), NoQuery, SortMenuInput) -> NoBody;
    /// Changes what is given.
    UpdateMenuItem update_menu_item: PUT "/api/v1/admin/panel-menu-items/{id}" [ManagePanelSettings] (MenuItemId, NoQuery, MenuItemInput) -> Data<MenuItem>;
    /// Puts an item away; refused while others stand below it.
    ArchiveMenuItem archive_menu_item: POST "/api/v1/admin/panel-menu-items/{id}/archive" [ManagePanelSettings] (MenuItemId, DryRun, NoBody) -> Data<MenuItem>;
    /// Takes an item back; it stands last.
    UnarchiveMenuItem unarchive_menu_item: POST "/api/v1/admin/panel-menu-items/{id}/unarchive" [ManagePanelSettings] (MenuItemId, DryRun, NoBody) -> Data<MenuItem>;
    /// Items that staff added to the menu.
    ListCustomMenuItems list_custom_menu_items: GET "/api/v1/admin/custom-menu-items" [ManagePanelSettings] ((), NoQuery, NoBody) -> Data<Vec<CustomMenuItem>>;
    /// Adds an item.
    CreateCustomMenuItem create_custom_menu_item: POST "/api/v1/admin/custom-menu-items" [ManagePanelSettings] ((), NoQuery, CustomMenuItemInput) -> Data<CustomMenuItem>;
    /// Changes what is given.
    UpdateCustomMenuItem update_custom_menu_item: PUT "/api/v1/admin/custom-menu-items/{id}" [ManagePanelSettings] (CustomMenuItemId, NoQuery, CustomMenuItemInput) -> Data<CustomMenuItem>;
    /// Deletes an added item.
    DeleteCustomMenuItem delete_custom_menu_item: POST "/api/v1/admin/custom-menu-items/{id}/delete" [ManagePanelSettings] (CustomMenuItemId, DryRun, NoBody) -> NoBody;
}
