//! The state of the dashboard: queues and their rows, counters, filters, runs. It must not use the screen, I/O or the clock.

pub mod columns;
pub mod combo_orders;
pub mod contract_list;
pub mod counters;
pub mod detail;
pub mod external_panels;
pub mod filter;
pub mod free_trials;
pub mod list;
pub mod marks;
pub mod orders;
pub mod queue;
pub mod record_action;
pub mod row;
pub mod run;
pub mod withdrawals;
