//! Endpoints of the pages of the customer site.

use crate::common::{Data, DryRun};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::PageId;
use crate::pages::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_pages_endpoint "pages";
    /// Lists pages, 15 per page by default; `is_archived` selects archived pages.
    ListPanelPages list_panel_pages: GET "/api/v1/admin/panel-pages" [ManagePanelSettings] ((), TableQuery, EmptyBody) -> Page<PanelPage>;
    /// Creates a page.
    CreatePanelPage create_panel_page: POST "/api/v1/admin/panel-pages" [ManagePanelSettings] ((), EmptyQuery, PanelPageInput) -> Data<PanelPage>;
    /// Updates a page. Absent fields keep their value.
    UpdatePanelPage update_panel_page: PUT "/api/v1/admin/panel-pages/{id}" [ManagePanelSettings] (PageId, EmptyQuery, PanelPageInput) -> Data<PanelPage>;
    /// Archives a page.
    ArchivePanelPage archive_panel_page: POST "/api/v1/admin/panel-pages/{id}/archive" [ManagePanelSettings] (PageId, DryRun, EmptyBody) -> Data<PanelPage>;
    /// Restores an archived page.
    UnarchivePanelPage unarchive_panel_page: POST "/api/v1/admin/panel-pages/{id}/unarchive" [ManagePanelSettings] (PageId, DryRun, EmptyBody) -> Data<PanelPage>;
}
