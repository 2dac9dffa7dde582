//! The terms of the upper two levels of auto-promotion, networks and service types, and the order of all three levels. A level
//! has a row while one of its services is promoted, also after the service moved there.

use panel_contract::amount::Fraction;
use panel_contract::auto_promotions::{
    PromotedLevelInput, PromotedNetwork, PromotedQuery, PromotedService, PromotedType,
};
use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::Data;
use panel_contract::endpoints::auto_promotions::{
    SortPromotedServices, SortPromotedTypes, UpdatePromotedNetwork, UpdatePromotedType,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{Id, RecordId, ServiceTypeId};
use panel_kernel::error::{Error, Result};
use serde_json::json;

use super::{all_services, all_types, check_margin, network};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::records::change_log::ChangedRecord;
use crate::records::changes;
use crate::records::positions::{self, SortableList};
use panel_platform::db::{Source as _, Sql};
use panel_platform::work::UnitOfWork;

// Routes

/// Adds the endpoints of the three levels.
pub fn routes(api: Api) -> Api {
    api.on::<UpdatePromotedNetwork, _, _, _>(update_network)
        .on::<UpdatePromotedType, _, _, _>(update_type)
        .on::<SortPromotedTypes, _, _, _>(sort_types)
        .on::<SortPromotedServices, _, _, _>(sort_services)
}

async fn update_network(ctx: Ctx, req: Req<UpdatePromotedNetwork>) -> Result<Data<PromotedNetwork>> {
    validate(&req.body)?;
    let mut work = ctx.begin().await?;
    check_margin(&mut work, &req.body.resale_margin_percent, req.body.confirm_below_margin).await?;
    let before = lock(&mut work, &NETWORK, req.path.record()).await?;
    let name = format!("{} (network)", network(&mut work, req.path).await?.name);
    write(&mut work, &NETWORK, (req.path.record(), &name), before, &req.body).await?;
    let data = network(&mut work, req.path).await?;
    work.finish(Data { data }).await
}

async fn update_type(ctx: Ctx, req: Req<UpdatePromotedType>) -> Result<Data<PromotedType>> {
    validate(&req.body)?;
    let mut work = ctx.begin().await?;
    check_margin(&mut work, &req.body.resale_margin_percent, req.body.confirm_below_margin).await?;
    let before = lock(&mut work, &TYPE, req.path.record()).await?;
    let name = format!("{} (service type)", find_type(&mut work, req.path).await?.name);
    write(&mut work, &TYPE, (req.path.record(), &name), before, &req.body).await?;
    let data = find_type(&mut work, req.path).await?;
    work.finish(Data { data }).await
}

async fn sort_types(ctx: Ctx, req: Req<SortPromotedTypes>) -> Result<Data<Vec<PromotedType>>> {
    let mut work = ctx.begin().await?;
    let requested = &req.body.service_types;
    let before = positions::sort(&mut work, TYPES, Some(req.path.record()), requested).await?;
    record_sorting(&mut work, req.path.record(), ("service_types", "Service types"), (&before, requested))
        .await?;
    let query = PromotedQuery { network_id: Some(req.path), ..PromotedQuery::default() };
    let data = all_types(&mut work, &query).await?;
    work.finish(Data { data }).await
}

async fn sort_services(ctx: Ctx, req: Req<SortPromotedServices>) -> Result<Data<Vec<PromotedService>>> {
    let mut work = ctx.begin().await?;
    let requested = &req.body.services;
    let before = positions::sort(&mut work, SERVICES, Some(req.path.record()), requested).await?;
    record_sorting(&mut work, req.path.record(), ("services", "Services"), (&before, requested)).await?;
    let query = PromotedQuery { service_type_id: Some(req.path), ..PromotedQuery::default() };
    let data = all_services(&mut work, &query, None).await?;
    work.finish(Data { data }).await
}

// Rules

fn validate(input: &PromotedLevelInput) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    if let Some(Some(share)) = input.resale_margin_percent.as_update()
        && !(0..=super::ONE_PPM).contains(&share.0)
    {
        errors.add("resale_margin_percent", "Enter a fraction from 0 to 1, such as 0.25.");
    }
    errors.or(())
}

