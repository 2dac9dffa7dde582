//! Statements that write the tables which more than one area changes; no other module writes these tables. The modules contain no
//! rules, no routes and no outbound requests: the calling area decides which transition applies.

pub mod account_links;
pub mod account_requests;
pub mod archive_state;
pub mod backups;
pub mod external_panels;
pub mod orders;
pub mod placement_attempts;
pub mod providers;
pub mod refills;
