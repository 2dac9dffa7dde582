//! Background work without a request: the list of pollers, the retry of quarantined records, and the removal of old records.

pub mod quarantine_retry;
pub mod quarantine_runner;
pub mod retention;
mod upkeep;
pub mod worker;
