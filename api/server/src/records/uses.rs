//! Finds the records that use a record which is about to be archived or deleted. Every kind of use is declared here, read in
//! one statement and named in one sentence of the error. Never writes.

use panel_contract::fields::FieldErrors;
use panel_contract::ids::{RecordId, ServiceId};
use panel_contract::moment::Time;
use panel_kernel::error::Result;
use panel_kernel::rejection::Rejection;

mod of_external_panel;
mod of_moves;
mod of_service;

use panel_platform::db::{Source, Sql};
use panel_platform::work::UnitOfWork;

pub use of_external_panel::OF_EXTERNAL_PANEL;
pub(crate) use of_external_panel::use_of_external_panel;
pub use of_moves::{OF_SERVICE_IN_NETWORK, OF_SERVICE_TYPE_IN_NETWORK};
pub use of_service::OF_SERVICE;
pub(crate) use of_service::use_of_service;

/// Maximum number of records of one kind that an error names; it counts the others.
const MAX_NAMED: i64 = 10;

/// One kind of record that may use another.
#[derive(Debug)]
struct Use {
    /// Plural noun for these records in the error.
    what: &'static str,
    /// Selects `id` and `name` of the records that use the record with this id at this time.
    rows: fn(RecordId, Time) -> Sql,
}

/// All kinds of records that may use one kind of record.
#[derive(Debug)]
pub struct Uses {
    /// Noun for the used record in the error.
    noun: &'static str,
    /// Code of the error.
    code: &'static str,
    /// What the caller has to do first.
    advice: &'static str,
    all: &'static [Use],
}

const REMOVE_FIRST: &str = "Remove it from them first.";

// Rules

/// Records of one kind that use it: their noun, the first of them, and their number.
#[derive(Debug, PartialEq, Eq)]
struct FoundUses {
    what: &'static str,
    named: Vec<(RecordId, String)>,
    count: i64,
}

fn check_unused(uses: &Uses, found: &[FoundUses]) -> Result<(), Rejection> {
    if found.is_empty() {
        return Ok(());
    }
    let listed: Vec<String> = found.iter().map(sentence).collect();
    let message = format!("This {} is used by {}. {}", uses.noun, listed.join("; "), uses.advice);
    Err(Rejection::conflict(uses.code, message))
}

fn check_none_archived(noun: &str, archived: Vec<(ServiceId, String)>) -> Result<(), Rejection> {
    if archived.is_empty() {
        return Ok(());
    }
    let count = i64::try_from(archived.len()).unwrap_or(i64::MAX);
    let named = archived.into_iter().take(usize::try_from(MAX_NAMED).unwrap_or(0));
    let named = named.map(|(id, name)| (id.record(), name)).collect();
    let listed = sentence(&FoundUses { what: "archived services", named, count });
    let message = format!("This {noun} needs {listed}. Restore them or remove them from it first.");
    Err(Rejection::conflict("service_archived", message))
}

fn sentence(found: &FoundUses) -> String {
    // A setting is no record: its id is 0.
    let name = |(id, name): &(RecordId, String)| match id.get() {
        0 => name.clone(),
        id => format!("{name} ({id})"),
    };
    let names: Vec<String> = found.named.iter().map(name).collect();
    let others = found.count - i64::try_from(names.len()).unwrap_or(0);
    let more = if others > 0 { format!(" and {others} more") } else { String::new() };
    format!("{}: {}{more}", found.what, names.join(", "))
}

// Store

/// The use of a record by a column of import rules.
macro_rules! use_of_import_rule {
    ($column:literal) => {
        Use {
            what: "rules by which new services are imported",
            rows: |id, _| {
                Sql::new(concat!("SELECT e.id, e.name FROM import_rules x JOIN external_panels e ON e.id = x.external_panel_id WHERE x.", $column, " = ?")).bind(id)
            },
        }
    };
}

