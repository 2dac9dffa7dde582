//! The state machines of the panel's records, one module each: states, events and the transition table. `make generate` writes a
//! page in docs/states from each table. These modules must not contain rules about money or time, or depend on how a state is
//! stored.

pub mod account_links;
pub mod account_requests;
pub mod archivables;
pub mod cancel_requests;
pub mod combo_orders;
pub mod drip_feeds;
pub mod external_panels;
pub mod free_trials;
pub mod invoices;
pub mod jobs;
pub mod orders;
pub mod placement_attempts;
pub mod providers;
pub mod quarantine;
pub mod refills;
pub mod subscription_contents;
pub mod subscriptions;
pub mod sync_changes;
pub mod sync_runs;
pub mod users;
pub mod webhook_deliveries;
pub mod withdrawals;
