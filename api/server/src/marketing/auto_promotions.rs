//! Auto-promotion: the networks and services that are offered to customers who want an account promoted by itself. A
//! network is in it while one of its services is.

pub mod levels;

use std::collections::BTreeSet;

use panel_contract::amount::Fraction;
use panel_contract::auto_promotions::{
    PromotedNetwork, PromotedQuery, PromotedService, PromotedServicesInput, PromotedType,
};
use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::{Data, Named, Patch};
use panel_contract::endpoint::NoBody;
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
use crate::records::positions::{self, Places};
use panel_platform::db::{Source, Sql, Val};
use panel_platform::work::Work;

// Routes

/// Adds the endpoints.
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
    check(&req.body)?;
    let mut work = ctx.begin().await?;
    check_margin(&mut work, &req.body.resale_margin_percent, req.body.confirm_below_margin).await?;
    let ids = meant(&mut work, &req.body).await?;
    let none = PromotedQuery::default();
    let before = all_services(&mut work, &none, Some(&ids)).await?;
    put(&mut work, &ids, &req.body).await?;
    let after = all_services(&mut work, &none, Some(&ids)).await?;
    tell(&mut work, &before, &after).await?;
    work.finish(Data { data: after }).await
}

async fn toggle(ctx: Ctx, req: Req<TogglePromotedNetwork>) -> Result<Data<PromotedNetwork>> {
    let mut work = ctx.begin().await?;
    let to = flip(&mut work, req.path).await?;
    let data = network(&mut work, req.path).await?;
    let action = if to { ChangeAction::Enabled } else { ChangeAction::Disabled };
    let name = format!("{} (network)", data.name);
    let noted =
        ChangedRecord { action, model: ChangeModel::AutoPromotion, id: req.path.record(), name: &name };
    changes::note(&mut work, noted, &json!({ "is_enabled": !to }), &json!({ "is_enabled": to })).await?;
    work.finish(Data { data }).await
}

async fn sort(ctx: Ctx, req: Req<SortPromotedNetworks>) -> Result<Data<Vec<PromotedNetwork>>> {
    let mut work = ctx.begin().await?;
    let wanted = &req.body.networks;
    let before = positions::sort(&mut work, NETWORKS, None, wanted).await?;
    if before != *wanted {
        let (action, model) = (ChangeAction::Sorted, ChangeModel::AutoPromotion);
        let noted = ChangedRecord { action, model, id: RecordId::NONE, name: "Networks" };
        changes::note(&mut work, noted, &json!({ "networks": before }), &json!({ "networks": wanted }))
            .await?;
    }
    let data = all_networks(&mut work, None).await?;
    work.finish(Data { data }).await
}

async fn delete(ctx: Ctx, req: Req<DeletePromotedService>) -> Result<NoBody> {
    let mut work = ctx.begin().await?;
    let gone = remove(&mut work, req.path).await?;
    let (action, model) = (ChangeAction::Deleted, ChangeModel::AutoPromotion);
    let noted = ChangedRecord { action, model, id: req.path.record(), name: &gone.service.name };
    changes::note(&mut work, noted, &json!(gone), &json!({})).await?;
    work.finish(NoBody {}).await
}

// Rules

/// Most services of one request.
const MOST: usize = 10_000;
/// One, in parts per million.
const ONE: i64 = 1_000_000;

fn check(input: &PromotedServicesInput) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    match &input.services {
        None if input.network_id.is_none() && input.service_type_id.is_none() => {
            errors.add("services", "Name services, a service type or a network.");
        }
        Some(ids) if ids.is_empty() || ids.len() > MOST => {
            errors.add("services", format!("Name 1 to {MOST} services."));
        }
        _ => {}
    }
    if let Some(Some(share)) = input.resale_margin_percent.wish()
        && !(0..=ONE).contains(&share.0)
    {
        errors.add("resale_margin_percent", "Give a fraction from 0 to 1, such as 0.25.");
    }
    errors.or(())
}

