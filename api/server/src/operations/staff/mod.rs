//! Staff, roles and permissions: who may do what at this panel. Nobody gives what they do not hold, nobody acts on
//! somebody who holds more, and somebody who manages staff always remains.

pub mod members;
pub mod roles;
pub mod rules;
pub mod store;

use crate::http::api::Api;

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.with(members::routes).with(roles::routes)
}