/// Uses of a service type. Archived records count, because they may be restored.
pub static OF_SERVICE_TYPE: Uses = Uses {
    noun: "service type",
    code: "service_type_in_use",
    advice: REMOVE_FIRST,
    all: &[
        use_of_import_rule!("service_type_id"),
        Use {
            what: "services",
            rows: |id, _| {
                Sql::new("SELECT s.id, s.name FROM services s WHERE s.service_type_id = ?").bind(id)
            },
        },
        Use {
            what: "packages",
            rows: |id, _| {
                Sql::new("SELECT p.id, p.name FROM packages p WHERE p.service_type_id = ?").bind(id)
            },
        },
        Use {
            what: "special offers",
            rows: |id, _| {
                Sql::new("SELECT o.id, o.name FROM special_offer_types x JOIN special_offers o ON o.id = x.offer_id WHERE x.service_type_id = ?").bind(id)
            },
        },
        Use {
            what: "panel settings",
            // The value is a JSON list of ids.
            rows: |id, _| {
                Sql::new("SELECT CAST(0 AS BIGINT) AS id, x.key AS name FROM settings x WHERE x.key = 'service_types' AND ',' || replace(replace(replace(x.value, '[', ''), ']', ''), ' ', '') || ',' LIKE ?")
                    .bind(format!("%,{id},%"))
            },
        },
    ],
};

/// Uses of a network. Archived records count, because they may be restored.
pub static OF_NETWORK: Uses = Uses {
    noun: "network",
    code: "network_in_use",
    advice: REMOVE_FIRST,
    all: &[
        use_of_import_rule!("network_id"),
        Use {
            what: "service types",
            rows: |id, _| {
                Sql::new("SELECT t.id, t.name FROM service_types t WHERE t.network_id = ?").bind(id)
            },
        },
        Use {
            what: "packages",
            rows: |id, _| Sql::new("SELECT p.id, p.name FROM packages p WHERE p.network_id = ?").bind(id),
        },
        Use {
            what: "packages of external panels",
            rows: |id, _| {
                Sql::new("SELECT p.id, p.name FROM provider_packages p WHERE p.network_id = ?").bind(id)
            },
        },
        Use {
            what: "special offers",
            rows: |id, _| {
                Sql::new("SELECT o.id, o.name FROM special_offers o WHERE o.network_id = ?").bind(id)
            },
        },
    ],
};

/// Uses of a target.
pub static OF_TARGET: Uses = Uses {
    noun: "target",
    code: "target_in_use",
    advice: REMOVE_FIRST,
    all: &[
        Use {
            what: "services",
            rows: |id, _| {
                Sql::new("SELECT s.id, s.name FROM service_targets x JOIN services s ON s.id = x.service_id WHERE x.target_id = ?").bind(id)
            },
        },
        Use {
            what: "orders that are not finished",
            // Their answers are sent to external panels by the target's kind.
            rows: |id, _| {
                Sql::new("SELECT DISTINCT o.id, o.name FROM order_targetable_values v JOIN orders o ON o.id = v.order_id WHERE v.target_id = ? AND o.status NOT IN ('completed', 'canceled')").bind(id)
            },
        },
        Use {
            what: "drip-feeds in progress",
            // The answers for later runs are a JSON list.
            rows: |id, _| {
                Sql::new("SELECT d.id, d.name FROM drip_feeds d WHERE d.status = 'in_processing' AND d.answers LIKE ?")
                    .bind(format!("%\"target_id\":{id},%"))
            },
        },
    ],
};

/// Uses of a group of checks.
pub static OF_CHECKER_GROUP: Uses = Uses {
    noun: "group",
    code: "group_in_use",
    advice: REMOVE_FIRST,
    all: &[
        Use {
            what: "services",
            rows: |id, _| {
                Sql::new("SELECT s.id, s.name FROM services s WHERE s.promotable_checker_group_id = ?")
                    .bind(id)
            },
        },
        use_of_import_rule!("promotable_checker_group_id"),
    ],
};

