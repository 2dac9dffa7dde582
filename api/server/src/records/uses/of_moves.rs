//! Uses that keep a service type or a service in its network: packages, special offers and import rules belong to one network
//! and may refer only to service types and services of it. Archived ones count, because they may be restored.

use super::{Use, Uses};
use panel_platform::db::Sql;

const REMOVE_BEFORE_MOVE: &str = "Remove it from them before you move it to another network.";

/// Uses of a service type that require its network.
pub static OF_SERVICE_TYPE_IN_NETWORK: Uses = Uses {
    noun: "service type",
    code: "service_type_in_use",
    advice: REMOVE_BEFORE_MOVE,
    all: &[
        Use {
            what: "packages",
            rows: |id, _| {
                Sql::new("SELECT p.id, p.name FROM packages p WHERE p.service_type_id = ?").bind(id)
            },
        },
        Use {
            what: "special offers",
            rows: |id, _| {
                Sql::new(
                    "SELECT o.id, o.name FROM special_offers o WHERE o.id IN (SELECT x.offer_id FROM special_offer_types x WHERE x.service_type_id = ?
                       UNION SELECT x.offer_id FROM special_offer_services x JOIN services s ON s.id = x.service_id WHERE s.service_type_id = ?)",
                )
                .bind(id)
                .bind(id)
            },
        },
        Use {
            what: "rules by which new services are imported",
            rows: |id, _| {
                Sql::new(
                    "SELECT e.id, e.name FROM import_rules x JOIN external_panels e ON e.id = x.external_panel_id
                     WHERE x.service_type_id = ? AND x.network_id IS NOT NULL",
                )
                .bind(id)
            },
        },
    ],
};

/// Uses of a service that require its network.
pub static OF_SERVICE_IN_NETWORK: Uses = Uses {
    noun: "service",
    code: "service_in_use",
    advice: REMOVE_BEFORE_MOVE,
    all: &[Use {
        what: "special offers",
        rows: |id, _| {
            Sql::new("SELECT o.id, o.name FROM special_offer_services x JOIN special_offers o ON o.id = x.offer_id WHERE x.service_id = ?").bind(id)
        },
    }],
};
