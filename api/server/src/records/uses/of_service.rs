//! Uses of a service. The lists, the undo and the archive action read the same declarations, so that a button and its endpoint
//! agree. Custom prices of customers belong to the service and do not count.

use super::{Use, Uses};
use panel_platform::db::Sql;

// Store

/// Selects `id` and `name` of the records of one kind that use the service `$id` at `$now`, or asks about all kinds.
macro_rules! use_of_service {
    (packages, $id:literal) => {
        concat!("SELECT p.id, p.name FROM package_contents x JOIN packages p ON p.id = x.package_id WHERE x.service_id = ", $id, " AND NOT p.is_archived")
    };
    (discounts, $id:literal, $now:literal) => {
        concat!("SELECT d.id, d.name FROM discount_services x JOIN discounts d ON d.id = x.discount_id WHERE x.service_id = ", $id, " AND NOT d.is_archived AND d.completed_at IS NULL AND (d.valid_to IS NULL OR d.valid_to > ", $now, ")")
    };
    (offers, $id:literal) => {
        concat!("SELECT o.id, o.name FROM special_offer_services x JOIN special_offers o ON o.id = x.offer_id WHERE x.service_id = ", $id, " AND NOT o.is_archived")
    };
    (promotions, $id:literal) => {
        concat!("SELECT n.id, n.name FROM auto_promotions a JOIN services j ON j.id = a.service_id JOIN service_types k ON k.id = j.service_type_id JOIN networks n ON n.id = k.network_id WHERE a.service_id = ", $id)
    };
    (quests, $id:literal) => {
        concat!("SELECT q.id, q.name FROM free_trial_quests q WHERE q.service_id = ", $id, " AND NOT q.is_archived")
    };
    (subscriptions, $id:literal) => {
        concat!("SELECT d.id, d.name FROM subscription_services x JOIN subscriptions d ON d.id = x.subscription_id WHERE x.service_id = ", $id, " AND d.status = 'in_processing'")
    };
    (drip_feeds, $id:literal) => {
        concat!("SELECT d.id, d.name FROM drip_feeds d WHERE d.service_id = ", $id, " AND d.status = 'in_processing'")
    };
    // Whether any record uses it.
    (any, $id:literal, $now:literal) => {
        concat!(
            "(EXISTS (", $crate::records::uses::use_of_service!(packages, $id),
            ") OR EXISTS (", $crate::records::uses::use_of_service!(discounts, $id, $now),
            ") OR EXISTS (", $crate::records::uses::use_of_service!(offers, $id),
            ") OR EXISTS (", $crate::records::uses::use_of_service!(promotions, $id),
            ") OR EXISTS (", $crate::records::uses::use_of_service!(quests, $id),
            ") OR EXISTS (", $crate::records::uses::use_of_service!(subscriptions, $id),
            ") OR EXISTS (", $crate::records::uses::use_of_service!(drip_feeds, $id),
            "))"
        )
    };
}
pub(crate) use use_of_service;

/// Uses of a service.
pub static OF_SERVICE: Uses = Uses {
    noun: "service",
    code: "service_in_use",
    advice: super::REMOVE_FIRST,
    all: &[
        Use { what: "packages", rows: |id, _| Sql::new(use_of_service!(packages, "?")).bind(id) },
        Use {
            what: "discounts",
            rows: |id, now| Sql::new(use_of_service!(discounts, "?", "?")).bind(id).bind(now),
        },
        Use { what: "special offers", rows: |id, _| Sql::new(use_of_service!(offers, "?")).bind(id) },
        Use {
            what: "auto-promotion of networks",
            rows: |id, _| Sql::new(use_of_service!(promotions, "?")).bind(id),
        },
        Use { what: "quests", rows: |id, _| Sql::new(use_of_service!(quests, "?")).bind(id) },
        Use {
            what: "subscriptions in progress",
            rows: |id, _| Sql::new(use_of_service!(subscriptions, "?")).bind(id),
        },
        Use {
            what: "drip-feeds in progress",
            rows: |id, _| Sql::new(use_of_service!(drip_feeds, "?")).bind(id),
        },
    ],
};
