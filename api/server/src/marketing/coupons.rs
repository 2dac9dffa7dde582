//! Endpoints of coupons. `redeem` uses a coupon for a payment or an order.

pub mod redeem;
mod rules;
mod statistics;
mod store;

use panel_contract::amount::{Fraction, Money};
use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::{ArchivableActions, Choice, Data};
use panel_contract::coupons::{
    BonusCalculation, Coupon, CouponBonusType, CouponCollections, CouponPaymentType, CouponRow,
    ReferralManager,
};
use panel_contract::discounts::PromotionStatus;
use panel_contract::endpoints::coupons::{
    ArchiveCoupon, CouponStatisticsByCoupon, CouponStatisticsByDate, CreateCoupon, GetCoupon,
    GetCouponCollections, ListCoupons, UnarchiveCoupon, UpdateCoupon,
};
use panel_contract::ids::{CouponId, UserId};
use panel_contract::moment::{Time, Timestamp};
use panel_contract::permission::Permission;
use panel_kernel::error::{Error, Result};
use panel_kernel::field_error_collector::FieldErrorCollector;
use serde_json::json;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::marketing::coupons::rules::CouponDraft;
use crate::records::archivable_kinds::COUPON;
use crate::records::change_log::ChangedRecord;
use crate::records::changes;
use crate::records::search_texts;
use panel_platform::scope::Scope;
use panel_platform::table::{Join, RowSource, SearchTarget, Table, TextIndex, base_column, expr};
use panel_platform::work::UnitOfWork;

pub fn routes(api: Api) -> Api {
    api.list_route::<ListCoupons, _, _>(&COUPONS, |coupon: StoredCoupon, scope| coupon.into_row(scope))
        .route::<CreateCoupon, _, _, _>(create)
        .route::<GetCouponCollections, _, _, _>(list_collections)
        .route::<CouponStatisticsByCoupon, _, _, _>(statistics::get_by_coupon)
        .route::<CouponStatisticsByDate, _, _, _>(statistics::get_by_date)
        .route::<GetCoupon, _, _, _>(get)
        .route::<UpdateCoupon, _, _, _>(update)
        .archive_endpoints::<ArchiveCoupon, UnarchiveCoupon, _, _, _>(&COUPON, commit_and_respond)
}

/// The translated names of coupons.
static TRANSLATED_NAMES: TextIndex = TextIndex::translations("owner_type = 'coupon' AND field = 'name'");

/// The SQL of a coupon's status at `@now`.
macro_rules! status {
    () => {
        "(CASE WHEN c.is_archived THEN 'archived' WHEN c.valid_to <= @now THEN 'completed' WHEN c.usage_limit = 0 THEN 'disabled'
  WHEN c.usages >= c.usage_limit THEN 'completed' WHEN c.valid_from > @now THEN 'scheduled' ELSE 'active' END)"
    };
}
use status;

/// All coupons, newest first.
pub static COUPONS: Table = Table::new(
    &panel_contract::lists::coupons::COUPONS,
    RowSource {
        base: "coupons",
        alias: "c",
        key: "c.id",
        joins: &[Join { alias: "u", sql: "LEFT JOIN users u ON u.id = c.affiliate_id" }],
        select: concat!(
        "c.id, c.name, c.code, c.displayable, c.payment_type, c.affiliate_id, u.email AS affiliate_email, c.min_amount, c.valid_from, c.valid_to, c.bonus_type,
  c.bonus_amount_calculation_type, c.bonus_ppm, c.bonus_amount, c.usage_limit, c.works_with_service_discount, c.works_with_user_custom_price,
  c.use_with_only_unpaid_orders, c.works_with_balance, c.received, c.spent, c.usages, c.is_archived, c.created_at, c.updated_at, ",
        status!(),
        " AS status"
    ),
        ..RowSource::NONE
    },
    &[
        base_column("name").text_index("c.id", &search_texts::COUPONS, "name"),
        expr("translated_name", ALL_NAMES),
        base_column("code").text_index("c.id", &search_texts::COUPONS, "code"),
        expr("affiliate", "u.email").join("u").text_index("c.affiliate_id", &search_texts::USERS, ""),
        expr("affiliate.id", "c.affiliate_id"),
        expr("affiliate.email", "u.email")
            .join("u")
            .text_index("c.affiliate_id", &search_texts::USERS, "email"),
        expr("bonus_fraction", "c.bonus_ppm"),
        expr("status", status!()),
        expr("is_all", "NOT c.is_archived").include_flag(),
    ],
)
.global_search(&[
    SearchTarget::new("c.id", &search_texts::COUPONS, "name").own_columns(&["c.name", "c.code"]),
    SearchTarget::new("c.id", &TRANSLATED_NAMES, "translated_name"),
    SearchTarget::new("c.affiliate_id", &search_texts::USERS, "affiliate"),
]);

/// The names of a coupon in all languages as one string, for the search.
const ALL_NAMES: &str = "(c.name || COALESCE((SELECT ' ' || string_agg(x.value, ' ') FROM translations x
  WHERE x.owner_type = 'coupon' AND x.owner_id = c.id AND x.field = 'name'), ''))";

/// A coupon as stored, with its status.
#[derive(Debug, sqlx::FromRow)]
pub struct StoredCoupon {
    id: CouponId,
    name: String,
    code: String,
    displayable: bool,
    payment_type: CouponPaymentType,
    affiliate_id: Option<UserId>,
    affiliate_email: Option<String>,
    min_amount: Money,
    valid_from: Time,
    valid_to: Option<Time>,
    bonus_type: CouponBonusType,
    bonus_amount_calculation_type: BonusCalculation,
    bonus_ppm: Option<Fraction>,
    bonus_amount: Option<Money>,
    usage_limit: Option<i64>,
    works_with_service_discount: bool,
    works_with_user_custom_price: bool,
    use_with_only_unpaid_orders: bool,
    works_with_balance: bool,
    received: Money,
    spent: Money,
    usages: i64,
    is_archived: bool,
    created_at: Time,
    updated_at: Timestamp,
    status: PromotionStatus,
}

