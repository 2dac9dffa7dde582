//! Custom prices: a customer's own terms of a service. A price is what coming orders cost; placed ones keep theirs.

mod store;

use std::collections::{BTreeMap, HashSet};

use panel_contract::amount::{Fraction, Money};
use panel_contract::common::{Data, Named};
use panel_contract::endpoint::NoBody;
use panel_contract::endpoints::user_services::{
    CreateUserService, DeleteUserService, ListUserServices, SetUserServices, UpdateUserService,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{ServiceId, UserId, UserServiceId};
use panel_contract::moment::{Stamp, Time};
use panel_contract::user_services::{UserService, UserServicePatch, UserServiceTerms};
use panel_domain::users::erased;
use panel_kernel::error::{Error, Result};
use panel_kernel::wrong_fields::WrongFields;
use serde_json::json;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::staff::rank;
use crate::pricing::least_margin;
use panel_domain::least_margin::{NewPrice, OwnRatio};
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::db::{DbError, DbResult, Source, Sql, names};
use panel_platform::work::Work;

use panel_domain::user_services::{check, check_many, merge_many};

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.on::<ListUserServices, _, _, _>(list)
        .on::<CreateUserService, _, _, _>(create)
        .on::<SetUserServices, _, _, _>(set_many)
        .on::<UpdateUserService, _, _, _>(update)
        .on::<DeleteUserService, _, _, _>(delete)
}

async fn list(ctx: Ctx, req: Req<ListUserServices>) -> Result<Data<Vec<UserService>>> {
    let db = &mut ctx.db();
    if !user_exists(db, req.path).await? {
        return Err(Error::not_found("user", req.path));
    }
    Ok(Data { data: all(db, req.path).await? })
}

async fn create(ctx: Ctx, req: Req<CreateUserService>) -> Result<Data<UserService>> {
    let (user, input) = (req.path, &req.body);
    let mut wrong = WrongFields::default();
    wrong.note(check(&input.terms()))?;
    let mut work = ctx.begin().await?;
    rank::lock_user(&mut work, user).await?;
    wrong.note(unknown(&mut work, &[input.service_id], |_| "service_id".to_owned()).await)?;
    wrong.or(())?;
    let new = own_price(&mut work, "default_price", input.service_id, &input.terms()).await?;
    let below = check_margin(&mut work, new.as_slice(), input.confirm_below_margin).await?;
    let id = store::insert(&mut work, user, input, !below.is_empty()).await.map_err(taken)?;
    audited(&mut work, "user.price_created", user, json!({}), json!(input)).await?;
    let data = find(&mut work, user, id).await?;
    work.finish(Data { data }).await
}

async fn set_many(ctx: Ctx, req: Req<SetUserServices>) -> Result<Data<Vec<UserService>>> {
    let (user, prices) = (req.path, &req.body.user_services);
    let mut wrong = WrongFields::default();
    wrong.note(check_many(prices))?;
    let mut work = ctx.begin().await?;
    rank::lock_user(&mut work, user).await?;
    let ids: Vec<ServiceId> = prices.iter().map(|price| price.service_id).collect();
    wrong.note(unknown(&mut work, &ids, |at| format!("user_services.{at}.service_id")).await)?;
    let old = before(&mut work, user, &ids).await?;
    let lowest = old.iter().map(|row| (row.service_id, row.min_price)).collect();
    let rows = wrong.note(merge_many(prices, &lowest))?;
    let rows = wrong.or(rows.unwrap_or_default())?;
    let sold = sold(&mut work, &ids).await?;
    let ratios = least_margin::own_ratios(&mut work, user, &ids).await?;
    let new = rows.iter().enumerate().map(|(at, row)| NewPrice {
        field: format!("user_services.{at}.default_price"),
        service_id: row.service_id,
        price: row.default_price,
        pricing_per: sold.get(&row.service_id).map_or(1, |sold| sold.1),
        ratio: ratios.get(&row.service_id).copied(),
    });
    let new: Vec<NewPrice> = new.collect();
    let below = check_margin(&mut work, &new, req.body.confirm_below_margin).await?;
    store::upsert(&mut work, user, &rows, &below).await?;
    let before: Vec<_> = old.iter().map(Row::audited).collect();
    audited(&mut work, "user.prices_set", user, json!({ "user_services": before }), json!(req.body)).await?;
    let data = all(&mut work, user).await?;
    work.finish(Data { data }).await
}

