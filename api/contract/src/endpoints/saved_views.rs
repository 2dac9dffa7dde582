//! Endpoints of saved views.

use crate::common::Data;
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::SavedViewId;
use crate::saved_views::*;

crate::endpoints! { $ for_each_saved_views_endpoint "saved-views";
    /// Lists your own and the shared views of a list.
    ListSavedViews list_saved_views: GET "/api/v1/admin/saved-views" [bearer] ((), SavedViewsQuery, EmptyBody) -> Data<Vec<SavedView>>;
    /// Creates a saved view.
    CreateSavedView create_saved_view: POST "/api/v1/admin/saved-views" [bearer] ((), EmptyQuery, SavedViewInput) -> Data<SavedView>;
    /// Updates a saved view.
    UpdateSavedView update_saved_view: PUT "/api/v1/admin/saved-views/{id}" [bearer] (SavedViewId, EmptyQuery, SavedViewInput) -> Data<SavedView>;
    /// Deletes a saved view.
    DeleteSavedView delete_saved_view: DELETE "/api/v1/admin/saved-views/{id}" [bearer] (SavedViewId, EmptyQuery, EmptyBody) -> EmptyBody;
}
