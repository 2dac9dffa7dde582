//! Staff, roles and permissions: who may do what at this panel. A staff member gives only what they hold, acts only on
//! users who hold nothing more (`rank`), and one who manages staff always remains.

mod invitations;
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
