//! Declares the records that may refer to a service. Custom prices of customers belong to the service and do not count.

use super::{ReferenceKind, ReferenceRules};
use panel_platform::db::Sql;

// Store

/// Selects `id` and `name` of the records of one kind that refer to the service `$id` at the time `$now`. The kind `any` is an SQL
/// condition instead, which is true if a record of any kind refers to the service. The list of services uses this condition too, so
/// that the list allows archiving exactly if the endpoint accepts it.
macro_rules! service_reference {
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
    (any, $id:literal, $now:literal) => {
        concat!(
            "(EXISTS (", $crate::records::references::service_reference!(packages, $id),
            ") OR EXISTS (", $crate::records::references::service_reference!(discounts, $id, $now),
            ") OR EXISTS (", $crate::records::references::service_reference!(offers, $id),
            ") OR EXISTS (", $crate::records::references::service_reference!(promotions, $id),
            ") OR EXISTS (", $crate::records::references::service_reference!(quests, $id),
            ") OR EXISTS (", $crate::records::references::service_reference!(subscriptions, $id),
            ") OR EXISTS (", $crate::records::references::service_reference!(drip_feeds, $id),
            "))"
        )
    };
}
pub(crate) use service_reference;

pub static TO_SERVICE: ReferenceRules = ReferenceRules {
    noun: "service",
    code: "service_in_use",
    advice: super::REMOVE_FIRST,
    kinds: &[
        ReferenceKind {
            plural_noun: "packages",
            select_sql: |id, _| Sql::new(service_reference!(packages, "?")).bind(id),
        },
        ReferenceKind {
            plural_noun: "discounts",
            select_sql: |id, now| Sql::new(service_reference!(discounts, "?", "?")).bind(id).bind(now),
        },
        ReferenceKind {
            plural_noun: "special offers",
            select_sql: |id, _| Sql::new(service_reference!(offers, "?")).bind(id),
        },
        ReferenceKind {
            plural_noun: "auto-promotion of networks",
            select_sql: |id, _| Sql::new(service_reference!(promotions, "?")).bind(id),
        },
        ReferenceKind {
            plural_noun: "quests",
            select_sql: |id, _| Sql::new(service_reference!(quests, "?")).bind(id),
        },
        ReferenceKind {
            plural_noun: "subscriptions in progress",
            select_sql: |id, _| Sql::new(service_reference!(subscriptions, "?")).bind(id),
        },
        ReferenceKind {
            plural_noun: "drip-feeds in progress",
            select_sql: |id, _| Sql::new(service_reference!(drip_feeds, "?")).bind(id),
        },
    ],
};
