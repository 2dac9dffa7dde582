//! Endpoints of special offers: services and service types that the customers' site highlights at a place on a page.

mod rules;
mod store;

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::{Choice, Data, NamedRef};
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::special_offers::{
    ArchiveSpecialOffer, CreateSpecialOffer, DeleteSpecialOffer, DisableSpecialOffer, EnableSpecialOffer,
    GetSpecialOffer, GetSpecialOfferCollection, ListOfferNetworks, ListOfferServices, ListOfferTypes,
    ListSpecialOffers, UnarchiveSpecialOffer, UpdateSpecialOffer,
};
use panel_contract::ids::{NetworkId, ServiceTypeId, SpecialOfferId};
use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_contract::special_offers::{
    OfferPlace, OfferPosition, OfferServices, OfferStatus, SpecialOffer, SpecialOfferActions,
    SpecialOfferCollection, SpecialOfferRow,
};
use panel_kernel::error::{Error, Result};
use panel_kernel::field_error_collector::FieldErrorCollector;
use serde_json::{Value, json};

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::marketing::special_offers::rules::{OfferAction, SpecialOfferDraft};
use crate::records::change_log::ChangedRecord;
use crate::records::search_texts;
use crate::records::{changes, references, undo};
use panel_contract::dictionary::enum_label;
use panel_platform::scope::Scope;
use panel_platform::table::{Join, RowSource, SearchTarget, Table, base_column, expr};
use panel_platform::work::UnitOfWork;

pub fn routes(api: Api) -> Api {
    api.list_route::<ListSpecialOffers, _, _>(&SPECIAL_OFFERS, |offer: StoredSpecialOffer, scope| {
        offer.into_row(scope)
    })
    .route::<CreateSpecialOffer, _, _, _>(create)
    .route::<GetSpecialOfferCollection, _, _, _>(get_collection)
    .route::<ListOfferServices, _, _, _>(list_services)
    .route::<ListOfferTypes, _, _, _>(list_types)
    .route::<ListOfferNetworks, _, _, _>(list_networks)
    .route::<GetSpecialOffer, _, _, _>(get)
    .route::<UpdateSpecialOffer, _, _, _>(update)
    .route::<DeleteSpecialOffer, _, _, _>(delete)
    .route::<EnableSpecialOffer, _, _, _>(enable)
    .route::<DisableSpecialOffer, _, _, _>(disable)
    .archive_endpoints_with_handler::<ArchiveSpecialOffer, UnarchiveSpecialOffer, _, _, _>(set_archived)
}

macro_rules! status {
    () => {
        "(CASE WHEN o.is_archived THEN 'archived' WHEN o.is_enabled THEN 'active' ELSE 'disabled' END)"
    };
}
macro_rules! services_count {
    () => {
        "(SELECT count(*) FROM special_offer_services x WHERE x.offer_id = o.id)"
    };
}
macro_rules! types_count {
    () => {
        "(SELECT count(*) FROM special_offer_types x WHERE x.offer_id = o.id)"
    };
}

/// All special offers, newest first.
pub static SPECIAL_OFFERS: Table = Table::new(
    &panel_contract::lists::special_offers::SPECIAL_OFFERS,
    RowSource {
        base: "special_offers",
        alias: "o",
        key: "o.id",
        joins: &[Join { alias: "n", sql: "JOIN networks n ON n.id = o.network_id" }],
        select: concat!(
        "o.id, o.name, o.network_id, n.name AS network_name, o.place, o.position, o.is_enabled, o.is_archived, o.created_at, ",
        services_count!(),
        " AS services_count, ",
        types_count!(),
        " AS types_count, ",
        status!(),
        " AS status"
    ),
        ..RowSource::NONE
    },
    &[
        base_column("name").text_index("o.id", &search_texts::SPECIAL_OFFERS, "name"),
        expr("network", "n.name").join("n"),
        expr("network.id", "o.network_id"),
        expr("network.name", "n.name").join("n"),
        expr("services_count", services_count!()),
        expr("service_types_count", types_count!()),
        expr("status", status!()),
    ],
)
.global_search(&[
    SearchTarget::new("o.id", &search_texts::SPECIAL_OFFERS, "name").own_columns(&["o.name"]),
    SearchTarget::new("o.network_id", &search_texts::NETWORKS, "network"),
]);

