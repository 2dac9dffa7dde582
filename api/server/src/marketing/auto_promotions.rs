//! Endpoints of auto-promotion: the networks and services that customers can choose for the automatic promotion of an account. A
//! network belongs to it while at least one of its services does.

pub mod levels;

use std::collections::BTreeSet;

use panel_contract::amount::Fraction;
use panel_contract::auto_promotions::{
    PromotedNetwork, PromotedQuery, PromotedService, PromotedServicesInput, PromotedType,
};
use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::{Data, Named, Patch};
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::auto_promotions::{
    AddPromotedServices, DeletePromotedService, ListPromotedNetworks, ListPromotedServices,
    ListPromotedTypes, SortPromotedNetworks, TogglePromotedNetwork,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{NetworkId, PromotedServiceId, RecordId, ServiceId, ServiceTypeId};
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::catalogue::promoted_levels;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::pricing::least_margin;
use crate::records::change_log::ChangedRecord;
use crate::records::changes::{self, RecordChange};
use crate::records::positions::{self, SortableList};
use panel_platform::db::{Source, Sql, Val};
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.on::<ListPromotedNetworks, _, _, _>(networks)
        .on::<ListPromotedTypes, _, _, _>(types)
        .on::<ListPromotedServices, _, _, _>(services)
        .on::<AddPromotedServices, _, _, _>(add)
        .on::<TogglePromotedNetwork, _, _, _>(toggle)
        .on::<SortPromotedNetworks, _, _, _>(sort)
        .on::<DeletePromotedService, _, _, _>(delete)
        .with(levels::routes)
}

async fn networks(ctx: Ctx, _req: Req<ListPromotedNetworks>) -> Result<Data<Vec<PromotedNetwork>>> {
    Ok(Data { data: all_networks(&mut ctx.db(), None).await? })
}

async fn types(ctx: Ctx, req: Req<ListPromotedTypes>) -> Result<Data<Vec<PromotedType>>> {
    Ok(Data { data: all_types(&mut ctx.db(), &req.query).await? })
}

async fn services(ctx: Ctx, req: Req<ListPromotedServices>) -> Result<Data<Vec<PromotedService>>> {
    Ok(Data { data: all_services(&mut ctx.db(), &req.query, None).await? })
}

async fn add(ctx: Ctx, req: Req<AddPromotedServices>) -> Result<Data<Vec<PromotedService>>> {
    validate(&req.body)?;
    let mut work = ctx.begin().await?;
    check_margin(&mut work, &req.body.resale_margin_percent, req.body.confirm_below_margin).await?;
    let ids = resolve_services(&mut work, &req.body).await?;
    let none = PromotedQuery::default();
    let before = all_services(&mut work, &none, Some(&ids)).await?;
    upsert(&mut work, &ids, &req.body).await?;
    let after = all_services(&mut work, &none, Some(&ids)).await?;
    record_change(&mut work, &before, &after).await?;
    work.finish(Data { data: after }).await
}

async fn toggle(ctx: Ctx, req: Req<TogglePromotedNetwork>) -> Result<Data<PromotedNetwork>> {
    let mut work = ctx.begin().await?;
    let is_enabled = toggle_enabled(&mut work, req.path).await?;
    let data = network(&mut work, req.path).await?;
    let action = if is_enabled { ChangeAction::Enabled } else { ChangeAction::Disabled };
    let name = format!("{} (network)", data.name);
    let changed =
        ChangedRecord { action, model: ChangeModel::AutoPromotion, id: req.path.record(), name: &name };
    changes::record(
        &mut work,
        changed,
        &json!({ "is_enabled": !is_enabled }),
        &json!({ "is_enabled": is_enabled }),
    )
    .await?;
    work.finish(Data { data }).await
}

async fn sort(ctx: Ctx, req: Req<SortPromotedNetworks>) -> Result<Data<Vec<PromotedNetwork>>> {
    let mut work = ctx.begin().await?;
    let requested = &req.body.networks;
    let before = positions::sort(&mut work, NETWORKS, None, requested).await?;
    if before != *requested {
        let (action, model) = (ChangeAction::Sorted, ChangeModel::AutoPromotion);
        let changed = ChangedRecord { action, model, id: RecordId::NONE, name: "Networks" };
        changes::record(
            &mut work,
            changed,
            &json!({ "networks": before }),
            &json!({ "networks": requested }),
        )
        .await?;
    }
    let data = all_networks(&mut work, None).await?;
    work.finish(Data { data }).await
}

