//! Endpoints of saved views.

use crate::common::Data;
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::SavedViewId;
use crate::saved_views::*;

crate::endpoints! { $ for_each_saved_views_endpoint "saved-views";
    /// One's own and the shared views of one list.
    ListSavedViews list_saved_views: GET "/api/v1/admin/saved-views" [bearer] ((), SavedViewsQuery, NoBody) -> Data<Vec<SavedView>>;
    /// Saves a view.
    CreateSavedView create_saved_view: POST "/api/v1/admin/saved-views" [bearer] ((), NoQuery, SavedViewInput) -> Data<SavedView>;
    /// Changes a view.
    UpdateSavedView update_saved_view: PUT "/api/v1/admin/saved-views/{id}" [bearer] (SavedViewId, NoQuery, SavedViewInput) -> Data<SavedView>;
    /// Deletes a view.
    DeleteSavedView delete_saved_view: DELETE "/api/v1/admin/saved-views/{id}" [bearer] (SavedViewId, NoQuery, NoBody) -> NoBody;
}