async fn update(ctx: Ctx, req: Req<UpdateUserService>) -> Result<Data<UserService>> {
    let (user, id) = req.path;
    let mut work = ctx.begin().await?;
    rank::lock_user(&mut work, user).await?;
    let old = find(&mut work, user, id).await?;
    let mut wrong = WrongFields::default();
    wrong.note(judge_update(&old, &req.body))?;
    let terms = req.body.over(&old.terms);
    wrong.note(check(&terms))?;
    wrong.or(())?;
    let mut confirmed = old.below_margin_confirmed;
    if let Some(field) = earns_less_by(&old.terms, &terms) {
        let new = own_price(&mut work, field, old.service_id, &terms).await?;
        confirmed = !check_margin(&mut work, new.as_slice(), req.body.confirm_below_margin).await?.is_empty();
    }
    if terms != old.terms || confirmed != old.below_margin_confirmed {
        store::write(&mut work, id, &terms, confirmed).await?;
        let (before, after) = (audited_terms(&old.terms, &old), audited_terms(&terms, &old));
        audited(&mut work, "user.price_updated", user, before, after).await?;
    }
    let data = find(&mut work, user, id).await?;
    work.finish(Data { data }).await
}

async fn delete(ctx: Ctx, req: Req<DeleteUserService>) -> Result<NoBody> {
    let (user, id) = req.path;
    let mut work = ctx.begin().await?;
    rank::lock_user(&mut work, user).await?;
    let old = find(&mut work, user, id).await?;
    store::remove(&mut work, id).await?;
    audited(&mut work, "user.price_deleted", user, audited_terms(&old.terms, &old), json!({})).await?;
    work.finish(NoBody {}).await
}

fn audited_terms(terms: &UserServiceTerms, price: &UserService) -> serde_json::Value {
    let mut value = json!(terms);
    value["service_id"] = json!(price.service_id);
    value
}

async fn audited(
    work: &mut Work,
    event: &str,
    user: UserId,
    old: serde_json::Value,
    new: serde_json::Value,
) -> Result<()> {
    audit::record(work, event, "user", Change { id: user.record(), old, new }).await
}

fn taken(error: DbError) -> Error {
    match error.is_unique() {
        true => Error::invalid(
            "service_id",
            "price_exists",
            "This customer has a price for the service already; change that one.",
        ),
        false => error.into(),
    }
}

// Rules

/// Whether `input` may change `old`, which its editor may have read before another change.
fn judge_update(old: &UserService, input: &UserServicePatch) -> Result<()> {
    if input.service_id.is_some_and(|service| service != old.service_id) {
        let message = format!("This is the price of service {}; add one for another.", old.service_id);
        return Err(Error::invalid("service_id", "service_is_fixed", message));
    }
    Error::unless_newest("price", input.updated_at, old.updated_at)
}

/// The field by which orders of the customer may earn less.
fn earns_less_by(old: &UserServiceTerms, new: &UserServiceTerms) -> Option<&'static str> {
    let ratio = |of: &UserServiceTerms| (of.order_quantity_ratio, of.max_order_quantity_for_use_throttle);
    if new.default_price != old.default_price {
        return Some("default_price");
    }
    (ratio(new) != ratio(old)).then_some("order_quantity_ratio")
}

#[derive(sqlx::FromRow)]
struct Row {
    id: UserServiceId,
    service_id: ServiceId,
    service_name: String,
    service_price: Money,
    pricing_per: i64,
    min_price: Option<Money>,
    default_price: Option<Money>,
    auto_refill_is_allowed: bool,
    auto_refill_once_fill_ppm: Option<Fraction>,
    auto_refill_min_drop_ppm: Option<Fraction>,
    auto_refill_max_drop_ppm: Option<Fraction>,
    auto_refill_max_total_refilled_ppm: Option<Fraction>,
    max_order_quantity_for_use_throttle: Option<i64>,
    order_quantity_ratio_ppm: Option<Fraction>,
    has_refill: bool,
    below_margin_confirmed: bool,
    updated_at: Stamp,
}

impl Row {
    fn audited(&self) -> serde_json::Value {
        json!({ "service_id": self.service_id, "default_price": self.default_price, "min_price": self.min_price })
    }

    fn shown(self) -> UserService {
        UserService {
            id: self.id,
            service_id: self.service_id,
            service: Named { id: self.service_id, name: self.service_name },
            service_default_price: self.service_price,
            pricing_per: self.pricing_per,
            terms: UserServiceTerms {
                min_price: self.min_price,
                default_price: self.default_price,
                auto_refill_is_allowed: self.auto_refill_is_allowed,
                auto_refill_once_fill_percent: self.auto_refill_once_fill_ppm,
                auto_refill_min_drop_percent: self.auto_refill_min_drop_ppm,
                auto_refill_max_drop_percent: self.auto_refill_max_drop_ppm,
                auto_refill_max_total_refilled_percent: self.auto_refill_max_total_refilled_ppm,
                max_order_quantity_for_use_throttle: self.max_order_quantity_for_use_throttle,
                order_quantity_ratio: self.order_quantity_ratio_ppm,
                has_refill: self.has_refill,
            },
            below_margin_confirmed: self.below_margin_confirmed,
            updated_at: self.updated_at,
        }
    }
}

// Store

