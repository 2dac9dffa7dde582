//! Endpoints of the pages of the customers' site.

use crate::common::{Data, DryRun};
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::PageId;
use crate::pages::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_pages_endpoint "pages";
    /// Pages, 15 at once, archived ones by `is_archived`.
    ListPanelPages list_panel_pages: GET "/api/v1/admin/panel-pages" [ManagePanelSettings] ((), TableQuery, NoBody) -> Page<PanelPage>;
    /// Makes a page.
    CreatePanelPage create_panel_page: POST "/api/v1/admin/panel-pages" [ManagePanelSettings] ((), NoQuery, PanelPageInput) -> Data<PanelPage>;
    /// Changes what is given.
    UpdatePanelPage update_panel_page: PUT "/api/v1/admin/panel-pages/{id}" [ManagePanelSettings] (PageId, NoQuery, PanelPageInput) -> Data<PanelPage>;
    /// Puts a page away.
    ArchivePanelPage archive_panel_page: POST "/api/v1/admin/panel-pages/{id}/archive" [ManagePanelSettings] (PageId, DryRun, NoBody) -> Data<PanelPage>;
    /// Takes a page back.
    UnarchivePanelPage unarchive_panel_page: POST "/api/v1/admin/panel-pages/{id}/unarchive" [ManagePanelSettings] (PageId, DryRun, NoBody) -> Data<PanelPage>;
}