/// What is new is created, what differs is updated; what stays as it was is not told.
async fn tell(work: &mut Work, before: &[PromotedService], after: &[PromotedService]) -> Result<()> {
    let (mut made, mut changed) = (Vec::new(), Vec::new());
    for now in after {
        let new = json!({ "is_enabled": now.is_enabled, "resale_margin_percent": now.resale_margin_percent });
        let record_change =
            |old| RecordChange { id: now.id.record(), name: now.service.name.clone(), old, new: new.clone() };
        match before.iter().find(|was| was.id == now.id) {
            None => made.push(record_change(json!({}))),
            Some(was) => changed.push(record_change(
                json!({ "is_enabled": was.is_enabled, "resale_margin_percent": was.resale_margin_percent }),
            )),
        }
    }
    let model = ChangeModel::AutoPromotion;
    changes::note_all(work, ChangeAction::Created, model, made).await?;
    changes::note_all(work, ChangeAction::Updated, model, changed).await
}

/// The least margin of the panel holds for all three levels.
async fn check_margin(work: &mut Work, wanted: &Patch<Fraction>, is_confirmed: bool) -> Result<()> {
    let wanted = wanted.wish().flatten().copied();
    least_margin::check_margin(work, "resale_margin_percent", wanted, is_confirmed).await?;
    Ok(())
}

// Store

