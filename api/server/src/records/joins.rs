//! SQL fragments for joins that several lists use.

/// Selects the name of an external panel that delivers the service with the table alias `s`: of several panels, the first name in
/// alphabetical order.
pub const FIRST_PANEL_NAME_SQL: &str =
    "(SELECT min(e.name) FROM service_providers x JOIN providers v ON v.id = x.provider_id
  JOIN external_panels e ON e.id = v.external_panel_id WHERE x.service_id = s.id AND NOT v.is_archived)";

/// Start of a SELECT of the ids of services that external panels deliver. The caller appends a condition on
/// `v.external_panel_id`.
pub const SELECT_SERVICES_OF_PANELS: &str = "SELECT x.service_id FROM service_providers x JOIN providers v ON v.id = x.provider_id WHERE NOT v.is_archived AND ";
