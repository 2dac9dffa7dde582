//! Maps categories of external panels to service types. An import adds the services of a category to one service type of a network,
//! and creates this service type if it does not exist. Each import locks the network first, so that two imports at the same time
//! cannot create two service types for one category.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::Translations;
use panel_contract::ids::{NetworkId, ServiceTypeId};
use panel_contract::service_types::ServiceTypeKind;
use panel_kernel::error::Result;
use serde_json::json;

use super::draft::ServiceTypeDraft;
use crate::records::changes::{self, RecordChange};
use panel_platform::db::{Sql, SqlExecutor, Val, names};
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
    /// Names of the service types that the import created.
    pub created_names: Vec<String>,
}

// Rules

/// Returns the service type of a category, or a service type that has the same name and no category yet.
fn find_for_category<'a>(types: &'a [ServiceTypeRow], category: &str) -> Option<&'a ServiceTypeRow> {
    let with_category = types.iter().find(|row| row.panel_category.as_deref() == Some(category));
    with_category.or_else(|| types.iter().find(|row| row.panel_category.is_none() && row.name == category))
}

/// Returns the platform of a new service type: the platform with the name of the network, or else the platform of the network's
/// first service type.
fn platform_of_new_type(network: &str, types: &[ServiceTypeRow]) -> ServiceTypeKind {
    let with_network_name =
        ServiceTypeKind::ALL.iter().find(|kind| kind.as_str().eq_ignore_ascii_case(network.trim()));
    let of_first_type = || types.first().map(|row| row.kind);
    with_network_name.copied().or_else(of_first_type).unwrap_or(ServiceTypeKind::Other)
}

fn service_type_name_for(category: &str) -> String {
    category.chars().take(MAX_NAME_CHARS).collect::<String>().trim().to_owned()
}

// Store

/// Locks a network and returns its name; `None` if it does not exist. The caller does this before it loads or creates service types
/// of the network.
pub async fn lock_network(work: &mut UnitOfWork, network: NetworkId) -> Result<Option<String>> {
    let sql = Sql::new("SELECT name FROM networks WHERE id = ?").bind(network).for_update();
    Ok(work.fetch_optional::<(String,)>(sql).await?.map(|(name,)| name))
}

