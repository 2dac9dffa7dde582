//! Rejects requests to archive or delete a record to which other records refer. This module declares which kinds of records may
//! refer to which. One statement loads the references, and the error names them. Never writes.

use panel_contract::fields::FieldErrors;
use panel_contract::ids::{RecordId, ServiceId};
use panel_contract::moment::Time;
use panel_kernel::error::Result;
use panel_kernel::rejection::Rejection;

mod network_moves;
mod to_external_panel;
mod to_service;

use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::work::UnitOfWork;

pub use network_moves::{BOUND_TO_NETWORK_OF_SERVICE, BOUND_TO_NETWORK_OF_SERVICE_TYPE};
pub use to_external_panel::TO_EXTERNAL_PANEL;
pub(crate) use to_external_panel::external_panel_reference;
pub use to_service::TO_SERVICE;
pub(crate) use to_service::service_reference;

/// Maximum number of records of one kind that an error names. The error contains only the number of all further records.
const MAX_NAMED: i64 = 10;

/// One kind of record that may refer to another.
#[derive(Debug)]
struct ReferenceKind {
    /// The referring records in the error message.
    plural_noun: &'static str,
    /// Selects `id` and `name` of the records that refer to the record with this id at this time.
    select_sql: fn(RecordId, Time) -> Sql,
}

/// All kinds of records that may refer to records of one kind, and the parts of the error message if they do.
#[derive(Debug)]
pub struct ReferenceRules {
    /// The record in the error message.
    noun: &'static str,
    /// Error code.
    code: &'static str,
    /// Last sentence of the error: what the caller has to do first.
    advice: &'static str,
    kinds: &'static [ReferenceKind],
}

const REMOVE_FIRST: &str = "Remove it from these records first.";

// Rules

/// Records of one kind, as an error names them.
#[derive(Debug, PartialEq, Eq)]
struct NamedRecords {
    plural_noun: &'static str,
    /// Id and name of at most [`MAX_NAMED`] records.
    named: Vec<(RecordId, String)>,
    /// Number of all records, including those without a name here.
    count: i64,
}

fn check_unreferenced(rules: &ReferenceRules, references: &[NamedRecords]) -> Result<(), Rejection> {
    if references.is_empty() {
        return Ok(());
    }
    let descriptions: Vec<String> = references.iter().map(describe).collect();
    let message = format!("This {} is used by {}. {}", rules.noun, descriptions.join("; "), rules.advice);
    Err(Rejection::conflict(rules.code, message))
}

fn check_none_archived(noun: &str, archived_services: Vec<(ServiceId, String)>) -> Result<(), Rejection> {
    if archived_services.is_empty() {
        return Ok(());
    }
    let count = i64::try_from(archived_services.len()).unwrap_or(i64::MAX);
    let first_archived_services = archived_services.into_iter().take(usize::try_from(MAX_NAMED).unwrap_or(0));
    let named = first_archived_services.map(|(id, name)| (id.as_record_id(), name)).collect();
    let description = describe(&NamedRecords { plural_noun: "archived services", named, count });
    let message = format!(
        "This {noun} needs {description}. Restore these services or remove them from the {noun} first."
    );
    Err(Rejection::conflict("service_archived", message))
}

/// For example "packages: Starter (3), Gold (4) and 2 more".
fn describe(records: &NamedRecords) -> String {
    // A setting has a name but no id. Its query returns the id 0.
    let name_with_id = |(id, name): &(RecordId, String)| match id.get() {
        0 => name.clone(),
        id => format!("{name} ({id})"),
    };
    let names: Vec<String> = records.named.iter().map(name_with_id).collect();
    let unnamed_count = records.count - i64::try_from(names.len()).unwrap_or(0);
    let suffix = if unnamed_count > 0 { format!(" and {unnamed_count} more") } else { String::new() };
    format!("{}: {}{suffix}", records.plural_noun, names.join(", "))
}

// Store

/// Import rules whose column `$column` refers to the record. An import rule has no name, so the error contains the name of its
/// external panel.
macro_rules! import_rule_reference {
    ($column:literal) => {
        ReferenceKind {
            plural_noun: "import rules",
            select_sql: |id, _| {
                Sql::new(concat!("SELECT e.id, e.name FROM import_rules x JOIN external_panels e ON e.id = x.external_panel_id WHERE x.", $column, " = ?")).bind(id)
            },
        }
    };
}

