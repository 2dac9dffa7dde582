//! SQL fragments that the lists of several resources share.

/// Selects one external panel by which the row `s` of `services` is delivered: the name that comes first in the alphabet.
pub const FIRST_PANEL: &str =
    "(SELECT min(e.name) FROM service_providers x JOIN providers v ON v.id = x.provider_id
  JOIN external_panels e ON e.id = v.external_panel_id WHERE x.service_id = s.id AND NOT v.is_archived)";

/// Start of a SELECT of the services that external panels deliver; the condition on `v.external_panel_id` follows.
pub const SERVICES_OF_PANELS: &str = "SELECT x.service_id FROM service_providers x JOIN providers v ON v.id = x.provider_id WHERE NOT v.is_archived AND ";
