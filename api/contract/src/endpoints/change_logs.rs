//! Endpoints of the change log.

use crate::change_logs::*;
use crate::common::Data;
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_change_logs_endpoint "logs";
    /// Lists changes of the catalogue, newest first.
    ListChangeLogs list_change_logs: GET "/api/v1/admin/services/logs" [ViewChangeLogs] ((), TableQuery, EmptyBody) -> Page<ChangeLogRow>;
    /// Lists the actions and record types of the change log.
    GetChangeLogCollections change_log_collections: GET "/api/v1/admin/services/logs/collections" [ViewChangeLogs] ((), EmptyQuery, EmptyBody) -> Data<ChangeLogCollections>;
}
