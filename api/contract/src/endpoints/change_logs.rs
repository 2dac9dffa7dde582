//! Endpoints of the change log.

use crate::change_logs::*;
use crate::common::Data;
use crate::endpoint::{NoBody, NoQuery};
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_change_logs_endpoint "logs";
    /// Changes of the catalogue, newest first.
    ListChangeLogs list_change_logs: GET "/api/v1/admin/services/logs" [ViewChangeLogs] ((), TableQuery, NoBody) -> Page<ChangeLogRow>;
    /// Action types and model types.
    ChangeLogCollectionsOp change_log_collections: GET "/api/v1/admin/services/logs/collections" [ViewChangeLogs] ((), NoQuery, NoBody) -> Data<ChangeLogCollections>;
}