async fn delete(ctx: Ctx, req: Req<DeletePromotedService>) -> Result<EmptyBody> {
    let mut work = ctx.begin().await?;
    let removed = remove(&mut work, req.path).await?;
    let (action, model) = (ChangeAction::Deleted, ChangeModel::AutoPromotion);
    let changed = ChangedRecord { action, model, id: req.path.record(), name: &removed.service.name };
    changes::record(&mut work, changed, &json!(removed), &json!({})).await?;
    work.finish(EmptyBody {}).await
}

// Rules

/// Largest number of services in one request.
const MAX_SERVICES: usize = 10_000;
const ONE_PPM: i64 = 1_000_000;

fn validate(input: &PromotedServicesInput) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    match &input.services {
        None if input.network_id.is_none() && input.service_type_id.is_none() => {
            errors.add("services", "Choose services, a service type or a network.");
        }
        Some(ids) if ids.is_empty() || ids.len() > MAX_SERVICES => {
            errors.add("services", format!("Choose 1 to {MAX_SERVICES} services."));
        }
        _ => {}
    }
    if let Some(Some(share)) = input.resale_margin_percent.as_update()
        && !(0..=ONE_PPM).contains(&share.0)
    {
        errors.add("resale_margin_percent", "Enter a fraction from 0 to 1, such as 0.25.");
    }
    errors.or(())
}

/// Records created and updated services in the change log; unchanged services get no entry.
async fn record_change(
    work: &mut UnitOfWork,
    before: &[PromotedService],
    after: &[PromotedService],
) -> Result<()> {
    let (mut created, mut changed) = (Vec::new(), Vec::new());
    for current in after {
        let new = json!({ "is_enabled": current.is_enabled, "resale_margin_percent": current.resale_margin_percent });
        let to_change = |old| RecordChange {
            id: current.id.record(),
            name: current.service.name.clone(),
            old,
            new: new.clone(),
        };
        match before.iter().find(|previous| previous.id == current.id) {
            None => created.push(to_change(json!({}))),
            Some(previous) => changed.push(to_change(
                json!({ "is_enabled": previous.is_enabled, "resale_margin_percent": previous.resale_margin_percent }),
            )),
        }
    }
    let model = ChangeModel::AutoPromotion;
    changes::record_all(work, ChangeAction::Created, model, created).await?;
    changes::record_all(work, ChangeAction::Updated, model, changed).await
}

/// Checks a margin against the panel's least margin, which applies to all three levels.
async fn check_margin(work: &mut UnitOfWork, requested: &Patch<Fraction>, is_confirmed: bool) -> Result<()> {
    let requested = requested.as_update().flatten().copied();
    least_margin::check_margin(work, "resale_margin_percent", requested, is_confirmed).await?;
    Ok(())
}

// Store

const NETWORKS: SortableList = SortableList {
    field: "networks",
    // Only listed networks: a network without promoted services is left out.
    read: "SELECT network_id AS id, sorting FROM auto_promotion_networks WHERE EXISTS (SELECT 1 FROM auto_promotions a JOIN services s ON s.id = a.service_id
      JOIN service_types t ON t.id = s.service_type_id WHERE t.network_id = auto_promotion_networks.network_id)",
    write: "UPDATE auto_promotion_networks SET sorting = r.place FROM ",
    on: " WHERE auto_promotion_networks.network_id = r.id",
};

#[derive(sqlx::FromRow)]
struct NetworkRow {
    id: NetworkId,
    name: String,
    icon: Option<String>,
    is_enabled: bool,
    resale_margin_ppm: Option<Fraction>,
    sorting: i64,
    services_count: i64,
    enabled_services_count: i64,
}

async fn all_networks(db: &mut impl Source, network_id: Option<NetworkId>) -> Result<Vec<PromotedNetwork>> {
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
    let rows: Vec<NetworkRow> = db.all(sql).await?;
    let to_api = |row: NetworkRow| PromotedNetwork {
        id: row.id,
        name: row.name,
        icon: row.icon,
        is_enabled: row.is_enabled,
        resale_margin_percent: row.resale_margin_ppm,
        sorting: row.sorting,
        services_count: row.services_count,
        enabled_services_count: row.enabled_services_count,
    };
    Ok(rows.into_iter().map(to_api).collect())
}