const NETWORKS: Places = Places {
    field: "networks",
    // As they are listed: one whose services have all moved elsewhere is not.
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

async fn all_networks(db: &mut impl Source, only: Option<NetworkId>) -> Result<Vec<PromotedNetwork>> {
    let mut sql = Sql::new(
        "SELECT n.id, n.name, n.icon, p.is_enabled, p.resale_margin_ppm, p.sorting, count(a.id) AS services_count,
           CAST(COALESCE(sum(CASE WHEN a.is_enabled THEN 1 ELSE 0 END), 0) AS BIGINT) AS enabled_services_count
         FROM auto_promotion_networks p JOIN networks n ON n.id = p.network_id JOIN service_types t ON t.network_id = n.id
         JOIN services s ON s.service_type_id = t.id JOIN auto_promotions a ON a.service_id = s.id",
    );
    if let Some(id) = only {
        sql = sql.push(" WHERE n.id = ?").bind(id);
    }
    let sql = sql.push(" GROUP BY n.id, n.name, n.icon, p.is_enabled, p.resale_margin_ppm, p.sorting ORDER BY p.sorting, n.id");
    let rows: Vec<NetworkRow> = db.all(sql).await?;
    let shown = |row: NetworkRow| PromotedNetwork {
        id: row.id,
        name: row.name,
        icon: row.icon,
        is_enabled: row.is_enabled,
        resale_margin_percent: row.resale_margin_ppm,
        sorting: row.sorting,
        services_count: row.services_count,
        enabled_services_count: row.enabled_services_count,
    };
    Ok(rows.into_iter().map(shown).collect())
}

async fn network(work: &mut Work, id: NetworkId) -> Result<PromotedNetwork> {
    all_networks(work, Some(id)).await?.pop().ok_or_else(|| Error::not_found("promoted network", id))
}

fn only(mut sql: Sql, query: &PromotedQuery) -> Sql {
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
    let sql = only(sql, query).push(
        " GROUP BY t.id, t.name, t.sorting, n.id, n.name, n.sorting, p.is_enabled, p.resale_margin_ppm, p.sorting
         ORDER BY n.sorting, n.id, p.sorting IS NULL, p.sorting, t.sorting, t.id",
    );
    let rows: Vec<TypeRow> = db.all(sql).await?;
    let shown = |row: TypeRow| PromotedType {
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
    Ok(rows.into_iter().map(shown).collect())
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

/// The services of the auto-promotion; of these services only, when they are given.
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
    let mut sql = only(sql, query);
    if let Some(ids) = services {
        sql = sql.push(" AND s.id IN ").ids(ids);
    }
    let sql = sql.push(" ORDER BY n.sorting, n.id, p.sorting IS NULL, p.sorting, t.sorting, t.id, a.sorting, s.sorting, s.id");
    let rows: Vec<ServiceRow> = db.all(sql).await?;
    let shown = |row: ServiceRow| PromotedService {
        id: row.id,
        service: Named { id: row.service_id, name: row.service_name },
        service_type: Named { id: row.type_id, name: row.type_name },
        network: Named { id: row.network_id, name: row.network_name },
        is_enabled: row.is_enabled,
        resale_margin_percent: row.resale_margin_ppm,
        sorting: row.sorting,
    };
    Ok(rows.into_iter().map(shown).collect())
}

/// The services that an input means; those it names must be on sale, or in the auto-promotion, and where it says they are.
async fn meant(work: &mut Work, input: &PromotedServicesInput) -> Result<Vec<ServiceId>> {
    let query = PromotedQuery { network_id: input.network_id, service_type_id: input.service_type_id };
    let sql = Sql::new(
        "SELECT s.id FROM services s JOIN service_types t ON t.id = s.service_type_id JOIN networks n ON n.id = t.network_id
         WHERE ((s.is_enabled AND NOT s.is_archived) OR EXISTS (SELECT 1 FROM auto_promotions a WHERE a.service_id = s.id))",
    );
    let mut sql = only(sql, &query);
    if let Some(ids) = &input.services {
        sql = sql.push(" AND s.id IN ").ids(ids);
    }
    // Locked against an archive at the same moment; one that was faster leaves its service out.
    let known: Vec<(ServiceId,)> = work.all(sql.push(" ORDER BY s.id").for_share_of("s")).await?;
    let known: BTreeSet<ServiceId> = known.into_iter().map(|(id,)| id).collect();
    let mut errors = FieldErrors::default();
    for (at, id) in input.services.iter().flatten().enumerate().filter(|(_, id)| !known.contains(id)) {
        errors.add(format!("services.{at}"), format!("There is no service {id} on sale there."));
    }
    if known.is_empty() && input.services.is_none() {
        let field = if input.service_type_id.is_some() { "service_type_id" } else { "network_id" };
        errors.add(field, "Nothing is on sale there.");
    }
    Ok(errors.or(known.into_iter().collect())?)
}

/// Adds what is not there yet, and changes what is said of all of them.
async fn put(work: &mut Work, ids: &[ServiceId], input: &PromotedServicesInput) -> Result<()> {
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
    if let Some(share) = input.resale_margin_percent.wish() {
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

/// The other way round; what it is then. The row's lock makes two presses two turns.
async fn flip(work: &mut Work, network: NetworkId) -> Result<bool> {
    let sql = Sql::new("SELECT is_enabled FROM auto_promotion_networks WHERE network_id = ?");
    let found: Option<(bool,)> = work.opt(sql.bind(network).for_update()).await?;
    let (is_enabled,) = found.ok_or_else(|| Error::not_found("promoted network", network))?;
    let sql = Sql::new("UPDATE auto_promotion_networks SET is_enabled = ? WHERE network_id = ?");
    work.exec(sql.bind(!is_enabled).bind(network)).await?;
    Ok(!is_enabled)
}

/// Takes a service out, and its service type and network when it was their last one.
async fn remove(work: &mut Work, id: PromotedServiceId) -> Result<PromotedService> {
    let sql = Sql::new("SELECT service_id FROM auto_promotions WHERE id = ?").bind(id).for_update();
    let found: Option<(ServiceId,)> = work.opt(sql).await?;
    let (service,) = found.ok_or_else(|| Error::not_found("auto-promotion", id))?;
    let gone = all_services(work, &PromotedQuery::default(), Some(&[service])).await?.pop();
    let gone = gone.ok_or_else(|| Error::not_found("auto-promotion", id))?;
    work.exec(Sql::new("DELETE FROM auto_promotions WHERE id = ?").bind(id)).await?;
    promoted_levels::follow_services(work).await?;
    Ok(gone)
}
