//! Service types, the second level of the catalogue.

pub mod categories;
pub mod draft;
pub mod store;

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::{Choice, Data};
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::service_types::{
    CreateServiceType, DeleteServiceType, GetServiceType, ListServiceTypeCollections, ListServiceTypes,
    ListServicesOfType, SortServices, UpdateServiceType,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::ServiceTypeId;
use panel_contract::service_types::{PlacedService, ServiceType, ServiceTypeCollections, ServiceTypeKind};
use panel_kernel::error::{Error, Result};
use panel_kernel::wrong_fields::WrongFields;
use serde_json::json;

use crate::catalogue::promoted_levels;
use crate::catalogue::service_types::draft::ServiceTypeDraft;
pub use crate::catalogue::service_types::store::{PLACES, of_network};
use crate::catalogue::service_types::store::{Record, SERVICES, check_network, exists, load, placed, remove};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::records::change_log::ChangedRecord;
use crate::records::search_texts;
use crate::records::{changes, positions, uses};
use panel_platform::table::{Join, RowSource, SearchTarget, Table, expr};
use panel_platform::work::UnitOfWork;

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.table::<ListServiceTypes, _, _>(&SERVICE_TYPES, |record: Record, _| record.shown())
        .on::<CreateServiceType, _, _, _>(create)
        .on::<ListServiceTypeCollections, _, _, _>(collections)
        .on::<GetServiceType, _, _, _>(get)
        .on::<UpdateServiceType, _, _, _>(update)
        .on::<DeleteServiceType, _, _, _>(delete)
        .on::<ListServicesOfType, _, _, _>(services)
        .on::<SortServices, _, _, _>(sort)
}

async fn collections(
    _ctx: Ctx,
    _req: Req<ListServiceTypeCollections>,
) -> Result<Data<ServiceTypeCollections>> {
    let choice = |kind: &ServiceTypeKind| Choice { kind: kind.to_string(), label: kind.to_string() };
    Ok(Data { data: ServiceTypeCollections { types: ServiceTypeKind::ALL.iter().map(choice).collect() } })
}

async fn get(ctx: Ctx, req: Req<GetServiceType>) -> Result<Data<ServiceType>> {
    Ok(Data { data: load(&mut ctx.db(), &ctx, req.path).await? })
}

async fn create(ctx: Ctx, req: Req<CreateServiceType>) -> Result<Data<ServiceType>> {
    let mut errors = FieldErrors::default();
    if req.body.id.is_some() {
        errors.add("id", "A new service type gets its id from the panel; leave it out.");
    }
    let mut wrong = WrongFields::default();
    let draft = wrong.record(ServiceTypeDraft::default().with(&req.body, errors))?;
    let icon = wrong
        .record(ctx.app.uploads.store_picture(ctx.meta.dry_run, "icon", &req.body.icon, None).await)?
        .flatten();
    wrong.or(())?;
    let draft = ServiceTypeDraft { icon, ..draft.unwrap_or_default() };
    let mut work = ctx.begin().await?;
    if let Some(network) = draft.network {
        check_network(&mut work, network).await?;
    }
    let id = draft.insert(&mut work).await?;
    draft.record_change(&mut work, ChangeAction::Created, id, &ServiceTypeDraft::default()).await?;
    answer(work, id).await
}

/// The fields of a service type stand within a field of the body, unlike those of a new one.
async fn update(ctx: Ctx, req: Req<UpdateServiceType>) -> Result<Data<ServiceType>> {
    change(ctx, req).await.map_err(|error| error.within("panel_service_type"))
}

async fn change(ctx: Ctx, req: Req<UpdateServiceType>) -> Result<Data<ServiceType>> {
    let (id, input) = (req.path, &req.body.panel_service_type);
    let mut errors = FieldErrors::default();
    if input.id.is_some_and(|named| named != id) {
        errors.add("id", format!("The address says {id}; name the same service type, or leave it out."));
    }
    let mut wrong = WrongFields::default();
    let icon = wrong.record(ctx.app.uploads.store_new_image(ctx.meta.dry_run, "icon", &input.icon).await)?;
    let mut work = ctx.begin().await?;
    // The network before its service types, as imports lock them.
    if let Some(network) = input.network {
        categories::lock(&mut work, network).await?;
    }
    // The image was looked at before the record, so that no record is locked meanwhile: its refusal comes first.
    let (before, stamp) =
        ServiceTypeDraft::lock(&mut work, id).await.map_err(|missing| wrong.finish_with(missing))?;
    Error::check_not_stale("service type", input.updated_at, stamp)?;
    let after = wrong.record(before.clone().with(input, errors))?;
    let icon = match icon {
        Some(icon) => wrong.record(icon.new_value(before.icon.as_deref()))?.flatten(),
        None => None,
    };
    let moves_to = after.as_ref().and_then(|after| after.network).filter(|to| Some(*to) != before.network);
    if let Some(network) = moves_to {
        wrong.record(check_network(&mut work, network).await)?;
    }
    wrong.or(())?;
    if moves_to.is_some() {
        uses::refuse_if_used(&mut work, &uses::OF_SERVICE_TYPE_IN_NETWORK, id).await?;
    }
    let mut after = ServiceTypeDraft { icon, ..after.unwrap_or_default() };
    if let Some(network) = moves_to {
        after.panel_category = categories::free_in(&mut work, network, after.panel_category).await?;
    }
    if after != before {
        after.write(&mut work, id, moves_to.is_some()).await?;
        if moves_to.is_some() {
            promoted_levels::follow_services(&mut work).await?;
        }
        after.record_change(&mut work, ChangeAction::Updated, id, &before).await?;
    }
    answer(work, id).await
}

