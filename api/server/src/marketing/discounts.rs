//! Endpoints of discounts: a percentage off the price of some services for a period. `pricing::quote` applies a discount to a
//! price.

mod store;

use std::collections::BTreeMap;

use panel_contract::amount::Fraction;
use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::Data;
use panel_contract::discounts::{Discount, DiscountActions, DiscountInput, DiscountRow, PromotionStatus};
use panel_contract::endpoints::discounts::{
    ArchiveDiscount, CompleteDiscount, CreateDiscount, GetDiscount, ListDiscounts, UnarchiveDiscount,
    UpdateDiscount,
};
use panel_contract::ids::{DiscountId, ServiceId};
use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_kernel::error::{Error, Result};
use panel_kernel::field_error_collector::FieldErrorCollector;
use serde_json::json;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::pricing::minimum_margin;
use crate::records::change_log::ChangedRecord;
use crate::records::search_texts;
use crate::records::{changes, references, undo};
use panel_domain::discounts::{self, DiscountAction, DiscountDraft, DiscountLine, country_codes};
use panel_domain::minimum_margin::NewPrice;
use panel_platform::audit::restore::Snapshot;
use panel_platform::scope::Scope;
use panel_platform::table::{JoinTable, RowSource, SearchTarget, Table, base_column, expr};
use panel_platform::work::UnitOfWork;

pub fn routes(api: Api) -> Api {
    api.list_route::<ListDiscounts, _, _>(&DISCOUNTS, |discount: StoredDiscount, scope| {
        discount.into_row(scope)
    })
    .route::<CreateDiscount, _, _, _>(create)
    .route::<GetDiscount, _, _, _>(get)
    .route::<UpdateDiscount, _, _, _>(update)
    .route::<CompleteDiscount, _, _, _>(complete)
    .archive_endpoints_with_handler::<ArchiveDiscount, UnarchiveDiscount, _, _, _>(set_archived)
}

/// The subquery from services to their discounts.
const DISCOUNTS_OF_SERVICES: &str = "SELECT discount_id FROM discount_services WHERE ";

/// The SQL of a discount's status at `@now`.
macro_rules! status {
    () => {
        "(CASE WHEN d.is_archived THEN 'archived' WHEN d.completed_at IS NOT NULL OR d.valid_to <= @now THEN 'completed' WHEN d.valid_from > @now THEN 'scheduled'
  WHEN NOT EXISTS (SELECT 1 FROM discount_services x JOIN services s ON s.id = x.service_id WHERE x.discount_id = d.id AND s.is_enabled AND NOT s.is_archived AND NOT s.is_deactivated)
  THEN 'disabled' ELSE 'active' END)"
    };
}
macro_rules! services_count {
    () => {
        "(SELECT count(*) FROM discount_services x WHERE x.discount_id = d.id)"
    };
}
macro_rules! max_discount_ppm {
    () => {
        "(SELECT COALESCE(max(x.discount_ppm), 0) FROM discount_services x WHERE x.discount_id = d.id)"
    };
}

/// All discounts, newest first.
pub static DISCOUNTS: Table = Table::new(
    &panel_contract::lists::discounts::DISCOUNTS,
    RowSource {
        base: "discounts",
        alias: "d",
        key: "d.id",
        select: concat!(
        "d.id, d.name, d.created_at, d.valid_from, d.valid_to, d.is_countdown_enabled, d.countries, d.completed_at, d.is_archived, ",
        services_count!(),
        " AS services_count, ",
        max_discount_ppm!(),
        " AS discount_ppm, ",
        status!(),
        " AS status"
    ),
        ..RowSource::NONE
    },
    &[
        base_column("name").text_index("d.id", &search_texts::DISCOUNTS, "name"),
        base_column("countries").allowed_values(country_codes),
        expr("services_count", services_count!()),
        expr(
            "services",
            "(SELECT min(v.name) FROM discount_services x JOIN services v ON v.id = x.service_id WHERE x.discount_id = d.id)",
        ).text_index("d.id", &search_texts::SERVICES, "").through_join_table(DISCOUNTS_OF_SERVICES, "service_id"),
        expr("discount_fraction", max_discount_ppm!()),
        expr("status", status!()),
    ],
)
.global_search(&[
    SearchTarget::new("d.id", &search_texts::DISCOUNTS, "name").own_columns(&["d.name"]),
    SearchTarget::new("d.id", &search_texts::SERVICES, "services").through_join_table(JoinTable { select: DISCOUNTS_OF_SERVICES, column: "service_id", row_key: "", }),
]);

