//! Service types such as likes or views, the second level of the catalogue: each belongs to a network and has services.

pub mod categories;
pub mod draft;
pub mod store;

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::{Choice, Data};
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::service_types::{
    CreateServiceType, DeleteServiceType, GetServiceType, GetServiceTypeCollections, ListServiceTypes,
    ListServicesOfType, SortServices, UpdateServiceType,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::ServiceTypeId;
use panel_contract::service_types::{
    PositionedService, ServiceType, ServiceTypeCollections, ServiceTypeKind,
};
use panel_kernel::error::{Error, Result};
use panel_kernel::field_error_collector::FieldErrorCollector;
use serde_json::json;

use crate::catalogue::promoted_levels;
use crate::catalogue::service_types::draft::ServiceTypeDraft;
pub use crate::catalogue::service_types::store::{SORTABLE_SERVICE_TYPES, load_types_of_network};
use crate::catalogue::service_types::store::{
    SORTABLE_SERVICES, ServiceTypeRecord, check_network, delete_service_type, load_name, load_service_type,
    load_services_of_type,
};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::records::change_log::ChangedRecord;
use crate::records::search_texts;
use crate::records::{changes, positions, references};
use panel_platform::table::{Join, RowSource, SearchTarget, Table, expr};
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.list_route::<ListServiceTypes, _, _>(&SERVICE_TYPES, |record: ServiceTypeRecord, _| record.into_row())
        .route::<CreateServiceType, _, _, _>(create)
        .route::<GetServiceTypeCollections, _, _, _>(get_collections)
        .route::<GetServiceType, _, _, _>(get)
        .route::<UpdateServiceType, _, _, _>(update)
        .route::<DeleteServiceType, _, _, _>(delete)
        .route::<ListServicesOfType, _, _, _>(list_services)
        .route::<SortServices, _, _, _>(sort)
}

async fn get_collections(
    _ctx: Ctx,
    _req: Req<GetServiceTypeCollections>,
) -> Result<Data<ServiceTypeCollections>> {
    let to_choice = |kind: &ServiceTypeKind| Choice { kind: kind.to_string(), label: kind.to_string() };
    Ok(Data { data: ServiceTypeCollections { types: ServiceTypeKind::ALL.iter().map(to_choice).collect() } })
}

async fn get(ctx: Ctx, req: Req<GetServiceType>) -> Result<Data<ServiceType>> {
    Ok(Data { data: load_service_type(&mut ctx.db(), &ctx, req.path).await? })
}

async fn create(ctx: Ctx, req: Req<CreateServiceType>) -> Result<Data<ServiceType>> {
    let mut errors = FieldErrors::default();
    if req.body.id.is_some() {
        errors.add("id", "The server assigns the id of a new service type. Leave it out.");
    }
    let mut field_errors = FieldErrorCollector::default();
    let draft = field_errors.collect(ServiceTypeDraft::default().apply(&req.body, errors))?;
    let icon = field_errors
        .collect(ctx.app.uploads.store_image(ctx.meta.dry_run, "icon", &req.body.icon, None).await)?
        .flatten();
    field_errors.into_result(())?;
    let draft = ServiceTypeDraft { icon, ..draft.unwrap_or_default() };
    let mut work = ctx.begin().await?;
    if let Some(network) = draft.network {
        check_network(&mut work, network).await?;
    }
    let id = draft.insert(&mut work).await?;
    draft.record_change(&mut work, ChangeAction::Created, id, &ServiceTypeDraft::default()).await?;
    commit_and_respond(work, id).await
}

/// Unlike the body of a create, the body of an update nests the fields in `panel_service_type`, and so do its error fields.
async fn update(ctx: Ctx, req: Req<UpdateServiceType>) -> Result<Data<ServiceType>> {
    update_fields(ctx, req).await.map_err(|error| error.with_prefix("panel_service_type"))
}

