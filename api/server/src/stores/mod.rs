//! Records that more than one area changes: for each its named transitions, which are the only writes of its table. No rule,
//! no route, no call to the outside; what decides about a transition is above.

pub mod account_links;
pub mod account_requests;
pub mod archivables;
pub mod backups;
pub mod external_panels;
pub mod orders;
pub mod placement_attempts;
pub mod providers;
pub mod refills;