impl StoredCoupon {
    fn into_row(self, scope: &Scope) -> CouponRow {
        let can_manage = scope.has_permission(Permission::ManageCoupons);
        let affiliate = self.affiliate_id.zip(self.affiliate_email);
        CouponRow {
            actions: ArchivableActions {
                editable: can_manage && rules::check_editable(self.is_archived).is_ok(),
                ..COUPON.allowed_actions(can_manage, self.is_archived, false)
            },
            id: self.id,
            name: self.name,
            code: self.code,
            displayable: self.displayable,
            payment_type: self.payment_type,
            affiliate: affiliate.map(|(id, email)| ReferralManager { id, email }),
            min_amount: self.min_amount,
            valid_from: self.valid_from,
            valid_to: self.valid_to,
            bonus_type: self.bonus_type,
            bonus_amount_calculation_type: self.bonus_amount_calculation_type,
            bonus_fraction: self.bonus_ppm,
            bonus_amount: self.bonus_amount,
            usage_limit: self.usage_limit,
            works_with_service_discount: self.works_with_service_discount,
            works_with_user_custom_price: self.works_with_user_custom_price,
            use_with_only_unpaid_orders: self.use_with_only_unpaid_orders,
            works_with_balance: self.works_with_balance,
            received: self.received,
            spent: self.spent,
            usages: self.usages,
            status: self.status,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

async fn get(ctx: Ctx, req: Req<GetCoupon>) -> Result<Data<Coupon>> {
    Ok(Data { data: store::load(&mut ctx.db(), &ctx, req.path).await? })
}

async fn list_collections(_ctx: Ctx, _req: Req<GetCouponCollections>) -> Result<Data<CouponCollections>> {
    let to_choice = |kind: &str, label: &str| Choice { kind: kind.to_owned(), label: label.to_owned() };
    let payment_type_choice = |kind: &CouponPaymentType| match kind {
        CouponPaymentType::Deposit => to_choice(kind.as_str(), "Payment to the balance"),
        CouponPaymentType::Order => to_choice(kind.as_str(), "Order"),
    };
    let bonus_type_choice = |kind: &CouponBonusType| match kind {
        CouponBonusType::Balance => to_choice(kind.as_str(), "Bonus to the balance"),
        CouponBonusType::Discount => to_choice(kind.as_str(), "Discount on the order"),
    };
    let calculation_choice = |kind: &BonusCalculation| match kind {
        BonusCalculation::Percent => to_choice(kind.as_str(), "Percent of the payment"),
        BonusCalculation::Fixed => to_choice(kind.as_str(), "Fixed amount"),
    };
    Ok(Data {
        data: CouponCollections {
            payment_types: CouponPaymentType::ALL.iter().map(payment_type_choice).collect(),
            coupons_bonus_types: CouponBonusType::ALL.iter().map(bonus_type_choice).collect(),
            bonus_amount_calculation_types: BonusCalculation::ALL.iter().map(calculation_choice).collect(),
        },
    })
}

async fn create(ctx: Ctx, req: Req<CreateCoupon>) -> Result<Data<Coupon>> {
    let (draft, errors) = CouponDraft::default().apply_input(&req.body);
    let mut field_errors = FieldErrorCollector::from(errors);
    let mut work = ctx.begin().await?;
    field_errors.collect(store::check_affiliate(&mut work, draft.affiliate_id).await)?;
    field_errors.collect(store::check_code(&mut work, &draft.code, None).await)?;
    field_errors.into_result(())?;
    let id = store::insert(&mut work, &draft).await?;
    record_change(&mut work, ChangeAction::Created, id, (&CouponDraft::default(), &draft)).await?;
    commit_and_respond(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateCoupon>) -> Result<Data<Coupon>> {
    let mut work = ctx.begin().await?;
    let (old_draft, locked_row) = store::lock(&mut work, req.path).await?;
    Error::check_not_stale("coupon", req.body.updated_at, locked_row.updated_at)?;
    rules::check_editable(locked_row.is_archived)?;
    let (new_draft, errors) = old_draft.clone().apply_input(&req.body);
    let mut field_errors = FieldErrorCollector::from(errors);
    if new_draft.affiliate_id != old_draft.affiliate_id {
        field_errors.collect(store::check_affiliate(&mut work, new_draft.affiliate_id).await)?;
    }
    field_errors.collect(store::check_code(&mut work, &new_draft.code, Some(req.path)).await)?;
    field_errors.into_result(())?;
    if new_draft != old_draft {
        store::update_row(&mut work, req.path, &new_draft).await?;
        record_change(&mut work, ChangeAction::Updated, req.path, (&old_draft, &new_draft)).await?;
    }
    commit_and_respond(work, req.path).await
}

async fn record_change(
    work: &mut UnitOfWork,
    action: ChangeAction,
    id: CouponId,
    (old_draft, new_draft): (&CouponDraft, &CouponDraft),
) -> Result<()> {
    let changed =
        ChangedRecord { action, model: ChangeModel::Coupon, id: id.as_record_id(), name: &new_draft.name };
    changes::record(work, changed, &json!(old_draft), &json!(new_draft)).await
}

async fn commit_and_respond(mut work: UnitOfWork, id: CouponId) -> Result<Data<Coupon>> {
    let scope = work.scope().clone();
    let data = store::load(&mut work, &scope, id).await?;
    work.finish(Data { data }).await
}
