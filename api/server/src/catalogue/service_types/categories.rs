//! Service types that keep the categories of external panels: an import finds the one of a category in a network, or makes
//! it. A category is kept by one service type of a network, also where two imports ask for it at once.

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

/// Longest name of a service type, in characters.
const LONGEST_NAME: usize = 100;

/// A service type of a network.
#[derive(Debug, sqlx::FromRow)]
struct TypeRow {
    id: ServiceTypeId,
    name: String,
    kind: ServiceTypeKind,
    panel_category: Option<String>,
}

/// Service types by category, and the names of those that were made.
#[derive(Debug, Default)]
pub struct Categories {
    /// Ids by category.
    pub ids: BTreeMap<String, ServiceTypeId>,
    /// Names of the service types that were made.
    pub made: Vec<String>,
}

// Rules

/// The service type that keeps a category, else one of the same name that keeps none.
fn found<'a>(types: &'a [TypeRow], category: &str) -> Option<&'a TypeRow> {
    let keeps = types.iter().find(|one| one.panel_category.as_deref() == Some(category));
    keeps.or_else(|| types.iter().find(|one| one.panel_category.is_none() && one.name == category))
}

/// What a new service type of a network is about: what the network is called, else what its service types are about.
fn kind_of(network: &str, types: &[TypeRow]) -> ServiceTypeKind {
    let named = ServiceTypeKind::ALL.iter().find(|kind| kind.as_str().eq_ignore_ascii_case(network.trim()));
    let known = named.copied().or_else(|| types.first().map(|one| one.kind));
    known.unwrap_or(ServiceTypeKind::Other)
}

fn name_of(category: &str) -> String {
    category.chars().take(LONGEST_NAME).collect::<String>().trim().to_owned()
}

// Store

/// Locks a network whose service types are found or made; its name.
pub async fn lock(work: &mut UnitOfWork, network: NetworkId) -> Result<Option<String>> {
    let sql = Sql::new("SELECT name FROM networks WHERE id = ?").bind(network).for_update();
    Ok(work.opt::<(String,)>(sql).await?.map(|(name,)| name))
}

/// The service types of a network by the categories that they keep, or would keep by their name.
pub async fn known(
    db: &mut impl Source,
    network: NetworkId,
    all: &BTreeSet<&str>,
) -> Result<BTreeMap<String, ServiceTypeId>> {
    let types = types(db, network).await?;
    let known = all.iter().filter_map(|category| Some(((*category).to_owned(), found(&types, category)?.id)));
    Ok(known.collect())
}

/// What the service types of a network that keep these categories are about; those that are not there yet, as [`ensure`]
/// makes them.
pub async fn kinds(
    db: &mut impl Source,
    network: NetworkId,
    all: &BTreeSet<&str>,
) -> Result<BTreeMap<String, ServiceTypeKind>> {
    let Some(name) = names::load_name(db, "networks", network).await? else { return Ok(BTreeMap::new()) };
    let types = types(db, network).await?;
    let new = kind_of(&name, &types);
    let kind = |category: &&str| found(&types, category).map_or(new, |one| one.kind);
    Ok(all.iter().map(|category| ((*category).to_owned(), kind(category))).collect())
}

/// The service types of a network that keep these categories; those that there are not are made, last in the network.
pub async fn ensure(work: &mut UnitOfWork, network: NetworkId, all: &BTreeSet<&str>) -> Result<Categories> {
    let mut done = Categories::default();
    let Some(name) = lock(work, network).await? else { return Ok(done) };
    let types = types(work, network).await?;
    let (mut adopted, mut missing) = (Vec::new(), Vec::new());
    for category in all {
        match found(&types, category) {
            Some(one) => {
                done.ids.insert((*category).to_owned(), one.id);
                if one.panel_category.is_none() {
                    adopted.push((one, *category));
                }
            }
            None => missing.push(*category),
        }
    }
    adopt(work, &adopted).await?;
    make(work, network, kind_of(&name, &types), &missing, &mut done).await?;
    Ok(done)
}

/// A category that a service type takes along into another network; none where another one keeps it there.
pub async fn free_in(
    work: &mut UnitOfWork,
    network: NetworkId,
    category: Option<String>,
) -> Result<Option<String>> {
    let Some(category) = category else { return Ok(None) };
    let sql = Sql::new("SELECT id FROM service_types WHERE network_id = ? AND panel_category = ?");
    let other: Option<(ServiceTypeId,)> = work.opt(sql.bind(network).bind(&*category)).await?;
    Ok(other.is_none().then_some(category))
}

