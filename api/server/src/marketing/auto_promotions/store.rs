//! SQL of auto-promotion: its networks, service types and services.

use std::collections::BTreeSet;

use panel_contract::amount::Fraction;
use panel_contract::auto_promotions::{
    AutoPromotionNetwork, AutoPromotionQuery, AutoPromotionService, AutoPromotionServiceType,
    AutoPromotionServicesInput,
};
use panel_contract::common::NamedRef;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{AutoPromotionServiceId, NetworkId, ServiceId, ServiceTypeId};
use panel_kernel::error::{Error, Result};

use crate::catalogue::promoted_levels;
use crate::records::positions::SortableList;
use panel_platform::db::{Sql, SqlExecutor, Val};
use panel_platform::work::UnitOfWork;

pub(super) const NETWORKS: SortableList = SortableList {
    field: "networks",
    // Networks without promoted services are not in the list, so they cannot be sorted.
    select_sql: "SELECT network_id AS id, sorting FROM auto_promotion_networks WHERE EXISTS (SELECT 1 FROM auto_promotions a JOIN services s ON s.id = a.service_id
      JOIN service_types t ON t.id = s.service_type_id WHERE t.network_id = auto_promotion_networks.network_id)",
    update_sql: "UPDATE auto_promotion_networks SET sorting = r.place FROM ",
    update_where_sql: " WHERE auto_promotion_networks.network_id = r.id",
};

#[derive(sqlx::FromRow)]
pub(super) struct NetworkRow {
    id: NetworkId,
    name: String,
    icon: Option<String>,
    is_enabled: bool,
    resale_margin_ppm: Option<Fraction>,
    sorting: i64,
    services_count: i64,
    enabled_services_count: i64,
}

pub(super) async fn load_networks(
    db: &mut impl SqlExecutor,
    network_id: Option<NetworkId>,
) -> Result<Vec<AutoPromotionNetwork>> {
    let mut sql = Sql::new(
        "SELECT n.id, n.name, n.icon, p.is_enabled, p.resale_margin_ppm, p.sorting, count(a.id) AS services_count,
           CAST(COALESCE(sum(CASE WHEN a.is_enabled THEN 1 ELSE 0 END), 0) AS BIGINT) AS enabled_services_count
         FROM auto_promotion_networks p JOIN networks n ON n.id = p.network_id JOIN service_types t ON t.network_id = n.id
         JOIN services s ON s.service_type_id = t.id JOIN auto_promotions a ON a.service_id = s.id",
    );
    if let Some(id) = network_id {
        sql = sql.push(" WHERE n.id = ?").bind(id);
    }
    let sql = sql.push(" GROUP BY n.id, n.name, n.icon, p.is_enabled, p.resale_margin_ppm, p.sorting ORDER BY p.sorting, n.id");
    let rows: Vec<NetworkRow> = db.fetch_all(sql).await?;
    let to_response = |row: NetworkRow| AutoPromotionNetwork {
        id: row.id,
        name: row.name,
        icon: row.icon,
        is_enabled: row.is_enabled,
        resale_margin_fraction: row.resale_margin_ppm,
        sorting: row.sorting,
        services_count: row.services_count,
        enabled_services_count: row.enabled_services_count,
    };
    Ok(rows.into_iter().map(to_response).collect())
}

pub(super) async fn load_network(work: &mut UnitOfWork, id: NetworkId) -> Result<AutoPromotionNetwork> {
    load_networks(work, Some(id)).await?.pop().ok_or_else(|| Error::not_found("promoted network", id))
}

pub(super) fn add_filters(mut sql: Sql, query: &AutoPromotionQuery) -> Sql {
    if let Some(id) = query.network_id {
        sql = sql.push(" AND n.id = ?").bind(id);
    }
    if let Some(id) = query.service_type_id {
        sql = sql.push(" AND t.id = ?").bind(id);
    }
    sql
}

#[derive(sqlx::FromRow)]
pub(super) struct TypeRow {
    id: ServiceTypeId,
    name: String,
    network_id: NetworkId,
    network_name: String,
    is_enabled: bool,
    resale_margin_ppm: Option<Fraction>,
    sorting: i64,
    services_count: i64,
    enabled_services_count: i64,
    other_services_count: i64,
}

