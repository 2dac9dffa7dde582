//! The terms of networks and service types, the upper two levels of auto-promotion, and the order of all three levels. A network or
//! service type has a row while at least one of its services is promoted, even if the service moved there later.

use panel_contract::amount::Fraction;
use panel_contract::auto_promotions::{
    AutoPromotionLevelInput, AutoPromotionNetwork, AutoPromotionQuery, AutoPromotionService,
    AutoPromotionServiceType,
};
use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::Data;
use panel_contract::endpoints::auto_promotions::{
    SortAutoPromotionServiceTypes, SortAutoPromotionServices, UpdateAutoPromotionNetwork,
    UpdateAutoPromotionServiceType,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{Id, RecordId, ServiceTypeId};
use panel_kernel::error::{Error, Result};
use serde_json::json;

use super::{check_margin, load_network, load_services, load_types};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::records::change_log::ChangedRecord;
use crate::records::changes;
use crate::records::positions::{self, SortableList};
use panel_platform::db::{Sql, SqlExecutor as _};
use panel_platform::work::UnitOfWork;

// Routes

/// Adds the endpoints of the three levels.
pub fn routes(api: Api) -> Api {
    api.route::<UpdateAutoPromotionNetwork, _, _, _>(update_network)
        .route::<UpdateAutoPromotionServiceType, _, _, _>(update_type)
        .route::<SortAutoPromotionServiceTypes, _, _, _>(sort_types)
        .route::<SortAutoPromotionServices, _, _, _>(sort_services)
}

async fn update_network(
    ctx: Ctx,
    req: Req<UpdateAutoPromotionNetwork>,
) -> Result<Data<AutoPromotionNetwork>> {
    check_input(&req.body)?;
    let mut work = ctx.begin().await?;
    check_margin(&mut work, &req.body.resale_margin_fraction, req.body.confirm_below_margin).await?;
    let old_terms = lock_terms(&mut work, &NETWORK, req.path.as_record_id()).await?;
    let name = format!("{} (network)", load_network(&mut work, req.path).await?.name);
    write_terms(&mut work, &NETWORK, (req.path.as_record_id(), &name), old_terms, &req.body).await?;
    let data = load_network(&mut work, req.path).await?;
    work.finish(Data { data }).await
}

async fn update_type(
    ctx: Ctx,
    req: Req<UpdateAutoPromotionServiceType>,
) -> Result<Data<AutoPromotionServiceType>> {
    check_input(&req.body)?;
    let mut work = ctx.begin().await?;
    check_margin(&mut work, &req.body.resale_margin_fraction, req.body.confirm_below_margin).await?;
    let old_terms = lock_terms(&mut work, &TYPE, req.path.as_record_id()).await?;
    let name = format!("{} (service type)", load_type(&mut work, req.path).await?.name);
    write_terms(&mut work, &TYPE, (req.path.as_record_id(), &name), old_terms, &req.body).await?;
    let data = load_type(&mut work, req.path).await?;
    work.finish(Data { data }).await
}

async fn sort_types(
    ctx: Ctx,
    req: Req<SortAutoPromotionServiceTypes>,
) -> Result<Data<Vec<AutoPromotionServiceType>>> {
    let mut work = ctx.begin().await?;
    let requested = &req.body.service_types;
    let old_order =
        positions::sort(&mut work, SORTABLE_TYPES, Some(req.path.as_record_id()), requested).await?;
    record_sorting(
        &mut work,
        req.path.as_record_id(),
        ("service_types", "Service types"),
        (&old_order, requested),
    )
    .await?;
    let query = AutoPromotionQuery { network_id: Some(req.path), ..AutoPromotionQuery::default() };
    let data = load_types(&mut work, &query).await?;
    work.finish(Data { data }).await
}

async fn sort_services(
    ctx: Ctx,
    req: Req<SortAutoPromotionServices>,
) -> Result<Data<Vec<AutoPromotionService>>> {
    let mut work = ctx.begin().await?;
    let requested = &req.body.services;
    let old_order =
        positions::sort(&mut work, SORTABLE_SERVICES, Some(req.path.as_record_id()), requested).await?;
    record_sorting(&mut work, req.path.as_record_id(), ("services", "Services"), (&old_order, requested))
        .await?;
    let query = AutoPromotionQuery { service_type_id: Some(req.path), ..AutoPromotionQuery::default() };
    let data = load_services(&mut work, &query, None).await?;
    work.finish(Data { data }).await
}

// Rules

fn check_input(input: &AutoPromotionLevelInput) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    if let Some(Some(fraction)) = input.resale_margin_fraction.as_update()
        && !(0..=super::ONE_PPM).contains(&fraction.0)
    {
        errors.add("resale_margin_fraction", "Enter a fraction from 0 to 1, such as 0.25.");
    }
    errors.into_result(())
}