async fn types(db: &mut impl Source, network: NetworkId) -> Result<Vec<TypeRow>> {
    let sql = Sql::new(
        "SELECT id, name, type AS kind, panel_category FROM service_types WHERE network_id = ? ORDER BY sorting, id",
    );
    Ok(db.all(sql.bind(network)).await?)
}

/// Service types of the same name keep the category from now on.
async fn adopt(work: &mut UnitOfWork, adopted: &[(&TypeRow, &str)]) -> Result<()> {
    if adopted.is_empty() {
        return Ok(());
    }
    let now = work.stamp();
    let rows = adopted.iter().map(|(one, category)| vec![one.id.into(), Val::from(*category)]).collect();
    let sql =
        Sql::new("UPDATE service_types SET panel_category = r.category, updated_at = ? FROM ").bind(now);
    let sql = sql.rows("r", &["id", "category"], rows);
    work.exec(sql.push(" WHERE service_types.id = r.id AND service_types.panel_category IS NULL")).await?;
    let record_changes = adopted.iter().map(|(one, category)| RecordChange {
        id: one.id.record(),
        name: one.name.clone(),
        old: json!({ "panel_category": null }),
        new: json!({ "panel_category": category }),
    });
    changes::record_all(work, ChangeAction::Updated, ChangeModel::ServiceType, record_changes.collect()).await
}

async fn make(
    work: &mut UnitOfWork,
    network: NetworkId,
    kind: ServiceTypeKind,
    missing: &[&str],
    done: &mut Categories,
) -> Result<()> {
    if missing.is_empty() {
        return Ok(());
    }
    let now = work.stamp();
    let last = Sql::new("SELECT COALESCE(max(sorting), 0) FROM service_types WHERE network_id = ?");
    let (last,): (i64,) = work.one(last.bind(network)).await?;
    let row = |(place, category): (i64, &&str)| -> Vec<Val> {
        vec![name_of(category).into(), Val::from(*category), place.into()]
    };
    let rows = (last + 1..).zip(missing).map(row).collect();
    let sql = Sql::new(
        "INSERT INTO service_types (network_id, type, created_at, updated_at, name, panel_category, sorting)
         SELECT CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT), r.name, r.category, r.place FROM ",
    );
    let sql = sql.bind(network).bind(kind.as_str()).bind(now).bind(now);
    let sql = sql.rows("r", &["name", "category", "place"], rows).push(" RETURNING id, panel_category");
    let made: Vec<(ServiceTypeId, String)> = work.all(sql).await?;
    let ids: Vec<ServiceTypeId> = made.iter().map(|(id, _)| *id).collect();
    let texts = "INSERT INTO translations (owner_type, owner_id, locale, field, value)
         SELECT 'service_type', id, 'en', 'name', name FROM service_types WHERE id IN ";
    work.exec(Sql::new(texts).ids(&ids)).await?;
    let before = json!(ServiceTypeDraft::default());
    let mut record_changes = Vec::with_capacity(made.len());
    for (id, category) in made {
        let name = name_of(&category);
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
            id: id.record(),
            name: name.clone(),
            old: before.clone(),
            new: json!(draft),
        });
        done.made.push(name);
        done.ids.insert(category, id);
    }
    changes::record_all(work, ChangeAction::Created, ChangeModel::ServiceType, record_changes).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_category_is_found_by_itself_before_a_name() {
        let of = |id, name: &str, category: Option<&str>| TypeRow {
            id: ServiceTypeId::new(id),
            name: name.into(),
            kind: ServiceTypeKind::Tiktok,
            panel_category: category.map(str::to_owned),
        };
        let types = [of(1, "Likes", None), of(2, "Hearts", Some("Likes")), of(3, "Views", Some("Other"))];
        assert_eq!(found(&types, "Likes").map(|one| one.id.get()), Some(2));
        assert_eq!(found(&types[..1], "Likes").map(|one| one.id.get()), Some(1), "by its name");
        assert!(found(&types, "Views").is_none(), "it keeps another category");
        assert_eq!(kind_of("instagram", &types), ServiceTypeKind::Instagram);
        assert_eq!(kind_of("Mine", &types), ServiceTypeKind::Tiktok);
        assert_eq!(kind_of("Mine", &[]), ServiceTypeKind::Other);
        assert_eq!(name_of(&"ä".repeat(300)).chars().count(), LONGEST_NAME);
    }
}
