//! Responses of a list: one page of rows, or of ids.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use utoipa::ToSchema;

use crate::endpoint::ApiBody;
use crate::ids::RecordId;

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Page<T> {
    /// Echo of the `draw` parameter, by which a client matches responses to requests.
    pub draw: i64,
    /// Number of rows that the caller may view and that match the additional filters of the list, before column and global
    /// searches.
    pub records_total: i64,
    /// Number of rows after all searches.
    pub records_filtered: i64,
    /// Whether `recordsFiltered` is only a lower bound, because the global search stops counting at a limit.
    #[serde(default, skip_serializing_if = "crate::common::is_false")]
    pub records_filtered_is_at_least: bool,
    /// Rows of the page.
    #[schema(inline)]
    pub data: Vec<T>,
}

impl<T: Serialize + DeserializeOwned + ToSchema + Send + Sync + 'static> ApiBody for Page<T> {}

/// Response to `ids_only=1`: ids of the matching rows, in descending order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct IdsPage {
    /// Up to 10,000 ids; for the next page, set `after` to the last one.
    pub ids: Vec<RecordId>,
    /// Number of matching rows in total.
    pub total: i64,
}
