//! Endpoints of discounts: a percentage off the price of some services for a period. `pricing::quote` applies a discount to a
//! price.

mod store;

use panel_domain::discounts;
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
use panel_kernel::wrong_fields::WrongFields;
use serde_json::json;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::pricing::least_margin;
use crate::records::change_log::ChangedRecord;
use crate::records::search_texts;
use crate::records::{changes, undo, uses};
use panel_domain::discounts::{DiscountAction, DiscountDraft, DiscountLine, country_codes};
use panel_domain::least_margin::NewPrice;
use panel_platform::audit::restore::Snapshot;
use panel_platform::scope::Scope;
use panel_platform::table::{JoinTable, RowSource, SearchTarget, Table, base, expr};
use panel_platform::work::UnitOfWork;

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.table::<ListDiscounts, _, _>(&DISCOUNTS, |record: DiscountRecord, ctx| record.into_row(ctx))
        .on::<CreateDiscount, _, _, _>(create)
        .on::<GetDiscount, _, _, _>(get)
        .on::<UpdateDiscount, _, _, _>(update)
        .on::<CompleteDiscount, _, _, _>(complete)
        .archiving_by::<ArchiveDiscount, UnarchiveDiscount, _, _, _>(set_archived)
}

/// The subquery from services to their discounts.
const OF_SERVICES: &str = "SELECT discount_id FROM discount_services WHERE ";

/// The SQL of a discount's status at `@now`.
macro_rules! status {
    () => {
        "(CASE WHEN d.is_archived THEN 'archived' WHEN d.completed_at IS NOT NULL OR d.valid_to <= @now THEN 'completed' WHEN d.valid_from > @now THEN 'scheduled'
  WHEN NOT EXISTS (SELECT 1 FROM discount_services x JOIN services s ON s.id = x.service_id WHERE x.discount_id = d.id AND s.is_enabled AND NOT s.is_archived AND NOT s.is_deactivated)
  THEN 'disabled' ELSE 'active' END)"
    };
}
macro_rules! services {
    () => {
        "(SELECT count(*) FROM discount_services x WHERE x.discount_id = d.id)"
    };
}
macro_rules! percent {
    () => {
        "(SELECT COALESCE(max(x.percent_ppm), 0) FROM discount_services x WHERE x.discount_id = d.id)"
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
        services!(),
        " AS services_count, ",
        percent!(),
        " AS percent_ppm, ",
        status!(),
        " AS status"
    ),
        ..RowSource::NONE
    },
    &[
        base("name").text_index("d.id", &search_texts::DISCOUNTS, "name"),
        base("countries").words(country_codes),
        expr("services_count", services!()),
        expr(
            "services",
            "(SELECT min(v.name) FROM discount_services x JOIN services v ON v.id = x.service_id WHERE x.discount_id = d.id)",
        ).text_index("d.id", &search_texts::SERVICES, "").through(OF_SERVICES, "service_id"),
        expr("discount_percent", percent!()),
        expr("status", status!()),
    ],
)
.common_search(&[
    SearchTarget::new("d.id", &search_texts::DISCOUNTS, "name").here(&["d.name"]),
    SearchTarget::new("d.id", &search_texts::SERVICES, "services").through(JoinTable { select: OF_SERVICES, column: "service_id", here: "", }),
]);

/// A discount as stored, with its status.
#[derive(Debug, sqlx::FromRow)]
pub struct DiscountRecord {
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
    percent_ppm: Fraction,
    status: PromotionStatus,
}

impl DiscountRecord {
    fn into_row(self, scope: &Scope) -> DiscountRow {
        let may = |action: DiscountAction| {
            let is_completed_by_staff = self.completed_at.is_some();
            scope.may(Permission::ManageDiscounts)
                && discounts::judge(self.status, is_completed_by_staff, action).is_ok()
        };
        DiscountRow {
            actions: DiscountActions {
                editable: may(DiscountAction::Edit),
                completable: may(DiscountAction::Complete),
                archivable: may(DiscountAction::Archive),
                unarchivable: may(DiscountAction::Unarchive),
            },
            id: self.id,
            name: self.name,
            created_at: self.created_at,
            valid_from: self.valid_from,
            valid_to: self.valid_to,
            is_countdown_enabled: self.is_countdown_enabled,
            countries: serde_json::from_str(&self.countries).unwrap_or_default(),
            services_count: self.services_count,
            discount_percent: self.percent_ppm,
            status: self.status,
        }
    }

    /// Whether it no longer applies, and therefore uses no service.
    fn is_over(&self, now: Time) -> bool {
        self.completed_at.is_some() || self.valid_to.is_some_and(|to| to <= now)
    }

    fn check_action(&self, action: DiscountAction) -> Result<()> {
        Ok(discounts::judge(self.status, self.completed_at.is_some(), action)?)
    }
}

