//! Work of the panel itself, without a request: the list of pollers, what retries quarantined records, what removes old
//! records.

pub mod quarantine_retry;
pub mod quarantine_runner;
pub mod retention;
mod upkeep;
pub mod worker;
