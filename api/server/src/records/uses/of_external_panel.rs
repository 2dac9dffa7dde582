//! Uses of an external panel. The list and the archive action read the same declarations, so that a button and its endpoint agree.

use super::{Use, Uses};
use crate::stores::placement_attempts::conditions::attempt_is;
use panel_platform::db::Sql;

/// Selects `id` and `name` of the settings that name the external panel `$id`.
macro_rules! use_of_external_panel {
    (settings, $id:literal) => {
        concat!(
            "SELECT CAST(0 AS BIGINT) AS id, x.key AS name FROM settings x WHERE x.key = 'social_value_external_panel_id' AND x.value = CAST(",
            $id, " AS TEXT)"
        )
    };
}
pub(crate) use use_of_external_panel;

/// Uses of an external panel.
pub static OF_EXTERNAL_PANEL: Uses = Uses {
    noun: "panel",
    code: "external_panel_in_use",
    advice: "Archive them, wait until they end, or choose another panel in the settings first.",
    all: &[
        Use {
            what: "panel settings",
            // The value is a JSON number.
            rows: |id, _| Sql::new(use_of_external_panel!(settings, "CAST(? AS BIGINT)")).bind(id),
        },
        Use {
            what: "providers",
            rows: |id, _| {
                Sql::new("SELECT p.id, p.name FROM providers p WHERE p.external_panel_id = ? AND NOT p.is_archived").bind(id)
            },
        },
        Use {
            what: "packages that are synchronized with it",
            rows: |id, _| {
                Sql::new("SELECT k.id, k.name FROM packages k JOIN provider_packages y ON y.id = k.provider_package_id WHERE y.external_panel_id = ? AND k.sync AND NOT k.is_archived").bind(id)
            },
        },
        Use {
            what: "orders placed with it",
            rows: |id, _| {
                Sql::new(concat!("SELECT DISTINCT o.id, o.name FROM external_panel_orders a JOIN orders o ON o.id = a.order_id WHERE a.external_panel_id = ? AND ", attempt_is!(live, "a"))).bind(id)
            },
        },
    ],
};