/// Uses of a grade.
pub static OF_GRADE: Uses = Uses {
    noun: "grade",
    code: "grade_in_use",
    advice: "Assign them another one first.",
    all: &[Use {
        what: "customers",
        rows: |id, _| Sql::new("SELECT u.id, u.name FROM users u WHERE u.grade_id = ?").bind(id),
    }],
};

/// Selects `id` and `name` of the pending requests for the quest `$id`.
macro_rules! use_of_quest {
    (requests, $id:literal) => {
        concat!(
            "SELECT f.id, f.name FROM free_trials f WHERE f.status = 'pending' AND f.free_trial_quest_id = ",
            $id
        )
    };
}
pub(crate) use use_of_quest;

/// Uses of a quest.
pub static OF_QUEST: Uses = Uses {
    noun: "quest",
    code: "quest_in_use",
    advice: "Approve or reject them first.",
    all: &[Use {
        what: "pending free-trial requests",
        rows: |id, _| Sql::new(use_of_quest!(requests, "?")).bind(id),
    }],
};

/// Selects `id` and `name` of the order widgets that would offer no payment method without `$id`. Their methods are a JSON list
/// of ids.
macro_rules! use_of_payment_method {
    (list) => {
        "',' || replace(replace(replace(w.payment_methods, '[', ''), ']', ''), ' ', '') || ','"
    };
    (widgets, $id:literal) => {
        concat!(
            "SELECT w.id, w.name FROM order_widgets w WHERE ", $crate::records::uses::use_of_payment_method!(list),
            " LIKE '%,' || CAST(CAST(", $id, " AS BIGINT) AS TEXT) || ',%' AND NOT EXISTS (SELECT 1 FROM payment_methods o WHERE o.is_enabled AND o.id <> CAST(",
            $id, " AS BIGINT) AND ", $crate::records::uses::use_of_payment_method!(list), " LIKE '%,' || CAST(o.id AS TEXT) || ',%')"
        )
    };
}
pub(crate) use use_of_payment_method;

/// Uses of a payment method: a widget skips disabled methods, so it uses the last enabled one.
pub static OF_PAYMENT_METHOD: Uses = Uses {
    noun: "payment method",
    code: "payment_method_in_use",
    advice: "Add another one to them first.",
    all: &[Use {
        what: "order widgets without another method",
        rows: |id, _| Sql::new(use_of_payment_method!(widgets, "?")).bind(id).bind(id),
    }],
};

/// Selects `id` and `name` of the menu items that link to the page `$id`, by its route with slashes or dots.
macro_rules! use_of_page {
    (menu_items, $id:literal) => {
        concat!("SELECT m.id, m.name FROM menu_items m JOIN panel_pages g ON m.url IN ('/' || g.route_name, '/' || replace(g.route_name, '.', '/')) WHERE NOT m.is_archived AND g.id = ", $id)
    };
    (added_items, $id:literal) => {
        concat!("SELECT m.id, m.name FROM custom_menu_items m JOIN panel_pages g ON m.url IN ('/' || g.route_name, '/' || replace(g.route_name, '.', '/')) WHERE g.id = ", $id)
    };
    (any, $id:literal) => {
        concat!(
            "(EXISTS (", $crate::records::uses::use_of_page!(menu_items, $id),
            ") OR EXISTS (", $crate::records::uses::use_of_page!(added_items, $id), "))"
        )
    };
}
pub(crate) use use_of_page;

/// Uses of a page.
pub static OF_PAGE: Uses = Uses {
    noun: "page",
    code: "page_in_use",
    advice: "Change their links or remove them first.",
    all: &[
        Use { what: "menu items", rows: |id, _| Sql::new(use_of_page!(menu_items, "?")).bind(id) },
        Use { what: "added menu items", rows: |id, _| Sql::new(use_of_page!(added_items, "?")).bind(id) },
    ],
};

