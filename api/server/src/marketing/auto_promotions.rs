//! Endpoints of auto-promotion: the networks and services that customers can choose for the automatic promotion of an account. A
//! network is promoted while at least one of its services is promoted.

pub mod levels;
mod store;

use panel_contract::amount::Fraction;
use panel_contract::auto_promotions::{
    AutoPromotionNetwork, AutoPromotionQuery, AutoPromotionService, AutoPromotionServiceType,
    AutoPromotionServicesInput,
};
use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::{Data, Patch};
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::auto_promotions::{
    AddAutoPromotionServices, DeleteAutoPromotionService, ListAutoPromotionNetworks,
    ListAutoPromotionServiceTypes, ListAutoPromotionServices, SortAutoPromotionNetworks,
    ToggleAutoPromotionNetwork,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::RecordId;
use panel_kernel::error::Result;
use serde_json::json;
use store::{
    NETWORKS, load_network, load_networks, load_services, load_types, lock_selected_services, remove_service,
    toggle_enabled, upsert_services,
};

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::pricing::minimum_margin;
use crate::records::change_log::ChangedRecord;
use crate::records::changes::{self, RecordChange};
use crate::records::positions;
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.route::<ListAutoPromotionNetworks, _, _, _>(list_networks)
        .route::<ListAutoPromotionServiceTypes, _, _, _>(list_types)
        .route::<ListAutoPromotionServices, _, _, _>(list_services)
        .route::<AddAutoPromotionServices, _, _, _>(add_services)
        .route::<ToggleAutoPromotionNetwork, _, _, _>(toggle_network)
        .route::<SortAutoPromotionNetworks, _, _, _>(sort_networks)
        .route::<DeleteAutoPromotionService, _, _, _>(delete_service)
        .with(levels::routes)
}

async fn list_networks(
    ctx: Ctx,
    _req: Req<ListAutoPromotionNetworks>,
) -> Result<Data<Vec<AutoPromotionNetwork>>> {
    Ok(Data { data: load_networks(&mut ctx.db(), None).await? })
}

async fn list_types(
    ctx: Ctx,
    req: Req<ListAutoPromotionServiceTypes>,
) -> Result<Data<Vec<AutoPromotionServiceType>>> {
    Ok(Data { data: load_types(&mut ctx.db(), &req.query).await? })
}

async fn list_services(
    ctx: Ctx,
    req: Req<ListAutoPromotionServices>,
) -> Result<Data<Vec<AutoPromotionService>>> {
    Ok(Data { data: load_services(&mut ctx.db(), &req.query, None).await? })
}

async fn add_services(
    ctx: Ctx,
    req: Req<AddAutoPromotionServices>,
) -> Result<Data<Vec<AutoPromotionService>>> {
    check_input(&req.body)?;
    let mut work = ctx.begin().await?;
    check_margin(&mut work, &req.body.resale_margin_fraction, req.body.confirm_below_margin).await?;
    let ids = lock_selected_services(&mut work, &req.body).await?;
    let no_filter = AutoPromotionQuery::default();
    let old_services = load_services(&mut work, &no_filter, Some(&ids)).await?;
    upsert_services(&mut work, &ids, &req.body).await?;
    let new_services = load_services(&mut work, &no_filter, Some(&ids)).await?;
    record_changes(&mut work, &old_services, &new_services).await?;
    work.finish(Data { data: new_services }).await
}

async fn toggle_network(
    ctx: Ctx,
    req: Req<ToggleAutoPromotionNetwork>,
) -> Result<Data<AutoPromotionNetwork>> {
    let mut work = ctx.begin().await?;
    let is_enabled = toggle_enabled(&mut work, req.path).await?;
    let data = load_network(&mut work, req.path).await?;
    let action = if is_enabled { ChangeAction::Enabled } else { ChangeAction::Disabled };
    let name = format!("{} (network)", data.name);
    let changed =
        ChangedRecord { action, model: ChangeModel::AutoPromotion, id: req.path.as_record_id(), name: &name };
    changes::record(
        &mut work,
        changed,
        &json!({ "is_enabled": !is_enabled }),
        &json!({ "is_enabled": is_enabled }),
    )
    .await?;
    work.finish(Data { data }).await
}

