//! Endpoints for custom prices, the terms of a service for one customer. They apply to future orders; existing orders keep their
//! price.

mod store;

use std::collections::{BTreeMap, HashSet};

use panel_contract::amount::{Fraction, Money};
use panel_contract::common::{Data, NamedRef};
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::user_services::{
    CreateUserService, DeleteUserService, ListUserServices, SetUserServices, UpdateUserService,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{ServiceId, UserId, UserServiceId};
use panel_contract::moment::{Time, Timestamp};
use panel_contract::user_services::{UserService, UserServicePatch, UserServiceTerms};
use panel_domain::users::erased_rejection;
use panel_kernel::error::{Error, Result};
use panel_kernel::field_error_collector::FieldErrorCollector;
use serde_json::json;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::staff::rank;
use crate::pricing::minimum_margin;
use panel_domain::minimum_margin::{CustomerRatio, NewPrice};
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{DbError, DbResult, Sql, SqlExecutor, names};
use panel_platform::work::UnitOfWork;

use panel_domain::user_services::{check_bulk_prices, check_terms, merge_prices};

// Routes

pub fn routes(api: Api) -> Api {
    api.route::<ListUserServices, _, _, _>(list_custom_prices)
        .route::<CreateUserService, _, _, _>(create_custom_price)
        .route::<SetUserServices, _, _, _>(set_custom_prices)
        .route::<UpdateUserService, _, _, _>(update_custom_price)
        .route::<DeleteUserService, _, _, _>(delete_custom_price)
}

async fn list_custom_prices(ctx: Ctx, req: Req<ListUserServices>) -> Result<Data<Vec<UserService>>> {
    let db = &mut ctx.db();
    if !user_exists(db, req.path).await? {
        return Err(Error::not_found("user", req.path));
    }
    Ok(Data { data: load_prices(db, req.path).await? })
}

async fn create_custom_price(ctx: Ctx, req: Req<CreateUserService>) -> Result<Data<UserService>> {
    let (user_id, input) = (req.path, &req.body);
    let mut field_errors = FieldErrorCollector::default();
    field_errors.collect(check_terms(&input.terms()))?;
    let mut work = ctx.begin().await?;
    rank::lock_user(&mut work, user_id).await?;
    field_errors
        .collect(check_services(&mut work, &[input.service_id], |_| "service_id".to_owned()).await)?;
    field_errors.into_result(())?;
    let new_price = load_new_price(&mut work, "default_price", input.service_id, &input.terms()).await?;
    let services_below_margin =
        check_margin(&mut work, new_price.as_slice(), input.confirm_below_margin).await?;
    let id = store::insert(&mut work, user_id, input, !services_below_margin.is_empty())
        .await
        .map_err(price_exists_error)?;
    record_audit(&mut work, "user.price_created", user_id, json!({}), json!(input)).await?;
    let data = load_price(&mut work, user_id, id).await?;
    work.finish(Data { data }).await
}

async fn set_custom_prices(ctx: Ctx, req: Req<SetUserServices>) -> Result<Data<Vec<UserService>>> {
    let (user_id, prices) = (req.path, &req.body.user_services);
    let mut field_errors = FieldErrorCollector::default();
    field_errors.collect(check_bulk_prices(prices))?;
    let mut work = ctx.begin().await?;
    rank::lock_user(&mut work, user_id).await?;
    let ids: Vec<ServiceId> = prices.iter().map(|price| price.service_id).collect();
    field_errors.collect(
        check_services(&mut work, &ids, |index| format!("user_services.{index}.service_id")).await,
    )?;
    let old_rows = load_prices_of_services(&mut work, user_id, &ids).await?;
    let min_prices = old_rows.iter().map(|row| (row.service_id, row.min_price)).collect();
    let rows = field_errors.collect(merge_prices(prices, &min_prices))?;
    let rows = field_errors.into_result(rows.unwrap_or_default())?;
    let sale_terms = load_sale_terms(&mut work, &ids).await?;
    let ratios = minimum_margin::load_customer_ratios(&mut work, user_id, &ids).await?;
    let new_prices = rows.iter().enumerate().map(|(index, row)| NewPrice {
        field: format!("user_services.{index}.default_price"),
        service_id: row.service_id,
        price: row.default_price,
        pricing_per: sale_terms.get(&row.service_id).map_or(1, |(_, pricing_per)| *pricing_per),
        ratio: ratios.get(&row.service_id).copied(),
    });
    let new_prices: Vec<NewPrice> = new_prices.collect();
    let services_below_margin = check_margin(&mut work, &new_prices, req.body.confirm_below_margin).await?;
    store::upsert(&mut work, user_id, &rows, &services_below_margin).await?;
    let old_values: Vec<_> = old_rows.iter().map(UserServiceRow::audit_values).collect();
    record_audit(
        &mut work,
        "user.prices_set",
        user_id,
        json!({ "user_services": old_values }),
        json!(req.body),
    )
    .await?;
    let data = load_prices(&mut work, user_id).await?;
    work.finish(Data { data }).await
}

async fn update_custom_price(ctx: Ctx, req: Req<UpdateUserService>) -> Result<Data<UserService>> {
    let (user_id, id) = req.path;
    let mut work = ctx.begin().await?;
    rank::lock_user(&mut work, user_id).await?;
    let old_price = load_price(&mut work, user_id, id).await?;
    let mut field_errors = FieldErrorCollector::default();
    field_errors.collect(check_update(&old_price, &req.body))?;
    let terms = req.body.apply_to(&old_price.terms);
    field_errors.collect(check_terms(&terms))?;
    field_errors.into_result(())?;
    let mut is_confirmed = old_price.below_margin_confirmed;
    if let Some(field) = field_that_lowers_margin(&old_price.terms, &terms) {
        let new_price = load_new_price(&mut work, field, old_price.service_id, &terms).await?;
        is_confirmed =
            !check_margin(&mut work, new_price.as_slice(), req.body.confirm_below_margin).await?.is_empty();
    }
    if terms != old_price.terms || is_confirmed != old_price.below_margin_confirmed {
        store::update_row(&mut work, id, &terms, is_confirmed).await?;
        let (old_values, new_values) =
            (terms_for_audit(&old_price.terms, &old_price), terms_for_audit(&terms, &old_price));
        record_audit(&mut work, "user.price_updated", user_id, old_values, new_values).await?;
    }
    let data = load_price(&mut work, user_id, id).await?;
    work.finish(Data { data }).await
}

async fn delete_custom_price(ctx: Ctx, req: Req<DeleteUserService>) -> Result<EmptyBody> {
    let (user_id, id) = req.path;
    let mut work = ctx.begin().await?;
    rank::lock_user(&mut work, user_id).await?;
    let old_price = load_price(&mut work, user_id, id).await?;
    store::remove(&mut work, id).await?;
    record_audit(
        &mut work,
        "user.price_deleted",
        user_id,
        terms_for_audit(&old_price.terms, &old_price),
        json!({}),
    )
    .await?;
    work.finish(EmptyBody {}).await
}

fn terms_for_audit(terms: &UserServiceTerms, price: &UserService) -> serde_json::Value {
    let mut value = json!(terms);
    value["service_id"] = json!(price.service_id);
    value
}

async fn record_audit(
    work: &mut UnitOfWork,
    event: &str,
    user_id: UserId,
    old: serde_json::Value,
    new: serde_json::Value,
) -> Result<()> {
    audit::record(work, event, "user", AuditChange { id: user_id.as_record_id(), old, new }).await
}

fn price_exists_error(error: DbError) -> Error {
    match error.is_unique() {
        true => Error::invalid(
            "service_id",
            "price_exists",
            "This customer already has a price for the service. Change that price instead.",
        ),
        false => error.into(),
    }
}

// Rules

/// Rejects an update that changes the service of a price, or that is based on an older version of the price.
fn check_update(price: &UserService, input: &UserServicePatch) -> Result<()> {
    if input.service_id.is_some_and(|service_id| service_id != price.service_id) {
        let message = format!(
            "This price belongs to service {}. Add a new price for another service.",
            price.service_id
        );
        return Err(Error::invalid("service_id", "service_is_fixed", message));
    }
    Error::check_not_stale("price", input.updated_at, price.updated_at)
}

/// Returns the changed field that can lower the margin of the customer's orders; `None` if there is no such field.
fn field_that_lowers_margin(old: &UserServiceTerms, new: &UserServiceTerms) -> Option<&'static str> {
    let ratio_terms =
        |terms: &UserServiceTerms| (terms.order_quantity_ratio, terms.max_order_quantity_for_use_throttle);
    if new.default_price != old.default_price {
        return Some("default_price");
    }
    (ratio_terms(new) != ratio_terms(old)).then_some("order_quantity_ratio")
}

