//! The reseller API v2: what customers' programs and other panels speak. Fields come in any coat, ids go out as numbers,
//! and what goes wrong is 200 with `{"error": "…"}`, because the public clients of this API read nothing else.
//!
//! A customer is known by their key alone; nothing here may touch what belongs to another one. Two questions need no key:
//! whether this is a panel of this product, and whether it hands out an account.

mod account;
mod add;
mod change;
mod customer;
mod parameters;
mod read;
mod subscribe;
mod texts;
mod whole_drip_feed;
mod words;

use customer::{Customer, NOTED_EVERY, customer_of, note_use};

use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use panel_contract::endpoints::intake::CallReseller;
use panel_contract::intake::ResellerCall;
use panel_contract::users::UserStatus;
use panel_kernel::error::{Error, Result};
use serde_json::{Value, json};

use crate::auth::sessions;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::http::reply;
use panel_platform::db::sql::hex;

// Routes

/// Adds the endpoint.
pub fn routes(api: Api) -> Api {
    // Its callers read nothing but `error`.
    api.raw_with_errors::<CallReseller, _, _>(call, error_answer)
}

async fn call(ctx: Ctx, req: Req<CallReseller>) -> Result<Response> {
    // A repeated key of a stranger must not answer with another customer's order.
    let ctx = ctx.once();
    match answer(&ctx, &req.body).await {
        Ok(said) => reply::json(StatusCode::OK, serde_json::to_vec(&said)),
        Err(Error::Rejected(rejection)) if rejection.retry_after_secs.is_some() => {
            let wait = rejection.retry_after_secs.unwrap_or(1).to_string();
            let body = serde_json::to_vec(&json!({ "error": rejection.message }));
            let status = crate::http::error::status(rejection.kind);
            Ok((status, [("retry-after", wait)], reply::json(status, body)?).into_response())
        }
        Err(Error::Rejected(rejection)) => {
            reply::json(StatusCode::OK, serde_json::to_vec(&json!({ "error": words::sentence(&rejection) })))
        }
        // `error_answer` makes the answer, after another try where that may succeed.
        Err(error) => Err(error),
    }
}

/// What a caller hears of a call that the panel could not do: its sentence as `error`, with the HTTP status and when to
/// call again. An order whose outcome is unknown must not be sent again by a program that only follows `Retry-After`.
pub fn error_answer(error: Error, request_id: &str) -> Response {
    let is_unknown = error.is_unknown_outcome();
    let mut rejection = error.report(request_id);
    if is_unknown {
        rejection.retry_after_secs = None;
        "The panel's database went away while this was saved, so it may have been done. Look before you send it again."
            .clone_into(&mut rejection.message);
    }
    let sentence = rejection.message.clone();
    crate::http::error::rejection_response(rejection, request_id, Some(sentence))
}

async fn answer(ctx: &Ctx, call: &ResellerCall) -> Result<Value> {
    match words::field(call, "action") {
        "panel" => return account::about(ctx).await,
        "create_account" => return account::create(ctx, call).await,
        _ => {}
    }
    let customer = admit(ctx, call).await?;
    // What the customer's program does is theirs in the audit trail.
    let ctx = &ctx.clone().acting_as(customer.id);
    match words::field(call, "action") {
        "services" => read::services(ctx, &customer, call).await,
        "balance" => read::balance(ctx, &customer).await,
        "status" => read::status(ctx, &customer, call).await,
        "refill_status" => read::refill_status(ctx, &customer, call).await,
        "order_widget" => read::order_widget(ctx, call).await,
        "add" => add::add(ctx, &customer, call).await,
        "refill" => change::refill(ctx, &customer, call).await,
        "cancel" => change::cancel(ctx, &customer, call).await,
        _ => Err(words::refused("Incorrect request")),
    }
}

/// The customer of the key; a wrong key, a removed one and a deactivated customer's sound the same.
async fn admit(ctx: &Ctx, call: &ResellerCall) -> Result<Customer> {
    let hash = sessions::hash(words::field(call, "key"));
    if let Err(wait) = ctx.app.rates.of_caller(&hex(&hash)) {
        return Err(Error::throttled(wait.wait_secs));
    }
    let customer = customer_of(&mut ctx.db(), hash).await?;
    let customer = customer
        .filter(|customer| customer.status != UserStatus::Deactivated)
        .ok_or_else(|| words::refused("Invalid API key"))?;
    if customer.last_used_at.is_none_or(|at| at.after(NOTED_EVERY) <= ctx.now()) {
        note_use(&ctx.clone().acting_as(customer.id), customer.id).await?;
    }
    Ok(customer)
}

// Store
