//! Endpoints that export and erase the personal data of a customer.

use crate::common::{Data, DryRun};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::UserId;
use crate::personal_data::*;
use crate::upload::FileBytes;

crate::endpoints! { $ for_each_personal_data_endpoint "users";
    /// Exports all data that the panel holds about a customer as one JSON document; the audit log records the export
    /// before the server sends the first byte.
    ExportUserData export_user_data: GET "/api/v1/admin/users/{id}/data-export" [ManagePersonalData] confirmed (UserId, EmptyQuery, EmptyBody) -> FileBytes;
    /// Erases the personal data of a customer permanently; a dry run returns the effects. A repeated request changes nothing.
    EraseUser erase_user: POST "/api/v1/admin/users/{id}/erase" [ManagePersonalData] confirmed (UserId, DryRun, EmptyBody) -> Data<Erasure>;
}
