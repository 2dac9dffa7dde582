//! The terms of the upper two levels of the auto-promotion, networks and service types, and the order of all three. A
//! level has a row while one of its services is in the auto-promotion, also after the service moved there.

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
use crate::records::positions::{self, Places};
use panel_platform::db::{Source as _, Sql};
use panel_platform::work::Work;

// Routes

/// Adds the endpoints of the three levels.
pub fn routes(api: Api) -> Api {
    api.on::<UpdatePromotedNetwork, _, _, _>(update_network)
        .on::<UpdatePromotedType, _, _, _>(update_type)
        .on::<SortPromotedTypes, _, _, _>(sort_types)
        .on::<SortPromotedServices, _, _, _>(sort_services)
}

async fn update_network(ctx: Ctx, req: Req<UpdatePromotedNetwork>) -> Result<Data<PromotedNetwork>> {
    judge(&req.body)?;
    let mut work = ctx.begin().await?;
    check_margin(&mut work, &req.body.resale_margin_percent, req.body.confirm_below_margin).await?;
    let before = lock(&mut work, &NETWORK, req.path.record()).await?;
    let name = format!("{} (network)", network(&mut work, req.path).await?.name);
    write(&mut work, &NETWORK, (req.path.record(), &name), before, &req.body).await?;
    let data = network(&mut work, req.path).await?;
    work.finish(Data { data }).await
}

async fn update_type(ctx: Ctx, req: Req<UpdatePromotedType>) -> Result<Data<PromotedType>> {
    judge(&req.body)?;
    let mut work = ctx.begin().await?;
    check_margin(&mut work, &req.body.resale_margin_percent, req.body.confirm_below_margin).await?;
    let before = lock(&mut work, &TYPE, req.path.record()).await?;
    let name = format!("{} (service type)", one_type(&mut work, req.path).await?.name);
    write(&mut work, &TYPE, (req.path.record(), &name), before, &req.body).await?;
    let data = one_type(&mut work, req.path).await?;
    work.finish(Data { data }).await
}

async fn sort_types(ctx: Ctx, req: Req<SortPromotedTypes>) -> Result<Data<Vec<PromotedType>>> {
    let mut work = ctx.begin().await?;
    let wanted = &req.body.service_types;
    let before = positions::sort(&mut work, TYPES, Some(req.path.record()), wanted).await?;
    note(&mut work, req.path.record(), ("service_types", "Service types"), (&before, wanted)).await?;
    let query = PromotedQuery { network_id: Some(req.path), ..PromotedQuery::default() };
    let data = all_types(&mut work, &query).await?;
    work.finish(Data { data }).await
}

async fn sort_services(ctx: Ctx, req: Req<SortPromotedServices>) -> Result<Data<Vec<PromotedService>>> {
    let mut work = ctx.begin().await?;
    let wanted = &req.body.services;
    let before = positions::sort(&mut work, SERVICES, Some(req.path.record()), wanted).await?;
    note(&mut work, req.path.record(), ("services", "Services"), (&before, wanted)).await?;
    let query = PromotedQuery { service_type_id: Some(req.path), ..PromotedQuery::default() };
    let data = all_services(&mut work, &query, None).await?;
    work.finish(Data { data }).await
}

// Rules

fn judge(input: &PromotedLevelInput) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    if let Some(Some(share)) = input.resale_margin_percent.wish()
        && !(0..=super::ONE).contains(&share.0)
    {
        errors.add("resale_margin_percent", "Give a fraction from 0 to 1, such as 0.25.");
    }
    errors.or(())
}

// Store

/// A level with terms of its own.
struct Level {
    what: &'static str,
    read: &'static str,
    write: &'static str,
}

const NETWORK: Level = Level {
    what: "promoted network",
    read: "SELECT is_enabled, resale_margin_ppm FROM auto_promotion_networks WHERE network_id = ?",
    write: "UPDATE auto_promotion_networks SET is_enabled = ?, resale_margin_ppm = ? WHERE network_id = ?",
};

const TYPE: Level = Level {
    what: "promoted service type",
    read: "SELECT is_enabled, resale_margin_ppm FROM auto_promotion_types WHERE service_type_id = ?",
    write: "UPDATE auto_promotion_types SET is_enabled = ?, resale_margin_ppm = ? WHERE service_type_id = ?",
};

const TYPES: Places = Places {
    field: "service_types",
    read: "SELECT service_type_id AS id, sorting FROM auto_promotion_types WHERE service_type_id IN (SELECT t.id FROM auto_promotions a
      JOIN services s ON s.id = a.service_id JOIN service_types t ON t.id = s.service_type_id WHERE t.network_id = ?)",
    write: "UPDATE auto_promotion_types SET sorting = r.place FROM ",
    on: " WHERE auto_promotion_types.service_type_id = r.id",
};

const SERVICES: Places = Places {
    field: "services",
    read: "SELECT service_id AS id, sorting FROM auto_promotions WHERE service_id IN (SELECT s.id FROM services s WHERE s.service_type_id = ?)",
    write: "UPDATE auto_promotions SET sorting = r.place FROM ",
    on: " WHERE auto_promotions.service_id = r.id",
};

type Terms = (bool, Option<Fraction>);

async fn lock(work: &mut Work, level: &Level, id: RecordId) -> Result<Terms> {
    let found: Option<Terms> = work.opt(Sql::new(level.read).bind(id).for_update()).await?;
    found.ok_or_else(|| Error::not_found(level.what, id))
}

async fn write(
    work: &mut Work,
    level: &Level,
    (id, name): (RecordId, &str),
    before: Terms,
    input: &PromotedLevelInput,
) -> Result<()> {
    let margin = input.resale_margin_percent.wish().map_or(before.1, |share| share.copied());
    let after = (input.is_enabled.unwrap_or(before.0), margin);
    if after == before {
        return Ok(());
    }
    work.exec(Sql::new(level.write).bind(after.0).bind(after.1).bind(id)).await?;
    let values_of = |terms: Terms| json!({ "is_enabled": terms.0, "resale_margin_percent": terms.1 });
    let (action, model) = (ChangeAction::Updated, ChangeModel::AutoPromotion);
    changes::note(work, ChangedRecord { action, model, id, name }, &values_of(before), &values_of(after))
        .await
}

async fn one_type(work: &mut Work, id: ServiceTypeId) -> Result<PromotedType> {
    let query = PromotedQuery { service_type_id: Some(id), ..PromotedQuery::default() };
    let found = all_types(work, &query).await?.pop();
    found.ok_or_else(|| Error::not_found(TYPE.what, id))
}

async fn note<I: Id>(
    work: &mut Work,
    id: RecordId,
    (field, name): (&str, &str),
    (before, wanted): (&[I], &[I]),
) -> Result<()> {
    if before == wanted {
        return Ok(());
    }
    let (action, model) = (ChangeAction::Sorted, ChangeModel::AutoPromotion);
    let noted = ChangedRecord { action, model, id, name };
    changes::note(work, noted, &json!({ field: before }), &json!({ field: wanted })).await
}
