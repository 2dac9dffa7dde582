//! Saved views: a name for the filters and columns of one list, one's own or shared.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::ids::SavedViewId;
use crate::moment::Stamp;

/// Query of `GET saved-views`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct SavedViewsQuery {
    /// The list's name, such as `orders`.
    pub list: String,
}

/// A saved view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SavedView {
    /// Its id.
    pub id: SavedViewId,
    /// The list it belongs to.
    pub list: String,
    /// Its name, unique per list and owner.
    pub name: String,
    /// The list's query string.
    pub query: String,
    /// Columns shown, in order; empty for the list's own.
    pub columns: Vec<String>,
    /// Whether everybody sees it.
    pub is_shared: bool,
    /// Whether it is the caller's.
    pub is_own: bool,
    /// Whether the caller may change or delete it.
    pub editable: bool,
    /// When it last changed.
    pub updated_at: Stamp,
}

/// Body of create and update.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SavedViewInput {
    /// The list it belongs to.
    pub list: String,
    /// 1 to 60 characters.
    pub name: String,
    /// At most 4,000 characters.
    pub query: String,
    /// Columns shown, in order.
    #[serde(default)]
    pub columns: Vec<String>,
    /// Sharing needs `manage panel settings`.
    #[serde(default)]
    pub is_shared: bool,
    /// On update: the record as the editor read it; a newer one is a 409.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

crate::plain_query!(SavedViewsQuery);
crate::wire!(SavedView, SavedViewInput);