/// Returns a field error for each archived service of the list; the text is its field. All services stay locked until the
/// transaction ends: a concurrent archive either committed before and is seen here, or waits and then finds the new use.
pub async fn check_not_archived(
    work: &mut UnitOfWork,
    requested: &[(String, ServiceId)],
) -> Result<FieldErrors> {
    let ids: Vec<ServiceId> = requested.iter().map(|(_, id)| *id).collect();
    let archived = archived(work, &ids).await?;
    let mut errors = FieldErrors::default();
    for (field, id) in requested.iter().filter(|(_, id)| archived.iter().any(|service| service.0 == *id)) {
        errors.add(field.clone(), format!("Service {id} is archived; restore it first."));
    }
    Ok(errors)
}

/// Refuses to restore a record (`noun`) that needs an archived service. The services stay locked, as in [`check_not_archived`].
pub async fn refuse_if_archived(work: &mut UnitOfWork, noun: &str, services: &[ServiceId]) -> Result<()> {
    Ok(check_none_archived(noun, archived(work, services).await?)?)
}

/// Returns the archived ones of these services. All of them stay locked.
async fn archived(work: &mut UnitOfWork, ids: &[ServiceId]) -> Result<Vec<(ServiceId, String)>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let sql = Sql::new("SELECT id, name, is_archived FROM services WHERE id IN ").ids(ids);
    let rows: Vec<(ServiceId, String, bool)> = work.all(sql.push(" ORDER BY id").for_share()).await?;
    Ok(rows.into_iter().filter(|row| row.2).map(|(id, name, _)| (id, name)).collect())
}

/// Refuses to archive or delete a record in use; the error names each use. The caller has locked the record.
pub async fn refuse_if_used(work: &mut UnitOfWork, uses: &Uses, id: impl Into<RecordId>) -> Result<()> {
    let mut sql = Sql::new("");
    let (id, now) = (id.into(), work.now);
    for (at, one) in uses.all.iter().enumerate() {
        let union = if at == 0 { "" } else { " UNION ALL " };
        sql = sql
            .push(union)
            .push(
                "SELECT * FROM (SELECT CAST(? AS BIGINT) AS kind, u.id, u.name, count(*) OVER () AS n FROM (",
            )
            .bind(i64::try_from(at).unwrap_or(0))
            .append((one.rows)(id, now))
            .push(") AS u ORDER BY u.id LIMIT ?) AS k")
            .bind(MAX_NAMED);
    }
    let rows: Vec<(i64, RecordId, String, i64)> = work.all(sql).await?;
    let mut found: Vec<FoundUses> = Vec::new();
    for (kind, id, name, count) in rows {
        let Some(one) = usize::try_from(kind).ok().and_then(|at| uses.all.get(at)) else { continue };
        match found.iter_mut().find(|found| found.what == one.what) {
            Some(found) => found.named.push((id, name)),
            None => found.push(FoundUses { what: one.what, named: vec![(id, name)], count }),
        }
    }
    Ok(check_unused(uses, &found)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_names_each_use() {
        assert_eq!(check_unused(&OF_SERVICE, &[]), Ok(()));
        let found = [
            FoundUses {
                what: "packages",
                named: vec![(RecordId::new(3), "Starter".into()), (RecordId::new(4), "Gold".into())],
                count: 2,
            },
            FoundUses {
                what: "panel settings",
                named: vec![(RecordId::NONE, "service_types".into())],
                count: 1,
            },
            FoundUses { what: "quests", named: vec![(RecordId::new(1), "Post".into())], count: 12 },
        ];
        let rejection = check_unused(&OF_SERVICE, &found).unwrap_err();
        assert_eq!(rejection.code, "service_in_use");
        assert_eq!(
            rejection.message,
            "This service is used by packages: Starter (3), Gold (4); panel settings: service_types; quests: Post (1) and 11 more. Remove it from them first."
        );
    }
}
