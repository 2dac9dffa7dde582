//! Declares the records that may refer to an external panel.

use super::{ReferenceKind, ReferenceRules};
use crate::stores::placement_attempts::conditions::attempt_is;
use panel_platform::db::Sql;

/// Selects `id` and `name` of the settings that refer to the external panel `$id`. The list of external panels uses
/// this SQL too, so that the list allows archiving exactly if the endpoint accepts it.
macro_rules! external_panel_reference {
    (settings, $id:literal) => {
        concat!(
            "SELECT CAST(0 AS BIGINT) AS id, x.key AS name FROM settings x WHERE x.key = 'social_value_external_panel_id' AND x.value = CAST(",
            $id, " AS TEXT)"
        )
    };
}
pub(crate) use external_panel_reference;

pub static TO_EXTERNAL_PANEL: ReferenceRules = ReferenceRules {
    noun: "panel",
    code: "external_panel_in_use",
    advice: "First archive the providers and packages, wait until the orders end, and choose another panel in the settings.",
    kinds: &[
        ReferenceKind {
            plural_noun: "panel settings",
            // The value is a JSON number.
            select_sql: |id, _| Sql::new(external_panel_reference!(settings, "CAST(? AS BIGINT)")).bind(id),
        },
        ReferenceKind {
            plural_noun: "providers",
            select_sql: |id, _| {
                Sql::new("SELECT p.id, p.name FROM providers p WHERE p.external_panel_id = ? AND NOT p.is_archived").bind(id)
            },
        },
        ReferenceKind {
            plural_noun: "packages that are synchronized with this panel",
            select_sql: |id, _| {
                Sql::new("SELECT k.id, k.name FROM packages k JOIN provider_packages y ON y.id = k.provider_package_id WHERE y.external_panel_id = ? AND k.sync AND NOT k.is_archived").bind(id)
            },
        },
        ReferenceKind {
            plural_noun: "orders placed with it",
            select_sql: |id, _| {
                Sql::new(concat!("SELECT DISTINCT o.id, o.name FROM external_panel_orders a JOIN orders o ON o.id = a.order_id WHERE a.external_panel_id = ? AND ", attempt_is!(unfinished, "a"))).bind(id)
            },
        },
    ],
};