async fn delete(ctx: Ctx, req: Req<DeleteServiceType>) -> Result<EmptyBody> {
    let mut work = ctx.begin().await?;
    let (before, _) = ServiceTypeDraft::lock(&mut work, req.path).await?;
    uses::refuse_if_used(&mut work, &uses::OF_SERVICE_TYPE, req.path).await?;
    remove(&mut work, req.path).await?;
    let (action, model) = (ChangeAction::Deleted, ChangeModel::ServiceType);
    let noted = ChangedRecord { action, model, id: req.path.record(), name: &before.name };
    changes::record(&mut work, noted, &json!(before), &json!({})).await?;
    work.finish(EmptyBody {}).await
}

async fn answer(mut work: UnitOfWork, id: ServiceTypeId) -> Result<Data<ServiceType>> {
    let ctx = work.scope().clone();
    let data = load(&mut work, &ctx, id).await?;
    work.finish(Data { data }).await
}

async fn services(ctx: Ctx, req: Req<ListServicesOfType>) -> Result<Data<Vec<PlacedService>>> {
    let placed = placed(&mut ctx.db(), req.path).await?;
    let shown = placed.into_iter().map(|service| PlacedService {
        id: service.id,
        name: service.name,
        default_price: service.default_price,
        pricing_per: service.pricing_per,
        is_enabled: service.is_enabled,
        sorting: service.sorting,
    });
    Ok(Data { data: shown.collect() })
}

async fn sort(ctx: Ctx, req: Req<SortServices>) -> Result<EmptyBody> {
    let mut work = ctx.begin().await?;
    let name = exists(&mut work, req.path).await?;
    let wanted = &req.body.services;
    let before = positions::sort(&mut work, SERVICES, Some(req.path.record()), wanted).await?;
    if before != *wanted {
        let (action, model) = (ChangeAction::Sorted, ChangeModel::ServiceType);
        let noted = ChangedRecord { action, model, id: req.path.record(), name: &name };
        changes::record(&mut work, noted, &json!({ "services": before }), &json!({ "services": wanted }))
            .await?;
    }
    work.finish(EmptyBody {}).await
}

/// All service types.
pub static SERVICE_TYPES: Table = Table::new(
    &panel_contract::lists::service_types::SERVICE_TYPES,
    RowSource {
        base: "service_types",
        alias: "t",
        key: "t.id",
        joins: &[Join { alias: "n", sql: "JOIN networks n ON n.id = t.network_id" }],
        select: SELECT,
        ..RowSource::NONE
    },
    &[
        expr("network", "n.name").join("n"),
        expr("network.id", "t.network_id"),
        expr("network.name", "n.name").join("n"),
        expr("services_count", COUNT),
        expr("reviews_rating", "t.reviews_rating_ppm"),
    ],
)
.common_search(&[
    SearchTarget::new("t.id", &search_texts::SERVICE_TYPES, "name").here(&["t.name", "t.title", "t.slug"]),
    SearchTarget::new("t.network_id", &search_texts::NETWORKS, "network"),
]);

const COUNT: &str = "(SELECT count(*) FROM services x WHERE x.service_type_id = t.id AND NOT x.is_archived)";
const SELECT: &str = "t.id, t.name, n.id AS network_id, n.name AS network_name, t.title, t.type AS kind, t.slug, t.icon, t.color, t.sorting,
  (SELECT count(*) FROM services x WHERE x.service_type_id = t.id AND NOT x.is_archived) AS services_count,
  t.reviews_count, t.reviews_rating_ppm, t.created_at, t.updated_at";
