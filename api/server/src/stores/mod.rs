//! Tables that more than one area changes. The named transitions here are the only writes of these tables. No rules, no routes,
//! no outbound calls: the areas above decide which transition applies.

pub mod account_links;
pub mod account_requests;
pub mod archivables;
pub mod backups;
pub mod external_panels;
pub mod orders;
pub mod placement_attempts;
pub mod providers;
pub mod refills;
