//! The endpoint table: every operation of the panel, declared once, by area.

pub mod audits;
pub mod change_logs;
pub mod combo_orders;
pub mod drip_feeds;
pub mod free_trials;
pub mod orders;
pub mod payments;
pub mod providers;
pub mod saved_views;
pub mod services;
pub mod session;
pub mod subscriptions;
pub mod system;
pub mod users;

use crate::endpoint::Op;

/// Every endpoint there is, by area.
pub fn all() -> impl Iterator<Item = &'static Op> {
    [
        session::OPS,
        system::OPS,
        audits::OPS,
        change_logs::OPS,
        orders::OPS,
        subscriptions::OPS,
        free_trials::OPS,
        drip_feeds::OPS,
        combo_orders::OPS,
        payments::OPS,
        users::OPS,
        services::OPS,
        providers::OPS,
        saved_views::OPS,
    ]
    .into_iter()
    .flatten()
}