pub(super) async fn load_types(
    db: &mut impl SqlExecutor,
    query: &AutoPromotionQuery,
) -> Result<Vec<AutoPromotionServiceType>> {
    let sql = Sql::new(
        "SELECT t.id, t.name, n.id AS network_id, n.name AS network_name, COALESCE(p.is_enabled, TRUE) AS is_enabled, p.resale_margin_ppm,
           COALESCE(p.sorting, 0) AS sorting, count(a.id) AS services_count,
           CAST(COALESCE(sum(CASE WHEN a.is_enabled THEN 1 ELSE 0 END), 0) AS BIGINT) AS enabled_services_count,
           CAST(sum(CASE WHEN a.id IS NULL THEN 1 ELSE 0 END) AS BIGINT) AS other_services_count
         FROM service_types t JOIN networks n ON n.id = t.network_id JOIN services s ON s.service_type_id = t.id LEFT JOIN auto_promotions a ON a.service_id = s.id
           LEFT JOIN auto_promotion_types p ON p.service_type_id = t.id
         WHERE (a.id IS NOT NULL OR (s.is_enabled AND NOT s.is_archived))",
    );
    let sql = add_filters(sql, query).push(
        " GROUP BY t.id, t.name, t.sorting, n.id, n.name, n.sorting, p.is_enabled, p.resale_margin_ppm, p.sorting
         ORDER BY n.sorting, n.id, p.sorting IS NULL, p.sorting, t.sorting, t.id",
    );
    let rows: Vec<TypeRow> = db.fetch_all(sql).await?;
    let to_response = |row: TypeRow| AutoPromotionServiceType {
        id: row.id,
        name: row.name,
        network: NamedRef { id: row.network_id, name: row.network_name },
        is_enabled: row.services_count > 0 && row.is_enabled,
        resale_margin_fraction: row.resale_margin_ppm,
        sorting: row.sorting,
        services_count: row.services_count,
        enabled_services_count: row.enabled_services_count,
        other_services_count: row.other_services_count,
    };
    Ok(rows.into_iter().map(to_response).collect())
}

#[derive(sqlx::FromRow)]
pub(super) struct ServiceRow {
    id: AutoPromotionServiceId,
    service_id: ServiceId,
    service_name: String,
    type_id: ServiceTypeId,
    type_name: String,
    network_id: NetworkId,
    network_name: String,
    is_enabled: bool,
    resale_margin_ppm: Option<Fraction>,
    sorting: i64,
}

/// Loads the promoted services; if `services` is set, only those of them.
pub(super) async fn load_services(
    db: &mut impl SqlExecutor,
    query: &AutoPromotionQuery,
    services: Option<&[ServiceId]>,
) -> Result<Vec<AutoPromotionService>> {
    let sql = Sql::new(
        "SELECT a.id, s.id AS service_id, s.name AS service_name, t.id AS type_id, t.name AS type_name, n.id AS network_id, n.name AS network_name, a.is_enabled,
           a.resale_margin_ppm, a.sorting
         FROM auto_promotions a JOIN services s ON s.id = a.service_id JOIN service_types t ON t.id = s.service_type_id JOIN networks n ON n.id = t.network_id
           LEFT JOIN auto_promotion_types p ON p.service_type_id = t.id WHERE TRUE",
    );
    let mut sql = add_filters(sql, query);
    if let Some(ids) = services {
        sql = sql.push(" AND s.id IN ").ids(ids);
    }
    let sql = sql.push(" ORDER BY n.sorting, n.id, p.sorting IS NULL, p.sorting, t.sorting, t.id, a.sorting, s.sorting, s.id");
    let rows: Vec<ServiceRow> = db.fetch_all(sql).await?;
    let to_response = |row: ServiceRow| AutoPromotionService {
        id: row.id,
        service: NamedRef { id: row.service_id, name: row.service_name },
        service_type: NamedRef { id: row.type_id, name: row.type_name },
        network: NamedRef { id: row.network_id, name: row.network_name },
        is_enabled: row.is_enabled,
        resale_margin_fraction: row.resale_margin_ppm,
        sorting: row.sorting,
    };
    Ok(rows.into_iter().map(to_response).collect())
}