/// A discount as stored, with its status.
#[derive(Debug, sqlx::FromRow)]
pub struct StoredDiscount {
    id: DiscountId,
    name: String,
    created_at: Time,
    valid_from: Time,
    valid_to: Option<Time>,
    is_countdown_enabled: bool,
    countries: String,
    completed_at: Option<Time>,
    is_archived: bool,
    services_count: i64,
    discount_ppm: Fraction,
    status: PromotionStatus,
}

impl StoredDiscount {
    fn into_row(self, scope: &Scope) -> DiscountRow {
        let is_allowed = |action: DiscountAction| {
            let is_completed_by_staff = self.completed_at.is_some();
            scope.has_permission(Permission::ManageDiscounts)
                && discounts::check_action(self.status, is_completed_by_staff, action).is_ok()
        };
        DiscountRow {
            actions: DiscountActions {
                editable: is_allowed(DiscountAction::Edit),
                completable: is_allowed(DiscountAction::Complete),
                archivable: is_allowed(DiscountAction::Archive),
                unarchivable: is_allowed(DiscountAction::Unarchive),
            },
            id: self.id,
            name: self.name,
            created_at: self.created_at,
            valid_from: self.valid_from,
            valid_to: self.valid_to,
            is_countdown_enabled: self.is_countdown_enabled,
            countries: serde_json::from_str(&self.countries).unwrap_or_default(),
            services_count: self.services_count,
            discount_fraction: self.discount_ppm,
            status: self.status,
        }
    }

    /// Whether the discount no longer applies, so that it uses no service.
    fn is_over(&self, now: Time) -> bool {
        self.completed_at.is_some() || self.valid_to.is_some_and(|to| to <= now)
    }

    fn check_action(&self, action: DiscountAction) -> Result<()> {
        Ok(discounts::check_action(self.status, self.completed_at.is_some(), action)?)
    }
}

async fn get(ctx: Ctx, req: Req<GetDiscount>) -> Result<Data<Discount>> {
    Ok(Data { data: store::load(&mut ctx.db(), &ctx, req.path).await? })
}

