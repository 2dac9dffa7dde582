//! Service types of panel categories: an import adds the services of an external panel's category to one service type of a network
//! and creates it if needed. Two imports at the same time cannot create two of them, because each locks the network first.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::Translations;
use panel_contract::ids::{NetworkId, ServiceTypeId};
use panel_contract::service_types::ServiceTypeKind;
use panel_kernel::error::Result;
use serde_json::json;

use super::draft::ServiceTypeDraft;
use crate::records::changes::{self, RecordChange};
use panel_platform::db::{Source, Sql, Val, names};
use panel_platform::work::UnitOfWork;

const MAX_NAME_CHARS: usize = 100;

#[derive(Debug, sqlx::FromRow)]
struct ServiceTypeRow {
    id: ServiceTypeId,
    name: String,
    kind: ServiceTypeKind,
    panel_category: Option<String>,
}

#[derive(Debug, Default)]
pub struct CategoryServiceTypes {
    pub by_category: BTreeMap<String, ServiceTypeId>,
    /// Names of the service types that were created.
    pub created: Vec<String>,
}

// Rules

/// The service type of a category, or else one with the same name that has no category yet.
fn find_for_category<'a>(types: &'a [ServiceTypeRow], category: &str) -> Option<&'a ServiceTypeRow> {
    let assigned = types.iter().find(|row| row.panel_category.as_deref() == Some(category));
    assigned.or_else(|| types.iter().find(|row| row.panel_category.is_none() && row.name == category))
}

/// The platform of a new service type: by the name of the network, or else that of the network's first service type.
fn platform_for(network: &str, types: &[ServiceTypeRow]) -> ServiceTypeKind {
    let by_name = ServiceTypeKind::ALL.iter().find(|kind| kind.as_str().eq_ignore_ascii_case(network.trim()));
    let by_sibling = || types.first().map(|row| row.kind);
    by_name.copied().or_else(by_sibling).unwrap_or(ServiceTypeKind::Other)
}

fn service_type_name(category: &str) -> String {
    category.chars().take(MAX_NAME_CHARS).collect::<String>().trim().to_owned()
}

// Store

/// Locks a network before its service types are looked up or created, and returns its name; `None` if it does not exist.
pub async fn lock_network(work: &mut UnitOfWork, network: NetworkId) -> Result<Option<String>> {
    let sql = Sql::new("SELECT name FROM networks WHERE id = ?").bind(network).for_update();
    Ok(work.fetch_optional::<(String,)>(sql).await?.map(|(name,)| name))
}

/// The existing service types that [`find_or_create`] would use, by category.
pub async fn find_existing(
    db: &mut impl Source,
    network: NetworkId,
    categories: &BTreeSet<&str>,
) -> Result<BTreeMap<String, ServiceTypeId>> {
    let types = load_service_types(db, network).await?;
    let existing = categories.iter().filter_map(|category| {
        let service_type = find_for_category(&types, category)?;
        Some(((*category).to_owned(), service_type.id))
    });
    Ok(existing.collect())
}

/// The platforms of the service types that [`find_or_create`] would use or create, by category.
pub async fn load_platforms(
    db: &mut impl Source,
    network: NetworkId,
    categories: &BTreeSet<&str>,
) -> Result<BTreeMap<String, ServiceTypeKind>> {
    let Some(name) = names::load_name(db, "networks", network).await? else { return Ok(BTreeMap::new()) };
    let types = load_service_types(db, network).await?;
    let of_new = platform_for(&name, &types);
    let platform = |category: &&str| find_for_category(&types, category).map_or(of_new, |row| row.kind);
    Ok(categories.iter().map(|category| ((*category).to_owned(), platform(category))).collect())
}

/// Finds the service types of these categories, and creates missing ones at the last positions of the network.
pub async fn find_or_create(
    work: &mut UnitOfWork,
    network: NetworkId,
    categories: &BTreeSet<&str>,
) -> Result<CategoryServiceTypes> {
    let mut result = CategoryServiceTypes::default();
    let Some(name) = lock_network(work, network).await? else { return Ok(result) };
    let types = load_service_types(work, network).await?;
    let (mut same_name, mut missing) = (Vec::new(), Vec::new());
    for category in categories {
        match find_for_category(&types, category) {
            Some(row) => {
                result.by_category.insert((*category).to_owned(), row.id);
                if row.panel_category.is_none() {
                    same_name.push((row, *category));
                }
            }
            None => missing.push(*category),
        }
    }
    assign_categories(work, &same_name).await?;
    create(work, network, platform_for(&name, &types), &missing, &mut result).await?;
    Ok(result)
}

/// The category of a service type that moves to another network; `None` if the new network has a service type for it already.
pub async fn keep_if_free(
    work: &mut UnitOfWork,
    network: NetworkId,
    category: Option<String>,
) -> Result<Option<String>> {
    let Some(category) = category else { return Ok(None) };
    let sql = Sql::new("SELECT id FROM service_types WHERE network_id = ? AND panel_category = ?");
    let other: Option<(ServiceTypeId,)> = work.fetch_optional(sql.bind(network).bind(&*category)).await?;
    Ok(other.is_none().then_some(category))
}