/// Loads and locks the services that the input selects. Services that the input names by id must be on sale or already promoted,
/// and belong to the network and type of the input.
pub(super) async fn lock_selected_services(
    work: &mut UnitOfWork,
    input: &AutoPromotionServicesInput,
) -> Result<Vec<ServiceId>> {
    let query = AutoPromotionQuery { network_id: input.network_id, service_type_id: input.service_type_id };
    let sql = Sql::new(
        "SELECT s.id FROM services s JOIN service_types t ON t.id = s.service_type_id JOIN networks n ON n.id = t.network_id
         WHERE ((s.is_enabled AND NOT s.is_archived) OR EXISTS (SELECT 1 FROM auto_promotions a WHERE a.service_id = s.id))",
    );
    let mut sql = add_filters(sql, &query);
    if let Some(ids) = &input.services {
        sql = sql.push(" AND s.id IN ").ids(ids);
    }
    // The lock prevents concurrent archiving. Services that are already archived do not match.
    let rows: Vec<(ServiceId,)> = work.fetch_all(sql.push(" ORDER BY s.id").for_share_of("s")).await?;
    let selected_ids: BTreeSet<ServiceId> = rows.into_iter().map(|(id,)| id).collect();
    let mut errors = FieldErrors::default();
    for (index, id) in
        input.services.iter().flatten().enumerate().filter(|(_, id)| !selected_ids.contains(id))
    {
        errors.add(
            format!("services.{index}"),
            format!("Service {id} is not on sale in this network or type. Choose another one."),
        );
    }
    if selected_ids.is_empty() && input.services.is_none() {
        let field = if input.service_type_id.is_some() { "service_type_id" } else { "network_id" };
        errors.add(field, "This network or type has no service on sale. Choose another network or type.");
    }
    Ok(errors.into_result(selected_ids.into_iter().collect())?)
}

/// Adds the services that are not promoted yet, and applies the input's changes to all of them.
pub(super) async fn upsert_services(
    work: &mut UnitOfWork,
    ids: &[ServiceId],
    input: &AutoPromotionServicesInput,
) -> Result<()> {
    let now = work.timestamp();
    let sql = Sql::new(
        "INSERT INTO auto_promotions (service_id, created_at, updated_at, sorting)
         SELECT id, ?, ?, (SELECT COALESCE(max(sorting), 0) FROM auto_promotions) + row_number() OVER (ORDER BY sorting, id) FROM services WHERE id IN ",
    );
    let sql = sql.bind(now).bind(now).ids(ids).push(" ORDER BY id ON CONFLICT (service_id) DO NOTHING");
    work.execute(sql).await?;
    let mut changed_columns: Vec<(&'static str, Val)> = Vec::new();
    if let Some(is_enabled) = input.is_enabled {
        changed_columns.push(("is_enabled", is_enabled.into()));
    }
    if let Some(fraction) = input.resale_margin_fraction.as_update() {
        changed_columns.push(("resale_margin_ppm", fraction.copied().into()));
    }
    if !changed_columns.is_empty() {
        let mut sql = Sql::new("UPDATE auto_promotions SET updated_at = ?").bind(now);
        for (column, value) in changed_columns {
            sql = sql.push(", ").push(column).push(" = ").bind(value);
        }
        work.execute(sql.push(" WHERE service_id IN ").ids(ids)).await?;
    }
    promoted_levels::sync_with_services(work).await
}

/// Toggles a network and returns its new state. The row lock serializes concurrent requests.
pub(super) async fn toggle_enabled(work: &mut UnitOfWork, network: NetworkId) -> Result<bool> {
    let sql = Sql::new("SELECT is_enabled FROM auto_promotion_networks WHERE network_id = ?");
    let row: Option<(bool,)> = work.fetch_optional(sql.bind(network).for_update()).await?;
    let (is_enabled,) = row.ok_or_else(|| Error::not_found("promoted network", network))?;
    let sql = Sql::new("UPDATE auto_promotion_networks SET is_enabled = ? WHERE network_id = ?");
    work.execute(sql.bind(!is_enabled).bind(network)).await?;
    Ok(!is_enabled)
}

/// Removes a service; removing the last service of a service type or network also removes that type or network.
pub(super) async fn remove_service(
    work: &mut UnitOfWork,
    id: AutoPromotionServiceId,
) -> Result<AutoPromotionService> {
    let sql = Sql::new("SELECT service_id FROM auto_promotions WHERE id = ?").bind(id).for_update();
    let row: Option<(ServiceId,)> = work.fetch_optional(sql).await?;
    let (service_id,) = row.ok_or_else(|| Error::not_found("auto-promotion", id))?;
    let removed_service =
        load_services(work, &AutoPromotionQuery::default(), Some(&[service_id])).await?.pop();
    let removed_service = removed_service.ok_or_else(|| Error::not_found("auto-promotion", id))?;
    work.execute(Sql::new("DELETE FROM auto_promotions WHERE id = ?").bind(id)).await?;
    promoted_levels::sync_with_services(work).await?;
    Ok(removed_service)
}