/// Archived records count, because they may be restored.
pub static TO_SERVICE_TYPE: ReferenceRules = ReferenceRules {
    noun: "service type",
    code: "service_type_in_use",
    advice: REMOVE_FIRST,
    kinds: &[
        import_rule_reference!("service_type_id"),
        ReferenceKind {
            plural_noun: "services",
            select_sql: |id, _| {
                Sql::new("SELECT s.id, s.name FROM services s WHERE s.service_type_id = ?").bind(id)
            },
        },
        ReferenceKind {
            plural_noun: "packages",
            select_sql: |id, _| {
                Sql::new("SELECT p.id, p.name FROM packages p WHERE p.service_type_id = ?").bind(id)
            },
        },
        ReferenceKind {
            plural_noun: "special offers",
            select_sql: |id, _| {
                Sql::new("SELECT o.id, o.name FROM special_offer_types x JOIN special_offers o ON o.id = x.offer_id WHERE x.service_type_id = ?").bind(id)
            },
        },
        ReferenceKind {
            plural_noun: "panel settings",
            // The value is a JSON list of ids.
            select_sql: |id, _| {
                Sql::new("SELECT CAST(0 AS BIGINT) AS id, x.key AS name FROM settings x WHERE x.key = 'service_types' AND ',' || replace(replace(replace(x.value, '[', ''), ']', ''), ' ', '') || ',' LIKE ?")
                    .bind(format!("%,{id},%"))
            },
        },
    ],
};

/// Archived records count, because they may be restored.
pub static TO_NETWORK: ReferenceRules = ReferenceRules {
    noun: "network",
    code: "network_in_use",
    advice: REMOVE_FIRST,
    kinds: &[
        import_rule_reference!("network_id"),
        ReferenceKind {
            plural_noun: "service types",
            select_sql: |id, _| {
                Sql::new("SELECT t.id, t.name FROM service_types t WHERE t.network_id = ?").bind(id)
            },
        },
        ReferenceKind {
            plural_noun: "packages",
            select_sql: |id, _| {
                Sql::new("SELECT p.id, p.name FROM packages p WHERE p.network_id = ?").bind(id)
            },
        },
        ReferenceKind {
            plural_noun: "packages of external panels",
            select_sql: |id, _| {
                Sql::new("SELECT p.id, p.name FROM provider_packages p WHERE p.network_id = ?").bind(id)
            },
        },
        ReferenceKind {
            plural_noun: "special offers",
            select_sql: |id, _| {
                Sql::new("SELECT o.id, o.name FROM special_offers o WHERE o.network_id = ?").bind(id)
            },
        },
    ],
};

pub static TO_TARGET: ReferenceRules = ReferenceRules {
    noun: "target",
    code: "target_in_use",
    advice: REMOVE_FIRST,
    kinds: &[
        ReferenceKind {
            plural_noun: "services",
            select_sql: |id, _| {
                Sql::new("SELECT s.id, s.name FROM service_targets x JOIN services s ON s.id = x.service_id WHERE x.target_id = ?").bind(id)
            },
        },
        ReferenceKind {
            plural_noun: "orders that are not finished",
            // The kind of the target decides how the answers in these orders are sent to external panels.
            select_sql: |id, _| {
                Sql::new("SELECT DISTINCT o.id, o.name FROM order_targetable_values v JOIN orders o ON o.id = v.order_id WHERE v.target_id = ? AND o.status NOT IN ('completed', 'canceled')").bind(id)
            },
        },
        ReferenceKind {
            plural_noun: "drip-feeds in progress",
            // The column holds the answers for later runs as a JSON list.
            select_sql: |id, _| {
                Sql::new("SELECT d.id, d.name FROM drip_feeds d WHERE d.status = 'in_processing' AND d.answers LIKE ?")
                    .bind(format!("%\"target_id\":{id},%"))
            },
        },
    ],
};

pub static TO_CHECKER_GROUP: ReferenceRules = ReferenceRules {
    noun: "group",
    code: "group_in_use",
    advice: REMOVE_FIRST,
    kinds: &[
        ReferenceKind {
            plural_noun: "services",
            select_sql: |id, _| {
                Sql::new("SELECT s.id, s.name FROM services s WHERE s.promotable_checker_group_id = ?")
                    .bind(id)
            },
        },
        import_rule_reference!("promotable_checker_group_id"),
    ],
};

