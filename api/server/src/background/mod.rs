//! Work without a request: the list of pollers, the retry of records that may have crashed a server, and the removal of old
//! records.

pub mod quarantine_retry;
pub mod quarantine_runner;
pub mod retention;
mod upkeep;
pub mod worker;