async fn update_fields(ctx: Ctx, req: Req<UpdateServiceType>) -> Result<Data<ServiceType>> {
    let (id, input) = (req.path, &req.body.panel_service_type);
    let mut errors = FieldErrors::default();
    if input.id.is_some_and(|body_id| body_id != id) {
        errors.add(
            "id",
            format!("The id differs from service type {id} in the URL. Send the same id, or leave it out."),
        );
    }
    let mut field_errors = FieldErrorCollector::default();
    let icon = field_errors
        .collect(ctx.app.uploads.store_image_before_lock(ctx.meta.dry_run, "icon", &input.icon).await)?;
    let mut work = ctx.begin().await?;
    // An update locks the network before its service types, in the same order as an import, so that the two cannot deadlock.
    if let Some(network) = input.network {
        categories::lock_network(&mut work, network).await?;
    }
    // The image is validated before the record is locked, because the validation takes time. If the image is invalid and the record
    // is missing, the error of the image comes first.
    let (before, updated_at) =
        ServiceTypeDraft::lock(&mut work, id).await.map_err(|missing| field_errors.finish_with(missing))?;
    Error::check_not_stale("service type", input.updated_at, updated_at)?;
    let after = field_errors.collect(before.clone().apply(input, errors))?;
    let icon = match icon {
        Some(icon) => field_errors.collect(icon.new_value(before.icon.as_deref()))?.flatten(),
        None => None,
    };
    let new_network =
        after.as_ref().and_then(|after| after.network).filter(|network| Some(*network) != before.network);
    if let Some(network) = new_network {
        field_errors.collect(check_network(&mut work, network).await)?;
    }
    field_errors.into_result(())?;
    if new_network.is_some() {
        references::reject_if_used(&mut work, &references::BOUND_TO_NETWORK_OF_SERVICE_TYPE, id).await?;
    }
    let mut after = ServiceTypeDraft { icon, ..after.unwrap_or_default() };
    if let Some(network) = new_network {
        after.panel_category =
            categories::category_unless_taken(&mut work, network, after.panel_category).await?;
    }
    if after != before {
        after.update(&mut work, id, new_network.is_some()).await?;
        if new_network.is_some() {
            promoted_levels::sync_with_services(&mut work).await?;
        }
        after.record_change(&mut work, ChangeAction::Updated, id, &before).await?;
    }
    commit_and_respond(work, id).await
}

async fn delete(ctx: Ctx, req: Req<DeleteServiceType>) -> Result<EmptyBody> {
    let mut work = ctx.begin().await?;
    let (before, _) = ServiceTypeDraft::lock(&mut work, req.path).await?;
    references::reject_if_used(&mut work, &references::TO_SERVICE_TYPE, req.path).await?;
    delete_service_type(&mut work, req.path).await?;
    let (action, model) = (ChangeAction::Deleted, ChangeModel::ServiceType);
    let record = ChangedRecord { action, model, id: req.path.as_record_id(), name: &before.name };
    changes::record(&mut work, record, &json!(before), &json!({})).await?;
    work.finish(EmptyBody {}).await
}

async fn commit_and_respond(mut work: UnitOfWork, id: ServiceTypeId) -> Result<Data<ServiceType>> {
    let ctx = work.scope().clone();
    let data = load_service_type(&mut work, &ctx, id).await?;
    work.finish(Data { data }).await
}

async fn list_services(ctx: Ctx, req: Req<ListServicesOfType>) -> Result<Data<Vec<PositionedService>>> {
    let services = load_services_of_type(&mut ctx.db(), req.path).await?;
    let services = services.into_iter().map(|service| PositionedService {
        id: service.id,
        name: service.name,
        default_price: service.default_price,
        pricing_per: service.pricing_per,
        is_enabled: service.is_enabled,
        sorting: service.sorting,
    });
    Ok(Data { data: services.collect() })
}

async fn sort(ctx: Ctx, req: Req<SortServices>) -> Result<EmptyBody> {
    let mut work = ctx.begin().await?;
    let name = load_name(&mut work, req.path).await?;
    let requested_order = &req.body.services;
    let order_before =
        positions::sort(&mut work, SORTABLE_SERVICES, Some(req.path.as_record_id()), requested_order).await?;
    if order_before != *requested_order {
        let (action, model) = (ChangeAction::Sorted, ChangeModel::ServiceType);
        let record = ChangedRecord { action, model, id: req.path.as_record_id(), name: &name };
        let (old, new) = (json!({ "services": order_before }), json!({ "services": requested_order }));
        changes::record(&mut work, record, &old, &new).await?;
    }
    work.finish(EmptyBody {}).await
}

pub static SERVICE_TYPES: Table = Table::new(
    &panel_contract::lists::service_types::SERVICE_TYPES,
    RowSource {
        base: "service_types",
        alias: "t",
        key: "t.id",
        joins: &[Join { alias: "n", sql: "JOIN networks n ON n.id = t.network_id" }],
        select: SERVICE_TYPE_SELECT_LIST,
        ..RowSource::NONE
    },
    &[
        expr("network", "n.name").join("n"),
        expr("network.id", "t.network_id"),
        expr("network.name", "n.name").join("n"),
        expr("services_count", SERVICES_COUNT),
        expr("reviews_rating", "t.reviews_rating_ppm"),
    ],
)
.global_search(&[
    SearchTarget::new("t.id", &search_texts::SERVICE_TYPES, "name")
        .own_columns(&["t.name", "t.title", "t.slug"]),
    SearchTarget::new("t.network_id", &search_texts::NETWORKS, "network"),
]);

const SERVICES_COUNT: &str =
    "(SELECT count(*) FROM services x WHERE x.service_type_id = t.id AND NOT x.is_archived)";
const SERVICE_TYPE_SELECT_LIST: &str = "t.id, t.name, n.id AS network_id, n.name AS network_name, t.title, t.type AS kind, t.slug, t.icon, t.color, t.sorting,
  (SELECT count(*) FROM services x WHERE x.service_type_id = t.id AND NOT x.is_archived) AS services_count,
  t.reviews_count, t.reviews_rating_ppm, t.created_at, t.updated_at";
