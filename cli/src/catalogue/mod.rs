//! Commands for the catalogue: networks, service types, services, packages, labels and targets.

pub(crate) mod change_logs;
pub(crate) mod labels;
pub(crate) mod networks;
pub(crate) mod packages;
pub(crate) mod service_types;
pub(crate) mod services;
pub(crate) mod targets;
