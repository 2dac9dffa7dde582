//! The menu of the customers' site: its item tree, and the custom items of staff.

pub mod custom;
pub mod items;
pub mod rules;
pub mod store;

use crate::http::api::Api;

pub fn routes(api: Api) -> Api {
    api.with(items::routes).with(custom::routes)
}