async fn network(work: &mut UnitOfWork, id: NetworkId) -> Result<PromotedNetwork> {
    all_networks(work, Some(id)).await?.pop().ok_or_else(|| Error::not_found("promoted network", id))
}

fn filter_by(mut sql: Sql, query: &PromotedQuery) -> Sql {
    if let Some(id) = query.network_id {
        sql = sql.push(" AND n.id = ?").bind(id);
    }
    if let Some(id) = query.service_type_id {
        sql = sql.push(" AND t.id = ?").bind(id);
    }
    sql
}

#[derive(sqlx::FromRow)]
struct TypeRow {
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

async fn all_types(db: &mut impl Source, query: &PromotedQuery) -> Result<Vec<PromotedType>> {
    let sql = Sql::new(
        "SELECT t.id, t.name, n.id AS network_id, n.name AS network_name, COALESCE(p.is_enabled, TRUE) AS is_enabled, p.resale_margin_ppm,
           COALESCE(p.sorting, 0) AS sorting, count(a.id) AS services_count,
           CAST(COALESCE(sum(CASE WHEN a.is_enabled THEN 1 ELSE 0 END), 0) AS BIGINT) AS enabled_services_count,
           CAST(sum(CASE WHEN a.id IS NULL THEN 1 ELSE 0 END) AS BIGINT) AS other_services_count
         FROM service_types t JOIN networks n ON n.id = t.network_id JOIN services s ON s.service_type_id = t.id LEFT JOIN auto_promotions a ON a.service_id = s.id
           LEFT JOIN auto_promotion_types p ON p.service_type_id = t.id
         WHERE (a.id IS NOT NULL OR (s.is_enabled AND NOT s.is_archived))",
    );
    let sql = filter_by(sql, query).push(
        " GROUP BY t.id, t.name, t.sorting, n.id, n.name, n.sorting, p.is_enabled, p.resale_margin_ppm, p.sorting
         ORDER BY n.sorting, n.id, p.sorting IS NULL, p.sorting, t.sorting, t.id",
    );
    let rows: Vec<TypeRow> = db.all(sql).await?;
    let to_api = |row: TypeRow| PromotedType {
        id: row.id,
        name: row.name,
        network: Named { id: row.network_id, name: row.network_name },
        is_enabled: row.services_count > 0 && row.is_enabled,
        resale_margin_percent: row.resale_margin_ppm,
        sorting: row.sorting,
        services_count: row.services_count,
        enabled_services_count: row.enabled_services_count,
        other_services_count: row.other_services_count,
    };
    Ok(rows.into_iter().map(to_api).collect())
}

#[derive(sqlx::FromRow)]
struct ServiceRow {
    id: PromotedServiceId,
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

/// The promoted services; with `services`, only those among them.
async fn all_services(
    db: &mut impl Source,
    query: &PromotedQuery,
    services: Option<&[ServiceId]>,
) -> Result<Vec<PromotedService>> {
    let sql = Sql::new(
        "SELECT a.id, s.id AS service_id, s.name AS service_name, t.id AS type_id, t.name AS type_name, n.id AS network_id, n.name AS network_name, a.is_enabled,
           a.resale_margin_ppm, a.sorting
         FROM auto_promotions a JOIN services s ON s.id = a.service_id JOIN service_types t ON t.id = s.service_type_id JOIN networks n ON n.id = t.network_id
           LEFT JOIN auto_promotion_types p ON p.service_type_id = t.id WHERE TRUE",
    );
    let mut sql = filter_by(sql, query);
    if let Some(ids) = services {
        sql = sql.push(" AND s.id IN ").ids(ids);
    }
    let sql = sql.push(" ORDER BY n.sorting, n.id, p.sorting IS NULL, p.sorting, t.sorting, t.id, a.sorting, s.sorting, s.id");
    let rows: Vec<ServiceRow> = db.all(sql).await?;
    let to_api = |row: ServiceRow| PromotedService {
        id: row.id,
        service: Named { id: row.service_id, name: row.service_name },
        service_type: Named { id: row.type_id, name: row.type_name },
        network: Named { id: row.network_id, name: row.network_name },
        is_enabled: row.is_enabled,
        resale_margin_percent: row.resale_margin_ppm,
        sorting: row.sorting,
    };
    Ok(rows.into_iter().map(to_api).collect())
}

/// The services that an input selects. Services named by id must be on sale or already promoted, and in the given network and type.
async fn resolve_services(work: &mut UnitOfWork, input: &PromotedServicesInput) -> Result<Vec<ServiceId>> {
    let query = PromotedQuery { network_id: input.network_id, service_type_id: input.service_type_id };
    let sql = Sql::new(
        "SELECT s.id FROM services s JOIN service_types t ON t.id = s.service_type_id JOIN networks n ON n.id = t.network_id
         WHERE ((s.is_enabled AND NOT s.is_archived) OR EXISTS (SELECT 1 FROM auto_promotions a WHERE a.service_id = s.id))",
    );
    let mut sql = filter_by(sql, &query);
    if let Some(ids) = &input.services {
        sql = sql.push(" AND s.id IN ").ids(ids);
    }
    // Locked against a concurrent archiving; a service that was archived before is left out.
    let rows: Vec<(ServiceId,)> = work.all(sql.push(" ORDER BY s.id").for_share_of("s")).await?;
    let selected: BTreeSet<ServiceId> = rows.into_iter().map(|(id,)| id).collect();
    let mut errors = FieldErrors::default();
    for (at, id) in input.services.iter().flatten().enumerate().filter(|(_, id)| !selected.contains(id)) {
        errors
            .add(format!("services.{at}"), format!("Service {id} is not on sale there. Choose another one."));
    }
    if selected.is_empty() && input.services.is_none() {
        let field = if input.service_type_id.is_some() { "service_type_id" } else { "network_id" };
        errors.add(field, "No service is on sale there. Choose another network or type.");
    }
    Ok(errors.or(selected.into_iter().collect())?)
}

/// Adds the services that are not promoted yet, and applies the input's changes to all of them.
async fn upsert(work: &mut UnitOfWork, ids: &[ServiceId], input: &PromotedServicesInput) -> Result<()> {
    let now = work.stamp();
    let sql = Sql::new(
        "INSERT INTO auto_promotions (service_id, created_at, updated_at, sorting)
         SELECT id, ?, ?, (SELECT COALESCE(max(sorting), 0) FROM auto_promotions) + row_number() OVER (ORDER BY sorting, id) FROM services WHERE id IN ",
    );
    let sql = sql.bind(now).bind(now).ids(ids).push(" ORDER BY id ON CONFLICT (service_id) DO NOTHING");
    work.exec(sql).await?;
    let mut changes: Vec<(&'static str, Val)> = Vec::new();
    if let Some(is_enabled) = input.is_enabled {
        changes.push(("is_enabled", is_enabled.into()));
    }
    if let Some(share) = input.resale_margin_percent.as_update() {
        changes.push(("resale_margin_ppm", share.copied().into()));
    }
    if !changes.is_empty() {
        let mut sql = Sql::new("UPDATE auto_promotions SET updated_at = ?").bind(now);
        for (column, value) in changes {
            sql = sql.push(", ").push(column).push(" = ").bind(value);
        }
        work.exec(sql.push(" WHERE service_id IN ").ids(ids)).await?;
    }
    promoted_levels::follow_services(work).await
}

/// Toggles a network and returns its new state. The row lock serializes concurrent requests.
async fn toggle_enabled(work: &mut UnitOfWork, network: NetworkId) -> Result<bool> {
    let sql = Sql::new("SELECT is_enabled FROM auto_promotion_networks WHERE network_id = ?");
    let row: Option<(bool,)> = work.opt(sql.bind(network).for_update()).await?;
    let (is_enabled,) = row.ok_or_else(|| Error::not_found("promoted network", network))?;
    let sql = Sql::new("UPDATE auto_promotion_networks SET is_enabled = ? WHERE network_id = ?");
    work.exec(sql.bind(!is_enabled).bind(network)).await?;
    Ok(!is_enabled)
}

/// Removes a service, and its service type and network with their last service.
async fn remove(work: &mut UnitOfWork, id: PromotedServiceId) -> Result<PromotedService> {
    let sql = Sql::new("SELECT service_id FROM auto_promotions WHERE id = ?").bind(id).for_update();
    let row: Option<(ServiceId,)> = work.opt(sql).await?;
    let (service,) = row.ok_or_else(|| Error::not_found("auto-promotion", id))?;
    let removed = all_services(work, &PromotedQuery::default(), Some(&[service])).await?.pop();
    let removed = removed.ok_or_else(|| Error::not_found("auto-promotion", id))?;
    work.exec(Sql::new("DELETE FROM auto_promotions WHERE id = ?").bind(id)).await?;
    promoted_levels::follow_services(work).await?;
    Ok(removed)
}