async fn load_service_types(db: &mut impl Source, network: NetworkId) -> Result<Vec<ServiceTypeRow>> {
    let sql = Sql::new(
        "SELECT id, name, type AS kind, panel_category FROM service_types WHERE network_id = ? ORDER BY sorting, id",
    );
    Ok(db.fetch_all(sql.bind(network)).await?)
}

/// Stores the categories of service types that had none.
async fn assign_categories(work: &mut UnitOfWork, assigned: &[(&ServiceTypeRow, &str)]) -> Result<()> {
    if assigned.is_empty() {
        return Ok(());
    }
    let now = work.timestamp();
    let rows = assigned.iter().map(|(row, category)| vec![row.id.into(), Val::from(*category)]).collect();
    let sql =
        Sql::new("UPDATE service_types SET panel_category = r.category, updated_at = ? FROM ").bind(now);
    let sql = sql.rows("r", &["id", "category"], rows);
    work.execute(sql.push(" WHERE service_types.id = r.id AND service_types.panel_category IS NULL")).await?;
    let record_changes = assigned.iter().map(|(row, category)| RecordChange {
        id: row.id.as_record_id(),
        name: row.name.clone(),
        old: json!({ "panel_category": null }),
        new: json!({ "panel_category": category }),
    });
    changes::record_all(work, ChangeAction::Updated, ChangeModel::ServiceType, record_changes.collect()).await
}

/// Creates service types of these categories and adds them to `result`.
async fn create(
    work: &mut UnitOfWork,
    network: NetworkId,
    kind: ServiceTypeKind,
    missing: &[&str],
    result: &mut CategoryServiceTypes,
) -> Result<()> {
    if missing.is_empty() {
        return Ok(());
    }
    let now = work.timestamp();
    let last_position = Sql::new("SELECT COALESCE(max(sorting), 0) FROM service_types WHERE network_id = ?");
    let (last_position,): (i64,) = work.fetch_one(last_position.bind(network)).await?;
    let row = |(position, category): (i64, &&str)| -> Vec<Val> {
        vec![service_type_name(category).into(), Val::from(*category), position.into()]
    };
    let rows = (last_position + 1..).zip(missing).map(row).collect();
    let sql = Sql::new(
        "INSERT INTO service_types (network_id, type, created_at, updated_at, name, panel_category, sorting)
         SELECT CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT), r.name, r.category, r.place FROM ",
    );
    let sql = sql.bind(network).bind(kind.as_str()).bind(now).bind(now);
    let sql = sql.rows("r", &["name", "category", "place"], rows).push(" RETURNING id, panel_category");
    let created: Vec<(ServiceTypeId, String)> = work.fetch_all(sql).await?;
    let ids: Vec<ServiceTypeId> = created.iter().map(|(id, _)| *id).collect();
    let texts = "INSERT INTO translations (owner_type, owner_id, locale, field, value)
         SELECT 'service_type', id, 'en', 'name', name FROM service_types WHERE id IN ";
    work.execute(Sql::new(texts).ids(&ids)).await?;
    let before = json!(ServiceTypeDraft::default());
    let mut record_changes = Vec::with_capacity(created.len());
    for (id, category) in created {
        let name = service_type_name(&category);
        let mut translations = Translations::default();
        translations.put("en", "name", &name);
        let draft = ServiceTypeDraft {
            name: name.clone(),
            network: Some(network),
            kind: Some(kind),
            panel_category: Some(category.clone()),
            translations,
            ..ServiceTypeDraft::default()
        };
        record_changes.push(RecordChange {
            id: id.as_record_id(),
            name: name.clone(),
            old: before.clone(),
            new: json!(draft),
        });
        result.created.push(name);
        result.by_category.insert(category, id);
    }
    changes::record_all(work, ChangeAction::Created, ChangeModel::ServiceType, record_changes).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_service_type_by_its_category_before_its_name() {
        let row = |id, name: &str, category: Option<&str>| ServiceTypeRow {
            id: ServiceTypeId::new(id),
            name: name.into(),
            kind: ServiceTypeKind::Tiktok,
            panel_category: category.map(str::to_owned),
        };
        let types = [row(1, "Likes", None), row(2, "Hearts", Some("Likes")), row(3, "Views", Some("Other"))];
        let found_id =
            |types: &[ServiceTypeRow], category| find_for_category(types, category).map(|row| row.id.get());
        assert_eq!(found_id(&types, "Likes"), Some(2));
        assert_eq!(found_id(&types[..1], "Likes"), Some(1), "found by its name");
        assert_eq!(found_id(&types, "Views"), None, "the service type named Views has another category");
    }

    #[test]
    fn a_new_service_type_takes_its_platform_from_the_network() {
        let tiktok = ServiceTypeRow {
            id: ServiceTypeId::new(1),
            name: "Likes".into(),
            kind: ServiceTypeKind::Tiktok,
            panel_category: None,
        };
        assert_eq!(platform_for("instagram", std::slice::from_ref(&tiktok)), ServiceTypeKind::Instagram);
        assert_eq!(platform_for("Mine", std::slice::from_ref(&tiktok)), ServiceTypeKind::Tiktok);
        assert_eq!(platform_for("Mine", &[]), ServiceTypeKind::Other);
        assert_eq!(service_type_name(&"ä".repeat(300)).chars().count(), MAX_NAME_CHARS);
    }
}
