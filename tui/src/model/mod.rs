//! What the dashboard knows: queues and their rows, counters, filters, runs. Pure; no screen, no I/O, no clock.

pub mod columns;
pub mod combo_orders;
pub mod detail;
pub mod filter;
pub mod free_trials;
pub mod list;
pub mod listed;
pub mod marks;
pub mod orders;
pub mod queue;
pub mod row;
pub mod run;
pub mod series;
pub mod supply;
pub mod verb;
pub mod withdrawals;
