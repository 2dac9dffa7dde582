//! Endpoints for staff members, roles and permissions. Staff can grant only permissions that they have, and can change only users
//! who have no other permissions (`rank`). At least one active staff member always has the permission to manage staff.

mod invitations;
pub mod member_row;
pub mod members;
mod own_profile;
pub mod rank;
pub mod roles;
mod second_factor;
pub mod store;

use crate::http::api::Api;

pub fn routes(api: Api) -> Api {
    api.with(members::routes)
        .with(invitations::routes)
        .with(own_profile::routes)
        .with(roles::routes)
        .with(second_factor::routes)
}
