//! Orders, payments, customers, staff and the reseller API. Each module serves one kind of record.

pub mod advances;
pub mod affiliates;
pub mod cancel_requests;
pub mod combo_orders;
pub mod documents;
pub mod drip_feeds;
pub mod free_trials;
pub mod grades;
pub mod invoices;
pub mod manual_credits;
pub mod orders;
pub mod payment_methods;
pub mod payments;
pub mod personal_data;
pub mod referrals;
pub mod reseller;
pub mod staff;
pub mod subscriptions;
pub mod undo;
pub mod user_access;
pub mod user_services;
pub mod users;
pub mod withdrawals;

use crate::http::api::Api;

#[must_use]
pub fn routes(api: Api) -> Api {
    api.with(affiliates::routes)
        .with(cancel_requests::routes)
        .with(combo_orders::routes)
        .with(documents::routes)
        .with(drip_feeds::routes)
        .with(free_trials::routes)
        .with(grades::routes)
        .with(invoices::routes)
        .with(orders::routes)
        .with(payment_methods::routes)
        .with(payments::routes)
        .with(personal_data::routes)
        .with(referrals::routes)
        .with(reseller::routes)
        .with(staff::routes)
        .with(subscriptions::routes)
        .with(undo::routes)
        .with(user_access::routes)
        .with(user_services::routes)
        .with(users::routes)
        .with(withdrawals::routes)
}