#[derive(sqlx::FromRow)]
struct UserServiceRow {
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
    updated_at: Timestamp,
}

impl UserServiceRow {
    fn audit_values(&self) -> serde_json::Value {
        json!({ "service_id": self.service_id, "default_price": self.default_price, "min_price": self.min_price })
    }

    fn into_response(self) -> UserService {
        UserService {
            id: self.id,
            service_id: self.service_id,
            service: NamedRef { id: self.service_id, name: self.service_name },
            service_default_price: self.service_price,
            pricing_per: self.pricing_per,
            terms: UserServiceTerms {
                min_price: self.min_price,
                default_price: self.default_price,
                auto_refill_is_allowed: self.auto_refill_is_allowed,
                auto_refill_once_fill_fraction: self.auto_refill_once_fill_ppm,
                auto_refill_min_drop_fraction: self.auto_refill_min_drop_ppm,
                auto_refill_max_drop_fraction: self.auto_refill_max_drop_ppm,
                auto_refill_max_total_refilled_fraction: self.auto_refill_max_total_refilled_ppm,
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

pub async fn user_exists(db: &mut impl SqlExecutor, id: UserId) -> DbResult<bool> {
    Ok(names::load_name(db, "users", id).await?.is_some())
}

/// Locks a user until the transaction ends, so that only one request at a time changes the records of the user.
pub async fn lock_user(work: &mut UnitOfWork, id: UserId) -> Result<()> {
    match lock_account(work, id).await? {
        None => Ok(()),
        Some(_) => Err(erased_rejection().into()),
    }
}

/// Like [`lock_user`], but also locks an erased account. Returns the time at which the erasure was requested; `None` for other
/// accounts.
pub async fn lock_account(work: &mut UnitOfWork, id: UserId) -> Result<Option<Time>> {
    let sql = Sql::new("SELECT erasure_requested_at FROM users WHERE id = ?").bind(id).for_update();
    let row: Option<(Option<Time>,)> = work.fetch_optional(sql).await?;
    row.map(|(requested_at,)| requested_at).ok_or_else(|| Error::not_found("user", id))
}

async fn load_prices(db: &mut impl SqlExecutor, user_id: UserId) -> Result<Vec<UserService>> {
    let sql = Sql::new(SELECT).bind(user_id).push(" ORDER BY s.name, p.id");
    Ok(db.fetch_all::<UserServiceRow>(sql).await?.into_iter().map(UserServiceRow::into_response).collect())
}

async fn load_price(work: &mut UnitOfWork, user_id: UserId, id: UserServiceId) -> Result<UserService> {
    let sql = Sql::new(SELECT).bind(user_id).push(" AND p.id = ?").bind(id);
    let row: Option<UserServiceRow> = work.fetch_optional(sql).await?;
    row.map(UserServiceRow::into_response).ok_or_else(|| Error::not_found("custom price", id))
}

async fn load_prices_of_services(
    work: &mut UnitOfWork,
    user_id: UserId,
    ids: &[ServiceId],
) -> Result<Vec<UserServiceRow>> {
    let sql = Sql::new(SELECT).bind(user_id).push(" AND p.service_id IN ").ids(ids).push(" ORDER BY p.id");
    Ok(work.fetch_all(sql).await?)
}

/// Rejects services that do not exist. `field_name` returns the name of the field that holds the id at an index.
async fn check_services(
    work: &mut UnitOfWork,
    ids: &[ServiceId],
    field_name: impl Fn(usize) -> String,
) -> Result<()> {
    let existing_names = names::load_names(work, "services", ids).await?;
    let mut errors = FieldErrors::default();
    for (index, id) in ids.iter().enumerate().filter(|(_, id)| !existing_names.contains_key(id)) {
        errors.add(field_name(index), format!("There is no service {id}. Choose another service."));
    }
    Ok(errors.into_result(())?)
}

/// Loads for each service the default price, and the number of units that this price covers.
async fn load_sale_terms(
    work: &mut UnitOfWork,
    ids: &[ServiceId],
) -> Result<BTreeMap<ServiceId, (Money, i64)>> {
    let sql = Sql::new("SELECT id, default_price, pricing_per FROM services WHERE id IN ").ids(ids);
    let rows: Vec<(ServiceId, Money, i64)> = work.fetch_all(sql).await?;
    Ok(rows.into_iter().map(|(id, price, pricing_per)| (id, (price, pricing_per))).collect())
}

/// Returns the new price for the margin check; `None` if the price and the ratio are the same as for all customers.
async fn load_new_price(
    work: &mut UnitOfWork,
    field: &str,
    service_id: ServiceId,
    terms: &UserServiceTerms,
) -> Result<Option<NewPrice>> {
    let ratio =
        CustomerRatio::from_options(terms.order_quantity_ratio, terms.max_order_quantity_for_use_throttle);
    if terms.default_price.is_none() && ratio.is_none() {
        return Ok(None);
    }
    let field = if terms.default_price.is_some() { field } else { "order_quantity_ratio" };
    let sale_terms = load_sale_terms(work, &[service_id]).await?.remove(&service_id);
    Ok(sale_terms.map(|(default_price, pricing_per)| NewPrice {
        field: field.to_owned(),
        service_id,
        price: terms.default_price.unwrap_or(default_price),
        pricing_per,
        ratio,
    }))
}

/// Returns the services whose new price is below the lowest price. Rejects such prices unless staff have confirmed them
/// (`is_confirmed`).
async fn check_margin(
    work: &mut UnitOfWork,
    new_prices: &[NewPrice],
    is_confirmed: bool,
) -> Result<HashSet<ServiceId>> {
    let ids: Vec<ServiceId> = new_prices.iter().map(|price| price.service_id).collect();
    let lowest_prices = minimum_margin::load_lowest_prices(work, &ids).await?;
    minimum_margin::check_prices_against(work, new_prices, &lowest_prices, is_confirmed).await?;
    let services_below_margin = new_prices.iter().filter(|price| price.is_below(&lowest_prices));
    Ok(services_below_margin.map(|price| price.service_id).collect())
}