// Store

/// The SQL of networks or of service types, which have their own terms.
struct PromotionLevel {
    noun: &'static str,
    select_sql: &'static str,
    update_sql: &'static str,
}

const NETWORK: PromotionLevel = PromotionLevel {
    noun: "promoted network",
    select_sql: "SELECT is_enabled, resale_margin_ppm FROM auto_promotion_networks WHERE network_id = ?",
    update_sql: "UPDATE auto_promotion_networks SET is_enabled = ?, resale_margin_ppm = ? WHERE network_id = ?",
};

const TYPE: PromotionLevel = PromotionLevel {
    noun: "promoted service type",
    select_sql: "SELECT is_enabled, resale_margin_ppm FROM auto_promotion_types WHERE service_type_id = ?",
    update_sql: "UPDATE auto_promotion_types SET is_enabled = ?, resale_margin_ppm = ? WHERE service_type_id = ?",
};

const SORTABLE_TYPES: SortableList = SortableList {
    field: "service_types",
    select_sql: "SELECT service_type_id AS id, sorting FROM auto_promotion_types WHERE service_type_id IN (SELECT t.id FROM auto_promotions a
      JOIN services s ON s.id = a.service_id JOIN service_types t ON t.id = s.service_type_id WHERE t.network_id = ?)",
    update_sql: "UPDATE auto_promotion_types SET sorting = r.place FROM ",
    update_where_sql: " WHERE auto_promotion_types.service_type_id = r.id",
};

const SORTABLE_SERVICES: SortableList = SortableList {
    field: "services",
    select_sql: "SELECT service_id AS id, sorting FROM auto_promotions WHERE service_id IN (SELECT s.id FROM services s WHERE s.service_type_id = ?)",
    update_sql: "UPDATE auto_promotions SET sorting = r.place FROM ",
    update_where_sql: " WHERE auto_promotions.service_id = r.id",
};

#[derive(Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
struct LevelTerms {
    is_enabled: bool,
    resale_margin_ppm: Option<Fraction>,
}

async fn lock_terms(work: &mut UnitOfWork, level: &PromotionLevel, id: RecordId) -> Result<LevelTerms> {
    let terms: Option<LevelTerms> =
        work.fetch_optional(Sql::new(level.select_sql).bind(id).for_update()).await?;
    terms.ok_or_else(|| Error::not_found(level.noun, id))
}

async fn write_terms(
    work: &mut UnitOfWork,
    level: &PromotionLevel,
    (id, name): (RecordId, &str),
    old_terms: LevelTerms,
    input: &AutoPromotionLevelInput,
) -> Result<()> {
    let margin = input
        .resale_margin_fraction
        .as_update()
        .map_or(old_terms.resale_margin_ppm, |fraction| fraction.copied());
    let new_terms = LevelTerms {
        is_enabled: input.is_enabled.unwrap_or(old_terms.is_enabled),
        resale_margin_ppm: margin,
    };
    if new_terms == old_terms {
        return Ok(());
    }
    work.execute(
        Sql::new(level.update_sql).bind(new_terms.is_enabled).bind(new_terms.resale_margin_ppm).bind(id),
    )
    .await?;
    let to_json = |terms: LevelTerms| json!({ "is_enabled": terms.is_enabled, "resale_margin_fraction": terms.resale_margin_ppm });
    let (action, model) = (ChangeAction::Updated, ChangeModel::AutoPromotion);
    changes::record(work, ChangedRecord { action, model, id, name }, &to_json(old_terms), &to_json(new_terms))
        .await
}

async fn load_type(work: &mut UnitOfWork, id: ServiceTypeId) -> Result<AutoPromotionServiceType> {
    let query = AutoPromotionQuery { service_type_id: Some(id), ..AutoPromotionQuery::default() };
    let promoted_type = load_types(work, &query).await?.pop();
    promoted_type.ok_or_else(|| Error::not_found(TYPE.noun, id))
}

async fn record_sorting<I: Id>(
    work: &mut UnitOfWork,
    id: RecordId,
    (field, name): (&str, &str),
    (old_order, new_order): (&[I], &[I]),
) -> Result<()> {
    if old_order == new_order {
        return Ok(());
    }
    let (action, model) = (ChangeAction::Sorted, ChangeModel::AutoPromotion);
    let changed = ChangedRecord { action, model, id, name };
    changes::record(work, changed, &json!({ field: old_order }), &json!({ field: new_order })).await
}