async fn sort_networks(
    ctx: Ctx,
    req: Req<SortAutoPromotionNetworks>,
) -> Result<Data<Vec<AutoPromotionNetwork>>> {
    let mut work = ctx.begin().await?;
    let requested = &req.body.networks;
    let old_order = positions::sort(&mut work, NETWORKS, None, requested).await?;
    if old_order != *requested {
        let (action, model) = (ChangeAction::Sorted, ChangeModel::AutoPromotion);
        let changed = ChangedRecord { action, model, id: RecordId::NONE, name: "Networks" };
        changes::record(
            &mut work,
            changed,
            &json!({ "networks": old_order }),
            &json!({ "networks": requested }),
        )
        .await?;
    }
    let data = load_networks(&mut work, None).await?;
    work.finish(Data { data }).await
}

async fn delete_service(ctx: Ctx, req: Req<DeleteAutoPromotionService>) -> Result<EmptyBody> {
    let mut work = ctx.begin().await?;
    let removed_service = remove_service(&mut work, req.path).await?;
    let (action, model) = (ChangeAction::Deleted, ChangeModel::AutoPromotion);
    let changed =
        ChangedRecord { action, model, id: req.path.as_record_id(), name: &removed_service.service.name };
    changes::record(&mut work, changed, &json!(removed_service), &json!({})).await?;
    work.finish(EmptyBody {}).await
}

// Rules

/// Maximum number of services in one request.
const MAX_SERVICES: usize = 10_000;
/// The fraction 1 in parts per million.
const ONE_PPM: i64 = 1_000_000;

fn check_input(input: &AutoPromotionServicesInput) -> Result<(), FieldErrors> {
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
    if let Some(Some(fraction)) = input.resale_margin_fraction.as_update()
        && !(0..=ONE_PPM).contains(&fraction.0)
    {
        errors.add("resale_margin_fraction", "Enter a fraction from 0 to 1, such as 0.25.");
    }
    errors.into_result(())
}

/// Records created and updated services in the change log; unchanged services get no entry.
async fn record_changes(
    work: &mut UnitOfWork,
    old_services: &[AutoPromotionService],
    new_services: &[AutoPromotionService],
) -> Result<()> {
    let (mut created_services, mut updated_services) = (Vec::new(), Vec::new());
    for service in new_services {
        let new = json!({ "is_enabled": service.is_enabled, "resale_margin_fraction": service.resale_margin_fraction });
        let build_change = |old| RecordChange {
            id: service.id.as_record_id(),
            name: service.service.name.clone(),
            old,
            new: new.clone(),
        };
        match old_services.iter().find(|old_service| old_service.id == service.id) {
            None => created_services.push(build_change(json!({}))),
            Some(old_service) => updated_services.push(build_change(
                json!({ "is_enabled": old_service.is_enabled, "resale_margin_fraction": old_service.resale_margin_fraction }),
            )),
        }
    }
    let model = ChangeModel::AutoPromotion;
    changes::record_all(work, ChangeAction::Created, model, created_services).await?;
    changes::record_all(work, ChangeAction::Updated, model, updated_services).await
}

/// Checks a margin against the panel's minimum margin, which applies to networks, service types and services.
async fn check_margin(
    work: &mut UnitOfWork,
    requested_margin: &Patch<Fraction>,
    is_confirmed: bool,
) -> Result<()> {
    let requested_margin = requested_margin.as_update().flatten().copied();
    minimum_margin::check_confirmed_margin(work, "resale_margin_fraction", requested_margin, is_confirmed)
        .await?;
    Ok(())
}