/// A special offer as stored, with its status.
#[derive(Debug, sqlx::FromRow)]
pub struct StoredSpecialOffer {
    id: SpecialOfferId,
    name: String,
    network_id: NetworkId,
    network_name: String,
    place: OfferPlace,
    position: OfferPosition,
    is_enabled: bool,
    is_archived: bool,
    created_at: Time,
    services_count: i64,
    types_count: i64,
    status: OfferStatus,
}

impl StoredSpecialOffer {
    fn into_row(self, scope: &Scope) -> SpecialOfferRow {
        let is_allowed = |action| {
            scope.has_permission(Permission::ManageDiscounts)
                && rules::check_action(self.is_enabled, self.is_archived, action).is_ok()
        };
        SpecialOfferRow {
            actions: SpecialOfferActions {
                editable: is_allowed(OfferAction::Edit),
                enable: is_allowed(OfferAction::Enable),
                disable: is_allowed(OfferAction::Disable),
                archival: is_allowed(OfferAction::Archive),
                restore: is_allowed(OfferAction::Unarchive),
                deletable: is_allowed(OfferAction::Delete),
            },
            id: self.id,
            name: self.name,
            network: NamedRef { id: self.network_id, name: self.network_name },
            place: self.place,
            position: self.position,
            services_count: self.services_count,
            service_types_count: self.types_count,
            is_enabled: self.is_enabled,
            is_archived: self.is_archived,
            status: self.status,
            created_at: self.created_at,
        }
    }
}

async fn get_collection(
    _ctx: Ctx,
    _req: Req<GetSpecialOfferCollection>,
) -> Result<Data<SpecialOfferCollection>> {
    let to_choice = |kind: &str| Choice { kind: kind.to_owned(), label: enum_label(kind) };
    let to_choices =
        |positions: &[OfferPosition]| positions.iter().map(|kind| to_choice(kind.as_str())).collect();
    Ok(Data {
        data: SpecialOfferCollection {
            places: OfferPlace::ALL.iter().map(|kind| to_choice(kind.as_str())).collect(),
            positions: to_choices(OfferPosition::OTHER_PAGES),
            home_page_positions: to_choices(OfferPosition::HOME_PAGE),
        },
    })
}

async fn list_services(ctx: Ctx, req: Req<ListOfferServices>) -> Result<OfferServices> {
    store::load_service_page(&ctx, &req.query).await
}

async fn list_types(ctx: Ctx, req: Req<ListOfferTypes>) -> Result<Data<Vec<NamedRef<ServiceTypeId>>>> {
    Ok(Data { data: store::load_types(&mut ctx.db(), req.query.network_id).await? })
}

async fn list_networks(ctx: Ctx, _req: Req<ListOfferNetworks>) -> Result<Data<Vec<NamedRef<NetworkId>>>> {
    Ok(Data { data: store::load_networks(&mut ctx.db()).await? })
}

async fn get(ctx: Ctx, req: Req<GetSpecialOffer>) -> Result<Data<SpecialOffer>> {
    Ok(Data { data: store::load(&mut ctx.db(), &ctx, req.path).await? })
}

