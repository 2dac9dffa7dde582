//! Commands for external panels and providers, and for imports from external panels.

pub(crate) mod external_orders;
pub(crate) mod external_panels;
pub(crate) mod imports;
pub(crate) mod providers;
pub(crate) mod syncs;
