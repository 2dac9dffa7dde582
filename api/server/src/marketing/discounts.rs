//! Discounts: a share off the price of some services, for a while. What a discount does to a price stands in
//! `operations::orders::quote::terms`.

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
use panel_domain::discounts::{Draft, Line, Move, country_codes};
use panel_domain::least_margin::NewPrice;
use panel_platform::audit::restore::Snapshot;
use panel_platform::scope::Scope;
use panel_platform::table::{Arm, RowSource, Table, Through, base, expr};
use panel_platform::work::Work;

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.table::<ListDiscounts, _, _>(&DISCOUNTS, |record: Record, ctx| record.shown(ctx))
        .on::<CreateDiscount, _, _, _>(create)
        .on::<GetDiscount, _, _, _>(get)
        .on::<UpdateDiscount, _, _, _>(update)
        .on::<CompleteDiscount, _, _, _>(complete)
        .archiving_by::<ArchiveDiscount, UnarchiveDiscount, _, _, _>(set_archived)
}

/// The discounts of services.
const OF_SERVICES: &str = "SELECT discount_id FROM discount_services WHERE ";

/// Where a discount stands at `@now`.
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
    Arm::new("d.id", &search_texts::DISCOUNTS, "name").here(&["d.name"]),
    Arm::new("d.id", &search_texts::SERVICES, "services").through(Through { select: OF_SERVICES, column: "service_id", here: "", }),
]);

/// A discount as the database has it.
#[derive(Debug, sqlx::FromRow)]
pub struct Record {
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

impl Record {
    fn shown(self, scope: &Scope) -> DiscountRow {
        let may = |action: Move| {
            let by_hand = self.completed_at.is_some();
            scope.may(Permission::ManageDiscounts) && discounts::judge(self.status, by_hand, action).is_ok()
        };
        DiscountRow {
            actions: DiscountActions {
                editable: may(Move::Edit),
                completable: may(Move::Complete),
                archivable: may(Move::Archive),
                unarchivable: may(Move::Unarchive),
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

    /// Whether it takes nothing off any more: then it uses no service.
    fn is_over(&self, now: Time) -> bool {
        self.completed_at.is_some() || self.valid_to.is_some_and(|to| to <= now)
    }

    fn judge(&self, action: Move) -> Result<()> {
        Ok(discounts::judge(self.status, self.completed_at.is_some(), action)?)
    }
}

async fn get(ctx: Ctx, req: Req<GetDiscount>) -> Result<Data<Discount>> {
    Ok(Data { data: store::load(&mut ctx.db(), &ctx, req.path).await? })
}

async fn create(ctx: Ctx, req: Req<CreateDiscount>) -> Result<Data<Discount>> {
    let (draft, errors) = Draft::default().with(&req.body);
    let mut wrong = WrongFields::from(errors);
    let mut work = ctx.begin().await?;
    wrong.note(store::check_services(&mut work, &draft.services, &[]).await)?;
    wrong.or(())?;
    let id = store::insert(&mut work, &draft).await?;
    check_margin(&mut work, "services", &req.body, &draft.services).await?;
    tell(&mut work, ChangeAction::Created, id, (&Draft::default(), &draft)).await?;
    answer(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateDiscount>) -> Result<Data<Discount>> {
    let mut work = ctx.begin().await?;
    let (before, stamp) = store::lock(&mut work, req.path).await?;
    Error::unless_newest("discount", req.body.updated_at, stamp)?;
    store::record(&mut work, &ctx, req.path).await?.judge(Move::Edit)?;
    let (after, errors) = before.clone().with(&req.body);
    let mut wrong = WrongFields::from(errors);
    if after.services != before.services {
        wrong.note(store::check_services(&mut work, &after.services, &before.services).await)?;
    }
    wrong.or(())?;
    if after != before {
        store::write(&mut work, req.path, &after).await?;
        if let Some(field) = after.cheaper_by(&before) {
            check_margin(&mut work, field, &req.body, &after.services).await?;
        }
        tell(&mut work, ChangeAction::Updated, req.path, (&before, &after)).await?;
    }
    answer(work, req.path).await
}

/// The prices that the lines lead to; each is named by its place in the request, or by the `field` that made them count.
async fn check_margin(work: &mut Work, field: &str, input: &DiscountInput, lines: &[Line]) -> Result<()> {
    let place: BTreeMap<ServiceId, usize> =
        input.services.iter().flatten().enumerate().map(|(at, line)| (line.id, at)).collect();
    let mut prices = Vec::with_capacity(lines.len());
    for (id, terms) in store::discounted(work, lines).await? {
        let field =
            place.get(&id).map_or_else(|| field.to_owned(), |at| format!("services.{at}.discount_percent"));
        let price = terms.quote(terms.pricing_per, 6)?.cost;
        prices.push(NewPrice::of_service(field, id, price, terms.pricing_per));
    }
    least_margin::check(work, &prices, input.confirm_below_margin).await?;
    Ok(())
}

/// Judges a discount that may take something off again, unarchived or by an undo: costs may have risen while it was archived.
/// Neither has a form to confirm it in, so a panel that only warns lets it count.
pub async fn check_again(work: &mut Work, id: DiscountId, field: &str) -> Result<()> {
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
    moved(ctx, req.path, Move::Complete).await
}

async fn set_archived(ctx: Ctx, id: DiscountId, away: bool) -> Result<Data<Discount>> {
    moved(ctx, id, if away { Move::Archive } else { Move::Unarchive }).await
}

async fn moved(ctx: Ctx, id: DiscountId, action: Move) -> Result<Data<Discount>> {
    let mut work = ctx.begin().await?;
    let (draft, _) = store::lock(&mut work, id).await?;
    let before = store::record(&mut work, &ctx, id).await?;
    before.judge(action)?;
    if action == Move::Unarchive && !before.is_over(work.now) {
        let services: Vec<ServiceId> = draft.services.iter().map(|line| line.id).collect();
        uses::unless_archived(&mut work, "discount", &services).await?;
    }
    let snapshot = match action {
        // That it is over is final.
        Move::Complete => Snapshot::default(),
        _ => undo::before(&mut work, ChangeModel::Discount.as_str(), id).await?,
    };
    store::apply(&mut work, id, action).await?;
    let after = store::record(&mut work, &ctx, id).await?;
    if action == Move::Unarchive {
        check_again(&mut work, id, "id").await?;
    }
    let noted = ChangedRecord {
        action: action.change_action(),
        model: ChangeModel::Discount,
        id: id.record(),
        name: &draft.name,
    };
    let (old, new) = (json!({ "status": before.status }), json!({ "status": after.status }));
    changes::note_undoable(&mut work, noted, (&old, &new), &snapshot).await?;
    answer(work, id).await
}

async fn tell(
    work: &mut Work,
    action: ChangeAction,
    id: DiscountId,
    (before, after): (&Draft, &Draft),
) -> Result<()> {
    let noted = ChangedRecord { action, model: ChangeModel::Discount, id: id.record(), name: &after.name };
    changes::note(work, noted, &json!(before), &json!(after)).await
}

async fn answer(mut work: Work, id: DiscountId) -> Result<Data<Discount>> {
    let ctx = work.scope().clone();
    let data = store::load(&mut work, &ctx, id).await?;
    work.finish(Data { data }).await
}