// Store

/// The SQL of a level with its own terms.
struct Level {
    noun: &'static str,
    read: &'static str,
    write: &'static str,
}

const NETWORK: Level = Level {
    noun: "promoted network",
    read: "SELECT is_enabled, resale_margin_ppm FROM auto_promotion_networks WHERE network_id = ?",
    write: "UPDATE auto_promotion_networks SET is_enabled = ?, resale_margin_ppm = ? WHERE network_id = ?",
};

const TYPE: Level = Level {
    noun: "promoted service type",
    read: "SELECT is_enabled, resale_margin_ppm FROM auto_promotion_types WHERE service_type_id = ?",
    write: "UPDATE auto_promotion_types SET is_enabled = ?, resale_margin_ppm = ? WHERE service_type_id = ?",
};

const TYPES: SortableList = SortableList {
    field: "service_types",
    read: "SELECT service_type_id AS id, sorting FROM auto_promotion_types WHERE service_type_id IN (SELECT t.id FROM auto_promotions a
      JOIN services s ON s.id = a.service_id JOIN service_types t ON t.id = s.service_type_id WHERE t.network_id = ?)",
    write: "UPDATE auto_promotion_types SET sorting = r.place FROM ",
    on: " WHERE auto_promotion_types.service_type_id = r.id",
};

const SERVICES: SortableList = SortableList {
    field: "services",
    read: "SELECT service_id AS id, sorting FROM auto_promotions WHERE service_id IN (SELECT s.id FROM services s WHERE s.service_type_id = ?)",
    write: "UPDATE auto_promotions SET sorting = r.place FROM ",
    on: " WHERE auto_promotions.service_id = r.id",
};

#[derive(Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
struct LevelTerms {
    is_enabled: bool,
    resale_margin_ppm: Option<Fraction>,
}

async fn lock(work: &mut UnitOfWork, level: &Level, id: RecordId) -> Result<LevelTerms> {
    let terms: Option<LevelTerms> = work.opt(Sql::new(level.read).bind(id).for_update()).await?;
    terms.ok_or_else(|| Error::not_found(level.noun, id))
}

async fn write(
    work: &mut UnitOfWork,
    level: &Level,
    (id, name): (RecordId, &str),
    before: LevelTerms,
    input: &PromotedLevelInput,
) -> Result<()> {
    let margin =
        input.resale_margin_percent.as_update().map_or(before.resale_margin_ppm, |share| share.copied());
    let after =
        LevelTerms { is_enabled: input.is_enabled.unwrap_or(before.is_enabled), resale_margin_ppm: margin };
    if after == before {
        return Ok(());
    }
    work.exec(Sql::new(level.write).bind(after.is_enabled).bind(after.resale_margin_ppm).bind(id)).await?;
    let values_of = |terms: LevelTerms| json!({ "is_enabled": terms.is_enabled, "resale_margin_percent": terms.resale_margin_ppm });
    let (action, model) = (ChangeAction::Updated, ChangeModel::AutoPromotion);
    changes::record(work, ChangedRecord { action, model, id, name }, &values_of(before), &values_of(after))
        .await
}

async fn find_type(work: &mut UnitOfWork, id: ServiceTypeId) -> Result<PromotedType> {
    let query = PromotedQuery { service_type_id: Some(id), ..PromotedQuery::default() };
    let promoted_type = all_types(work, &query).await?.pop();
    promoted_type.ok_or_else(|| Error::not_found(TYPE.noun, id))
}

async fn record_sorting<I: Id>(
    work: &mut UnitOfWork,
    id: RecordId,
    (field, name): (&str, &str),
    (before, requested): (&[I], &[I]),
) -> Result<()> {
    if before == requested {
        return Ok(());
    }
    let (action, model) = (ChangeAction::Sorted, ChangeModel::AutoPromotion);
    let changed = ChangedRecord { action, model, id, name };
    changes::record(work, changed, &json!({ field: before }), &json!({ field: requested })).await
}
