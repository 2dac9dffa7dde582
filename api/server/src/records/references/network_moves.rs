//! Declares the references that prevent a service type or a service from moving to another network. Packages, special offers and
//! import rules belong to one network, and may refer only to service types and services of that network. Archived packages and
//! special offers count, because staff may restore them.

use super::{ReferenceKind, ReferenceRules};
use panel_platform::db::Sql;

const REMOVE_BEFORE_MOVE: &str = "Remove it from these records before you move it to another network.";

pub static BOUND_TO_NETWORK_OF_SERVICE_TYPE: ReferenceRules = ReferenceRules {
    noun: "service type",
    code: "service_type_in_use",
    advice: REMOVE_BEFORE_MOVE,
    kinds: &[
        ReferenceKind {
            plural_noun: "packages",
            select_sql: |id, _| {
                Sql::new("SELECT p.id, p.name FROM packages p WHERE p.service_type_id = ?").bind(id)
            },
        },
        ReferenceKind {
            plural_noun: "special offers",
            select_sql: |id, _| {
                Sql::new(
                    "SELECT o.id, o.name FROM special_offers o WHERE o.id IN (SELECT x.offer_id FROM special_offer_types x WHERE x.service_type_id = ?
                       UNION SELECT x.offer_id FROM special_offer_services x JOIN services s ON s.id = x.service_id WHERE s.service_type_id = ?)",
                )
                .bind(id)
                .bind(id)
            },
        },
        ReferenceKind {
            plural_noun: "import rules",
            select_sql: |id, _| {
                Sql::new(
                    "SELECT e.id, e.name FROM import_rules x JOIN external_panels e ON e.id = x.external_panel_id
                     WHERE x.service_type_id = ? AND x.network_id IS NOT NULL",
                )
                .bind(id)
            },
        },
    ],
};

pub static BOUND_TO_NETWORK_OF_SERVICE: ReferenceRules = ReferenceRules {
    noun: "service",
    code: "service_in_use",
    advice: REMOVE_BEFORE_MOVE,
    kinds: &[ReferenceKind {
        plural_noun: "special offers",
        select_sql: |id, _| {
            Sql::new("SELECT o.id, o.name FROM special_offer_services x JOIN special_offers o ON o.id = x.offer_id WHERE x.service_id = ?").bind(id)
        },
    }],
};