pub static TO_GRADE: ReferenceRules = ReferenceRules {
    noun: "grade",
    code: "grade_in_use",
    advice: "Assign another grade to these customers first.",
    kinds: &[ReferenceKind {
        plural_noun: "customers",
        select_sql: |id, _| Sql::new("SELECT u.id, u.name FROM users u WHERE u.grade_id = ?").bind(id),
    }],
};

/// Selects `id` and `name` of the pending requests for the quest `$id`.
macro_rules! quest_reference {
    (requests, $id:literal) => {
        concat!(
            "SELECT f.id, f.name FROM free_trials f WHERE f.status = 'pending' AND f.free_trial_quest_id = ",
            $id
        )
    };
}
pub(crate) use quest_reference;

pub static TO_QUEST: ReferenceRules = ReferenceRules {
    noun: "quest",
    code: "quest_in_use",
    advice: "Approve or reject these requests first.",
    kinds: &[ReferenceKind {
        plural_noun: "pending free-trial requests",
        select_sql: |id, _| Sql::new(quest_reference!(requests, "?")).bind(id),
    }],
};

/// Selects `id` and `name` of the order widgets that would offer no payment method without the method `$id`. The column
/// `payment_methods` holds a JSON list of ids.
macro_rules! payment_method_reference {
    (comma_separated_ids) => {
        "',' || replace(replace(replace(w.payment_methods, '[', ''), ']', ''), ' ', '') || ','"
    };
    (widgets, $id:literal) => {
        concat!(
            "SELECT w.id, w.name FROM order_widgets w WHERE ", $crate::records::references::payment_method_reference!(comma_separated_ids),
            " LIKE '%,' || CAST(CAST(", $id, " AS BIGINT) AS TEXT) || ',%' AND NOT EXISTS (SELECT 1 FROM payment_methods o WHERE o.is_enabled AND o.id <> CAST(",
            $id, " AS BIGINT) AND ", $crate::records::references::payment_method_reference!(comma_separated_ids), " LIKE '%,' || CAST(o.id AS TEXT) || ',%')"
        )
    };
}
pub(crate) use payment_method_reference;

/// An order widget skips disabled payment methods, so a widget counts as a reference only to its last enabled method.
pub static TO_PAYMENT_METHOD: ReferenceRules = ReferenceRules {
    noun: "payment method",
    code: "payment_method_in_use",
    advice: "Add another payment method to these widgets first.",
    kinds: &[ReferenceKind {
        plural_noun: "order widgets without another method",
        select_sql: |id, _| Sql::new(payment_method_reference!(widgets, "?")).bind(id).bind(id),
    }],
};

/// Selects `id` and `name` of the menu items that link to the page `$id`. A link contains the route name with slashes or with dots.
macro_rules! page_reference {
    (menu_items, $id:literal) => {
        concat!("SELECT m.id, m.name FROM menu_items m JOIN panel_pages g ON m.url IN ('/' || g.route_name, '/' || replace(g.route_name, '.', '/')) WHERE NOT m.is_archived AND g.id = ", $id)
    };
    (added_items, $id:literal) => {
        concat!("SELECT m.id, m.name FROM custom_menu_items m JOIN panel_pages g ON m.url IN ('/' || g.route_name, '/' || replace(g.route_name, '.', '/')) WHERE g.id = ", $id)
    };
    (any, $id:literal) => {
        concat!(
            "(EXISTS (", $crate::records::references::page_reference!(menu_items, $id),
            ") OR EXISTS (", $crate::records::references::page_reference!(added_items, $id), "))"
        )
    };
}
pub(crate) use page_reference;

pub static TO_PAGE: ReferenceRules = ReferenceRules {
    noun: "page",
    code: "page_in_use",
    advice: "Change the links of these menu items or remove the items first.",
    kinds: &[
        ReferenceKind {
            plural_noun: "menu items",
            select_sql: |id, _| Sql::new(page_reference!(menu_items, "?")).bind(id),
        },
        ReferenceKind {
            plural_noun: "added menu items",
            select_sql: |id, _| Sql::new(page_reference!(added_items, "?")).bind(id),
        },
    ],
};