async fn get(ctx: Ctx, req: Req<GetDiscount>) -> Result<Data<Discount>> {
    Ok(Data { data: store::load(&mut ctx.db(), &ctx, req.path).await? })
}

async fn create(ctx: Ctx, req: Req<CreateDiscount>) -> Result<Data<Discount>> {
    let (draft, errors) = DiscountDraft::default().with(&req.body);
    let mut wrong = WrongFields::from(errors);
    let mut work = ctx.begin().await?;
    wrong.record(store::check_services(&mut work, &draft.services, &[]).await)?;
    wrong.or(())?;
    let id = store::insert(&mut work, &draft).await?;
    check_margin(&mut work, "services", &req.body, &draft.services).await?;
    record_change(&mut work, ChangeAction::Created, id, (&DiscountDraft::default(), &draft)).await?;
    answer(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateDiscount>) -> Result<Data<Discount>> {
    let mut work = ctx.begin().await?;
    let (before, stamp) = store::lock(&mut work, req.path).await?;
    Error::check_not_stale("discount", req.body.updated_at, stamp)?;
    store::record(&mut work, &ctx, req.path).await?.check_action(DiscountAction::Edit)?;
    let (after, errors) = before.clone().with(&req.body);
    let mut wrong = WrongFields::from(errors);
    if after.services != before.services {
        wrong.record(store::check_services(&mut work, &after.services, &before.services).await)?;
    }
    wrong.or(())?;
    if after != before {
        store::write(&mut work, req.path, &after).await?;
        if let Some(field) = after.cheaper_by(&before) {
            check_margin(&mut work, field, &req.body, &after.services).await?;
        }
        record_change(&mut work, ChangeAction::Updated, req.path, (&before, &after)).await?;
    }
    answer(work, req.path).await
}

/// Checks the margins of the discounted prices. An error names the line in the request, or `field` if the request has no such line.
async fn check_margin(
    work: &mut UnitOfWork,
    field: &str,
    input: &DiscountInput,
    lines: &[DiscountLine],
) -> Result<()> {
    let index: BTreeMap<ServiceId, usize> =
        input.services.iter().flatten().enumerate().map(|(at, line)| (line.id, at)).collect();
    let mut prices = Vec::with_capacity(lines.len());
    for (id, terms) in store::discounted(work, lines).await? {
        let field =
            index.get(&id).map_or_else(|| field.to_owned(), |at| format!("services.{at}.discount_percent"));
        let price = terms.quote(terms.pricing_per, 6)?.cost;
        prices.push(NewPrice::of_service(field, id, price, terms.pricing_per));
    }
    least_margin::check(work, &prices, input.confirm_below_margin).await?;
    Ok(())
}

/// Checks the margins of a discount that applies again after a restore or an undo, because costs may have risen meanwhile. Neither
/// action has a form for a confirmation, so a panel that only warns accepts a low margin.
pub async fn check_margin_again(work: &mut UnitOfWork, id: DiscountId, field: &str) -> Result<()> {
    let ctx = work.scope().clone();
    if matches!(
        store::record(work, &ctx, id).await?.status,
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
    let before = store::record(&mut work, &ctx, id).await?;
    before.check_action(action)?;
    if action == DiscountAction::Unarchive && !before.is_over(work.now) {
        let services: Vec<ServiceId> = draft.services.iter().map(|line| line.id).collect();
        uses::refuse_if_archived(&mut work, "discount", &services).await?;
    }
    let snapshot = match action {
        // Completion is final, so there is nothing to undo.
        DiscountAction::Complete => Snapshot::default(),
        _ => undo::before(&mut work, ChangeModel::Discount.as_str(), id).await?,
    };
    store::apply(&mut work, id, action).await?;
    let after = store::record(&mut work, &ctx, id).await?;
    if action == DiscountAction::Unarchive {
        check_margin_again(&mut work, id, "id").await?;
    }
    let changed = ChangedRecord {
        action: action.change_action(),
        model: ChangeModel::Discount,
        id: id.record(),
        name: &draft.name,
    };
    let (old, new) = (json!({ "status": before.status }), json!({ "status": after.status }));
    changes::record_undoable(&mut work, changed, (&old, &new), &snapshot).await?;
    answer(work, id).await
}

async fn record_change(
    work: &mut UnitOfWork,
    action: ChangeAction,
    id: DiscountId,
    (before, after): (&DiscountDraft, &DiscountDraft),
) -> Result<()> {
    let changed = ChangedRecord { action, model: ChangeModel::Discount, id: id.record(), name: &after.name };
    changes::record(work, changed, &json!(before), &json!(after)).await
}

async fn answer(mut work: UnitOfWork, id: DiscountId) -> Result<Data<Discount>> {
    let ctx = work.scope().clone();
    let data = store::load(&mut work, &ctx, id).await?;
    work.finish(Data { data }).await
}