const SELECT: &str = "SELECT p.id, p.service_id, s.name AS service_name, s.default_price AS service_price, s.pricing_per, p.min_price, p.default_price,
  p.auto_refill_is_allowed, p.auto_refill_once_fill_ppm, p.auto_refill_min_drop_ppm, p.auto_refill_max_drop_ppm,
  p.auto_refill_max_total_refilled_ppm, p.max_order_quantity_for_use_throttle, p.order_quantity_ratio_ppm, p.has_refill, p.below_margin_confirmed, p.updated_at
  FROM user_services p JOIN services s ON s.id = p.service_id WHERE p.user_id = ?";

/// Whether there is such a user.
pub async fn user_exists(db: &mut impl Source, id: UserId) -> DbResult<bool> {
    Ok(names::one(db, "users", id).await?.is_some())
}

/// Holds a user until the work ends, so that what hangs on them is changed by one at a time.
pub async fn lock_user(work: &mut Work, id: UserId) -> Result<()> {
    match lock_account(work, id).await? {
        None => Ok(()),
        Some(_) => Err(erased().into()),
    }
}

/// The same, also where the account was erased: since when.
pub async fn lock_account(work: &mut Work, id: UserId) -> Result<Option<Time>> {
    let sql = Sql::new("SELECT erasure_requested_at FROM users WHERE id = ?").bind(id).for_update();
    let row: Option<(Option<Time>,)> = work.opt(sql).await?;
    row.map(|(erased,)| erased).ok_or_else(|| Error::not_found("user", id))
}

async fn all(db: &mut impl Source, user: UserId) -> Result<Vec<UserService>> {
    let sql = Sql::new(SELECT).bind(user).push(" ORDER BY s.name, p.id");
    Ok(db.all::<Row>(sql).await?.into_iter().map(Row::shown).collect())
}

async fn find(work: &mut Work, user: UserId, id: UserServiceId) -> Result<UserService> {
    let sql = Sql::new(SELECT).bind(user).push(" AND p.id = ?").bind(id);
    let row: Option<Row> = work.opt(sql).await?;
    row.map(Row::shown).ok_or_else(|| Error::not_found("custom price", id))
}

/// The prices of these services before a bulk call: service, price, lowest price.
async fn before(work: &mut Work, user: UserId, ids: &[ServiceId]) -> Result<Vec<Row>> {
    let sql = Sql::new(SELECT).bind(user).push(" AND p.service_id IN ").ids(ids).push(" ORDER BY p.id");
    Ok(work.all(sql).await?)
}

/// Refuses services that are not there, each at its field.
async fn unknown(work: &mut Work, ids: &[ServiceId], field: impl Fn(usize) -> String) -> Result<()> {
    let known = names::of(work, "services", ids).await?;
    let mut errors = FieldErrors::default();
    for (at, id) in ids.iter().enumerate().filter(|(_, id)| !known.contains_key(id)) {
        errors.add(field(at), format!("There is no service {id}; choose one."));
    }
    Ok(errors.or(())?)
}

/// What these services are sold at, and for how many units.
async fn sold(work: &mut Work, ids: &[ServiceId]) -> Result<BTreeMap<ServiceId, (Money, i64)>> {
    let sql = Sql::new("SELECT id, default_price, pricing_per FROM services WHERE id IN ").ids(ids);
    let rows: Vec<(ServiceId, Money, i64)> = work.all(sql).await?;
    Ok(rows.into_iter().map(|(id, price, per)| (id, (price, per))).collect())
}

/// What the customer will pay, as the least margin judges it; none where they pay and cost as all customers do.
async fn own_price(
    work: &mut Work,
    field: &str,
    service_id: ServiceId,
    terms: &UserServiceTerms,
) -> Result<Option<NewPrice>> {
    let ratio = OwnRatio::of(terms.order_quantity_ratio, terms.max_order_quantity_for_use_throttle);
    if terms.default_price.is_none() && ratio.is_none() {
        return Ok(None);
    }
    let field = if terms.default_price.is_some() { field } else { "order_quantity_ratio" };
    let sold = sold(work, &[service_id]).await?.remove(&service_id);
    Ok(sold.map(|(default_price, pricing_per)| NewPrice {
        field: field.to_owned(),
        service_id,
        price: terms.default_price.unwrap_or(default_price),
        pricing_per,
        ratio,
    }))
}

/// Services whose new prices are below the lowest and were confirmed; an unconfirmed one is refused.
async fn check_margin(work: &mut Work, new: &[NewPrice], is_confirmed: bool) -> Result<HashSet<ServiceId>> {
    let ids: Vec<ServiceId> = new.iter().map(|new| new.service_id).collect();
    let lowest = least_margin::of_services(work, &ids).await?;
    least_margin::check_against(work, new, &lowest, is_confirmed).await?;
    let below = new.iter().filter(|new| new.is_below(&lowest));
    Ok(below.map(|new| new.service_id).collect())
}