/// Loads the existing service types that [`find_or_create`] would use, by category.
pub async fn load_existing(
    db: &mut impl SqlExecutor,
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

/// Loads the platforms of the service types that [`find_or_create`] would use or create, by category.
pub async fn load_platforms(
    db: &mut impl SqlExecutor,
    network: NetworkId,
    categories: &BTreeSet<&str>,
) -> Result<BTreeMap<String, ServiceTypeKind>> {
    let Some(name) = names::load_name(db, "networks", network).await? else { return Ok(BTreeMap::new()) };
    let types = load_service_types(db, network).await?;
    let new_platform = platform_of_new_type(&name, &types);
    let platform = |category: &&str| find_for_category(&types, category).map_or(new_platform, |row| row.kind);
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
    let (mut types_without_category, mut missing_categories) = (Vec::new(), Vec::new());
    for category in categories {
        match find_for_category(&types, category) {
            Some(row) => {
                result.by_category.insert((*category).to_owned(), row.id);
                if row.panel_category.is_none() {
                    types_without_category.push((row, *category));
                }
            }
            None => missing_categories.push(*category),
        }
    }
    assign_categories(work, &types_without_category).await?;
    create_types(work, network, platform_of_new_type(&name, &types), &missing_categories, &mut result)
        .await?;
    Ok(result)
}

/// Returns the category that a service type keeps when it moves to `network`; `None` if the new network already has a service type
/// for this category.
pub async fn category_unless_taken(
    work: &mut UnitOfWork,
    network: NetworkId,
    category: Option<String>,
) -> Result<Option<String>> {
    let Some(category) = category else { return Ok(None) };
    let sql = Sql::new("SELECT id FROM service_types WHERE network_id = ? AND panel_category = ?");
    let type_with_category: Option<(ServiceTypeId,)> =
        work.fetch_optional(sql.bind(network).bind(&*category)).await?;
    Ok(type_with_category.is_none().then_some(category))
}

async fn load_service_types(db: &mut impl SqlExecutor, network: NetworkId) -> Result<Vec<ServiceTypeRow>> {
    let sql = Sql::new(
        "SELECT id, name, type AS kind, panel_category FROM service_types WHERE network_id = ? ORDER BY sorting, id",
    );
    Ok(db.fetch_all(sql.bind(network)).await?)
}

/// Assigns categories to service types that have none.
async fn assign_categories(work: &mut UnitOfWork, assignments: &[(&ServiceTypeRow, &str)]) -> Result<()> {
    if assignments.is_empty() {
        return Ok(());
    }
    let now = work.timestamp();
    let rows = assignments.iter().map(|(row, category)| vec![row.id.into(), Val::from(*category)]).collect();
    let sql =
        Sql::new("UPDATE service_types SET panel_category = r.category, updated_at = ? FROM ").bind(now);
    let sql = sql.rows("r", &["id", "category"], rows);
    work.execute(sql.push(" WHERE service_types.id = r.id AND service_types.panel_category IS NULL")).await?;
    let record_changes = assignments.iter().map(|(row, category)| RecordChange {
        id: row.id.as_record_id(),
        name: row.name.clone(),
        old: json!({ "panel_category": null }),
        new: json!({ "panel_category": category }),
    });
    changes::record_all(work, ChangeAction::Updated, ChangeModel::ServiceType, record_changes.collect()).await
}

/// Creates service types of these categories and adds them to `result`.
async fn create_types(
    work: &mut UnitOfWork,
    network: NetworkId,
    kind: ServiceTypeKind,
    categories: &[&str],
    result: &mut CategoryServiceTypes,
) -> Result<()> {
    if categories.is_empty() {
        return Ok(());
    }
    let now = work.timestamp();
    let last_position_sql =
        Sql::new("SELECT COALESCE(max(sorting), 0) FROM service_types WHERE network_id = ?");
    let (last_position,): (i64,) = work.fetch_one(last_position_sql.bind(network)).await?;
    let to_row = |(position, category): (i64, &&str)| -> Vec<Val> {
        vec![service_type_name_for(category).into(), Val::from(*category), position.into()]
    };
    let rows = (last_position + 1..).zip(categories).map(to_row).collect();
    let sql = Sql::new(
        "INSERT INTO service_types (network_id, type, created_at, updated_at, name, panel_category, sorting)
         SELECT CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT), r.name, r.category, r.item_position FROM ",
    );
    let sql = sql.bind(network).bind(kind.as_str()).bind(now).bind(now);
    let sql =
        sql.rows("r", &["name", "category", "item_position"], rows).push(" RETURNING id, panel_category");
    let created: Vec<(ServiceTypeId, String)> = work.fetch_all(sql).await?;
    let ids: Vec<ServiceTypeId> = created.iter().map(|(id, _)| *id).collect();
    let insert_names_sql = "INSERT INTO translations (owner_type, owner_id, locale, field, value)
         SELECT 'service_type', id, 'en', 'name', name FROM service_types WHERE id IN ";
    work.execute(Sql::new(insert_names_sql).ids(&ids)).await?;
    let before = json!(ServiceTypeDraft::default());
    let mut record_changes = Vec::with_capacity(created.len());
    for (id, category) in created {
        let name = service_type_name_for(&category);
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
        result.created_names.push(name);
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
        assert_eq!(
            found_id(&types[..1], "Likes"),
            Some(1),
            "a service type with the name of the category must be found"
        );
        assert_eq!(found_id(&types, "Views"), None, "a service type with another category must not be found");
    }

    #[test]
    fn the_platform_of_a_new_service_type_follows_from_its_network() {
        let tiktok = ServiceTypeRow {
            id: ServiceTypeId::new(1),
            name: "Likes".into(),
            kind: ServiceTypeKind::Tiktok,
            panel_category: None,
        };
        assert_eq!(
            platform_of_new_type("instagram", std::slice::from_ref(&tiktok)),
            ServiceTypeKind::Instagram
        );
        assert_eq!(platform_of_new_type("Mine", std::slice::from_ref(&tiktok)), ServiceTypeKind::Tiktok);
        assert_eq!(platform_of_new_type("Mine", &[]), ServiceTypeKind::Other);
        assert_eq!(service_type_name_for(&"ä".repeat(300)).chars().count(), MAX_NAME_CHARS);
    }
}
