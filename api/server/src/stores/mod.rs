//! The only writes of the tables that more than one area changes. These modules have no rules, no routes and no outbound calls:
//! the calling areas decide which transition applies.

pub mod account_links;
pub mod account_requests;
pub mod archive_state;
pub mod backups;
pub mod external_panels;
pub mod orders;
pub mod placement_attempts;
pub mod providers;
pub mod refills;