/// Returns an error for each field of `requested` whose service is archived. All services stay locked until the transaction ends.
/// So a concurrent request that archives one of the services has either committed, and this function returns an error, or the
/// request waits and then finds the new reference.
pub async fn check_not_archived(
    work: &mut UnitOfWork,
    requested: &[(String, ServiceId)],
) -> Result<FieldErrors> {
    let ids: Vec<ServiceId> = requested.iter().map(|(_, id)| *id).collect();
    let archived_services = load_archived_services(work, &ids).await?;
    let mut errors = FieldErrors::default();
    let is_archived = |id: ServiceId| archived_services.iter().any(|(archived_id, _)| *archived_id == id);
    for (field, id) in requested.iter().filter(|(_, id)| is_archived(*id)) {
        errors.add(field.clone(), format!("Service {id} is archived; restore it first."));
    }
    Ok(errors)
}

/// Returns a 409 if a record (`noun`) that is restored needs an archived service. The services stay locked, as in
/// [`check_not_archived`].
pub async fn reject_if_archived(work: &mut UnitOfWork, noun: &str, services: &[ServiceId]) -> Result<()> {
    Ok(check_none_archived(noun, load_archived_services(work, services).await?)?)
}

/// Returns id and name of the archived services in `ids`. All services in `ids` stay locked.
async fn load_archived_services(
    work: &mut UnitOfWork,
    ids: &[ServiceId],
) -> Result<Vec<(ServiceId, String)>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let sql = Sql::new("SELECT id, name, is_archived FROM services WHERE id IN ").ids(ids);
    let rows: Vec<(ServiceId, String, bool)> = work.fetch_all(sql.push(" ORDER BY id").for_share()).await?;
    Ok(rows.into_iter().filter(|(_, _, is_archived)| *is_archived).map(|(id, name, _)| (id, name)).collect())
}

/// Returns a 409 if other records refer to a record that is archived or deleted. The caller has locked the record.
pub async fn reject_if_used(
    work: &mut UnitOfWork,
    rules: &ReferenceRules,
    id: impl Into<RecordId>,
) -> Result<()> {
    let mut sql = Sql::new("");
    let (id, now) = (id.into(), work.now);
    for (index, kind) in rules.kinds.iter().enumerate() {
        let separator = if index == 0 { "" } else { " UNION ALL " };
        sql = sql
            .push(separator)
            .push(
                "SELECT * FROM (SELECT CAST(? AS BIGINT) AS kind_index, u.id, u.name, count(*) OVER () AS n FROM (",
            )
            .bind(i64::try_from(index).unwrap_or(0))
            .append((kind.select_sql)(id, now))
            .push(") AS u ORDER BY u.id LIMIT ?) AS k")
            .bind(MAX_NAMED);
    }
    let rows: Vec<(i64, RecordId, String, i64)> = work.fetch_all(sql).await?;
    let mut references: Vec<NamedRecords> = Vec::new();
    for (kind_index, id, name, count) in rows {
        let kind = usize::try_from(kind_index).ok().and_then(|index| rules.kinds.get(index));
        let Some(&ReferenceKind { plural_noun, .. }) = kind else { continue };
        match references.iter_mut().find(|records| records.plural_noun == plural_noun) {
            Some(records) => records.named.push((id, name)),
            None => references.push(NamedRecords { plural_noun, named: vec![(id, name)], count }),
        }
    }
    Ok(check_unreferenced(rules, &references)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_names_the_referring_records() {
        assert_eq!(check_unreferenced(&TO_SERVICE, &[]), Ok(()));
        let references = [
            NamedRecords {
                plural_noun: "packages",
                named: vec![(RecordId::new(3), "Starter".into()), (RecordId::new(4), "Gold".into())],
                count: 2,
            },
            NamedRecords {
                plural_noun: "panel settings",
                named: vec![(RecordId::NONE, "service_types".into())],
                count: 1,
            },
            NamedRecords { plural_noun: "quests", named: vec![(RecordId::new(1), "Post".into())], count: 12 },
        ];
        let rejection = check_unreferenced(&TO_SERVICE, &references).unwrap_err();
        assert_eq!(rejection.code, "service_in_use");
        assert_eq!(
            rejection.message,
            "This service is used by packages: Starter (3), Gold (4); panel settings: service_types; quests: Post (1) and 11 more. Remove it from these records first."
        );
    }
}
