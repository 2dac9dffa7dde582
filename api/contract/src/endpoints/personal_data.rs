//! Endpoints of what a customer may ask about their data.

use crate::common::{Data, DryRun};
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::UserId;
use crate::personal_data::*;
use crate::upload::FileBytes;

crate::endpoints! { $ for_each_personal_data_endpoint "users";
    /// Everything that the panel holds about a customer, as one JSON document; audited before its first byte.
    ExportUserData export_user_data: GET "/api/v1/admin/users/{id}/data-export" [ManagePersonalData] confirmed (UserId, NoQuery, NoBody) -> FileBytes;
    /// Removes a customer's personal data for good; a dry run says what it would do. Nothing happens where it was requested before.
    EraseUser erase_user: POST "/api/v1/admin/users/{id}/erase" [ManagePersonalData] confirmed (UserId, DryRun, NoBody) -> Data<Erasure>;
}