async fn create(ctx: Ctx, req: Req<CreateSpecialOffer>) -> Result<Data<SpecialOffer>> {
    let (draft, errors) = SpecialOfferDraft::default().apply_input(&req.body);
    let mut field_errors = FieldErrorCollector::from(errors);
    let mut work = ctx.begin().await?;
    field_errors.collect(store::check_references(&mut work, &draft, &SpecialOfferDraft::default()).await)?;
    field_errors.into_result(())?;
    let id = store::insert(&mut work, &draft).await?;
    record_change(&mut work, ChangeAction::Created, (id, &draft.name), (json!({}), json!(draft))).await?;
    commit_and_respond(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateSpecialOffer>) -> Result<Data<SpecialOffer>> {
    let mut work = ctx.begin().await?;
    let (old_draft, locked_row) = store::lock(&mut work, req.path).await?;
    Error::check_not_stale("special offer", req.body.updated_at, locked_row.updated_at)?;
    rules::check_action(old_draft.is_enabled, locked_row.is_archived, OfferAction::Edit)?;
    let (new_draft, errors) = old_draft.clone().apply_input(&req.body);
    let mut field_errors = FieldErrorCollector::from(errors);
    field_errors.collect(store::check_references(&mut work, &new_draft, &old_draft).await)?;
    field_errors.into_result(())?;
    if new_draft != old_draft {
        store::update_row(&mut work, req.path, &new_draft).await?;
        let values = (json!(old_draft), json!(new_draft));
        record_change(&mut work, ChangeAction::Updated, (req.path, &new_draft.name), values).await?;
    }
    commit_and_respond(work, req.path).await
}

async fn enable(ctx: Ctx, req: Req<EnableSpecialOffer>) -> Result<Data<SpecialOffer>> {
    apply_action(ctx, req.path, OfferAction::Enable).await
}

async fn disable(ctx: Ctx, req: Req<DisableSpecialOffer>) -> Result<Data<SpecialOffer>> {
    apply_action(ctx, req.path, OfferAction::Disable).await
}

async fn set_archived(ctx: Ctx, id: SpecialOfferId, archive: bool) -> Result<Data<SpecialOffer>> {
    apply_action(ctx, id, if archive { OfferAction::Archive } else { OfferAction::Unarchive }).await
}

async fn apply_action(ctx: Ctx, id: SpecialOfferId, action: OfferAction) -> Result<Data<SpecialOffer>> {
    let mut work = ctx.begin().await?;
    let (draft, locked_row) = store::lock(&mut work, id).await?;
    rules::check_action(draft.is_enabled, locked_row.is_archived, action)?;
    if action == OfferAction::Unarchive {
        references::reject_if_archived(&mut work, "special offer", &draft.services).await?;
    }
    let (column, value) = action.column_and_value();
    let snapshot = undo::take_snapshot(&mut work, ChangeModel::SpecialOffer.as_str(), id).await?;
    store::set_flag(&mut work, id, action).await?;
    let changed = ChangedRecord {
        action: action.change_action(),
        model: ChangeModel::SpecialOffer,
        id: id.as_record_id(),
        name: &draft.name,
    };
    let values = (&json!({ column: !value }), &json!({ column: value }));
    changes::record_undoable(&mut work, changed, values, &snapshot).await?;
    commit_and_respond(work, id).await
}

async fn delete(ctx: Ctx, req: Req<DeleteSpecialOffer>) -> Result<EmptyBody> {
    let mut work = ctx.begin().await?;
    let (draft, locked_row) = store::lock(&mut work, req.path).await?;
    rules::check_action(draft.is_enabled, locked_row.is_archived, OfferAction::Delete)?;
    store::delete_offer(&mut work, req.path).await?;
    record_change(&mut work, ChangeAction::Deleted, (req.path, &draft.name), (json!(draft), json!({})))
        .await?;
    work.finish(EmptyBody {}).await
}

async fn record_change(
    work: &mut UnitOfWork,
    action: ChangeAction,
    (id, name): (SpecialOfferId, &str),
    (old, new): (Value, Value),
) -> Result<()> {
    changes::record(
        work,
        ChangedRecord { action, model: ChangeModel::SpecialOffer, id: id.as_record_id(), name },
        &old,
        &new,
    )
    .await
}

async fn commit_and_respond(mut work: UnitOfWork, id: SpecialOfferId) -> Result<Data<SpecialOffer>> {
    let scope = work.scope().clone();
    let data = store::load(&mut work, &scope, id).await?;
    work.finish(Data { data }).await
}
