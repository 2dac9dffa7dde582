//! The infrastructure of all resources of the panel: database, transactions, lists, ledger, audit trail, jobs, outbound calls,
//! mail, files, the live channel, secrets, settings, metrics and spans. It depends on no resource and not on HTTP.

pub mod audit;
pub mod config;
pub mod db;
pub mod html;
pub mod jobs;
pub mod lease;
pub mod ledger;
pub mod live;
pub mod mail;
pub mod metrics;
pub mod outbound;
pub mod platform;
pub mod poller;
pub mod private_files;
pub mod quarantine;
pub mod scope;
pub mod secrets;
pub mod settings;
pub mod table;
pub mod telemetry;
pub mod uploads;
pub mod work;
