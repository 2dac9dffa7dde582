//! Parts of statements that lists of several resources share.

/// The alphabetically first name of the external panels of the providers of service `s`.
pub const FIRST_PANEL: &str =
    "(SELECT min(e.name) FROM service_providers x JOIN providers v ON v.id = x.provider_id
  JOIN external_panels e ON e.id = v.external_panel_id WHERE x.service_id = s.id AND NOT v.is_archived)";

/// Start of a SELECT of the services of panels, by `v.external_panel_id`.
pub const SERVICES_OF_PANELS: &str = "SELECT x.service_id FROM service_providers x JOIN providers v ON v.id = x.provider_id WHERE NOT v.is_archived AND ";