async fn create(ctx: Ctx, req: Req<CreateDiscount>) -> Result<Data<Discount>> {
    let (draft, errors) = DiscountDraft::default().apply(&req.body);
    let mut field_errors = FieldErrorCollector::from(errors);
    let mut work = ctx.begin().await?;
    field_errors.collect(store::check_services(&mut work, &draft.services, &[]).await)?;
    field_errors.into_result(())?;
    let id = store::insert(&mut work, &draft).await?;
    check_margin(&mut work, "services", &req.body, &draft.services).await?;
    record_change(&mut work, ChangeAction::Created, id, (&DiscountDraft::default(), &draft)).await?;
    commit_and_respond(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateDiscount>) -> Result<Data<Discount>> {
    let mut work = ctx.begin().await?;
    let (old_draft, updated_at) = store::lock(&mut work, req.path).await?;
    Error::check_not_stale("discount", req.body.updated_at, updated_at)?;
    store::load_stored(&mut work, &ctx, req.path).await?.check_action(DiscountAction::Edit)?;
    let (new_draft, errors) = old_draft.clone().apply(&req.body);
    let mut field_errors = FieldErrorCollector::from(errors);
    if new_draft.services != old_draft.services {
        field_errors
            .collect(store::check_services(&mut work, &new_draft.services, &old_draft.services).await)?;
    }
    field_errors.into_result(())?;
    if new_draft != old_draft {
        store::update_row(&mut work, req.path, &new_draft).await?;
        if let Some(field) = new_draft.field_that_lowers_prices(&old_draft) {
            check_margin(&mut work, field, &req.body, &new_draft.services).await?;
        }
        record_change(&mut work, ChangeAction::Updated, req.path, (&old_draft, &new_draft)).await?;
    }
    commit_and_respond(work, req.path).await
}

/// Checks the margins of the discounted prices. An error names the line in the request, or `field` if the request has no such line.
async fn check_margin(
    work: &mut UnitOfWork,
    field: &str,
    input: &DiscountInput,
    lines: &[DiscountLine],
) -> Result<()> {
    let index_by_service: BTreeMap<ServiceId, usize> =
        input.services.iter().flatten().enumerate().map(|(index, line)| (line.id, index)).collect();
    let mut prices = Vec::with_capacity(lines.len());
    for (id, terms) in store::load_discounted_terms(work, lines).await? {
        let field = index_by_service
            .get(&id)
            .map_or_else(|| field.to_owned(), |index| format!("services.{index}.discount_fraction"));
        let price = terms.quote(terms.pricing_per, 6)?.cost;
        prices.push(NewPrice::of_service(field, id, price, terms.pricing_per));
    }
    minimum_margin::check_prices(work, &prices, input.confirm_below_margin).await?;
    Ok(())
}

/// Checks the margins of a discount that applies again after a restore or an undo, because costs may have risen since. Neither
/// action has a form for a confirmation, so a panel that only warns accepts a low margin.
pub async fn recheck_margin(work: &mut UnitOfWork, id: DiscountId, field: &str) -> Result<()> {
    let scope = work.scope().clone();
    if matches!(
        store::load_stored(work, &scope, id).await?.status,
        PromotionStatus::Archived | PromotionStatus::Completed
    ) {
        return Ok(());
    }
    let (draft, _) = store::lock(work, id).await?;
    let input = DiscountInput { confirm_below_margin: true, ..DiscountInput::default() };
    check_margin(work, field, &input, &draft.services).await
}

async fn complete(ctx: Ctx, req: Req<CompleteDiscount>) -> Result<Data<Discount>> {
    apply_action(ctx, req.path, DiscountAction::Complete).await
}

async fn set_archived(ctx: Ctx, id: DiscountId, archive: bool) -> Result<Data<Discount>> {
    apply_action(ctx, id, if archive { DiscountAction::Archive } else { DiscountAction::Unarchive }).await
}

async fn apply_action(ctx: Ctx, id: DiscountId, action: DiscountAction) -> Result<Data<Discount>> {
    let mut work = ctx.begin().await?;
    let (draft, _) = store::lock(&mut work, id).await?;
    let old_discount = store::load_stored(&mut work, &ctx, id).await?;
    old_discount.check_action(action)?;
    if action == DiscountAction::Unarchive && !old_discount.is_over(work.now) {
        let service_ids: Vec<ServiceId> = draft.services.iter().map(|line| line.id).collect();
        references::reject_if_archived(&mut work, "discount", &service_ids).await?;
    }
    let snapshot = match action {
        // Completion is final, so there is nothing to undo.
        DiscountAction::Complete => Snapshot::default(),
        _ => undo::take_snapshot(&mut work, ChangeModel::Discount.as_str(), id).await?,
    };
    store::apply_action(&mut work, id, action).await?;
    let new_discount = store::load_stored(&mut work, &ctx, id).await?;
    if action == DiscountAction::Unarchive {
        recheck_margin(&mut work, id, "id").await?;
    }
    let changed = ChangedRecord {
        action: action.change_action(),
        model: ChangeModel::Discount,
        id: id.as_record_id(),
        name: &draft.name,
    };
    let old_values = json!({ "status": old_discount.status });
    let new_values = json!({ "status": new_discount.status });
    changes::record_undoable(&mut work, changed, (&old_values, &new_values), &snapshot).await?;
    commit_and_respond(work, id).await
}

async fn record_change(
    work: &mut UnitOfWork,
    action: ChangeAction,
    id: DiscountId,
    (old_draft, new_draft): (&DiscountDraft, &DiscountDraft),
) -> Result<()> {
    let changed =
        ChangedRecord { action, model: ChangeModel::Discount, id: id.as_record_id(), name: &new_draft.name };
    changes::record(work, changed, &json!(old_draft), &json!(new_draft)).await
}

async fn commit_and_respond(mut work: UnitOfWork, id: DiscountId) -> Result<Data<Discount>> {
    let scope = work.scope().clone();
    let data = store::load(&mut work, &scope, id).await?;
    work.finish(Data { data }).await
}
