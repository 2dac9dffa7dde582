//! The reseller API v2, which programs of customers and other panels use. It accepts fields as a form, as JSON or in the query. It
//! returns ids as numbers, and errors with the status 200 and the body `{"error": "…"}`, because the public clients of this API
//! read only the body.
//!
//! The API key identifies the customer, and a request must never read or change data of another customer. Two actions need no key:
//! `panel` (information about this panel) and `create_account`.

mod account;
mod add;
mod change;
mod customer;
mod parameters;
mod protocol;
mod read;
mod subscribe;
mod texts;
mod whole_drip_feed;

use customer::{Customer, KEY_USE_INTERVAL, find_by_key_hash, record_key_use};

use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use panel_contract::endpoints::order_requests::CallReseller;
use panel_contract::order_requests::ResellerRequest;
use panel_contract::users::UserStatus;
use panel_kernel::error::{Error, Result};
use serde_json::{Value, json};

use crate::auth::sessions;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::http::typed_response;
use panel_platform::db::sql::hex;

// Routes

pub fn routes(api: Api) -> Api {
    // Clients of this API read only the field `error` of an error.
    api.route_with_error_format::<CallReseller, _, _>(call, error_response)
}

async fn call(ctx: Ctx, req: Req<CallReseller>) -> Result<Response> {
    // Idempotency keys are ignored, because a key that another customer has used must not return the order of this customer.
    let ctx = ctx.without_replay_and_dry_run();
    match run_action(&ctx, &req.body).await {
        Ok(response) => typed_response::json_response(StatusCode::OK, serde_json::to_vec(&response)),
        Err(Error::Rejected(rejection)) if rejection.retry_after_secs.is_some() => {
            let retry_after = rejection.retry_after_secs.unwrap_or(1).to_string();
            let body = serde_json::to_vec(&json!({ "error": rejection.message }));
            let status = crate::http::error::status_code(rejection.kind);
            Ok((status, [("retry-after", retry_after)], typed_response::json_response(status, body)?)
                .into_response())
        }
        Err(Error::Rejected(rejection)) => typed_response::json_response(
            StatusCode::OK,
            serde_json::to_vec(&json!({ "error": protocol::rejection_message(&rejection) })),
        ),
        // The server may retry the request; if it fails again, `error_response` builds the response.
        Err(error) => Err(error),
    }
}

/// Builds the response to a failed request: the message as `error`, the HTTP status and `Retry-After`. If the outcome is unknown,
/// `Retry-After` is omitted, because a program that follows it would place the order a second time.
pub fn error_response(error: Error, request_id: &str) -> Response {
    let is_unknown = error.is_unknown_outcome();
    let mut rejection = error.report(request_id);
    if is_unknown {
        rejection.retry_after_secs = None;
        "The connection to the database was lost during the commit, so the outcome is unknown. Check it before you send the call again."
            .clone_into(&mut rejection.message);
    }
    let message = rejection.message.clone();
    crate::http::error::rejection_response(rejection, request_id, Some(message))
}

async fn run_action(ctx: &Ctx, call: &ResellerRequest) -> Result<Value> {
    match protocol::field(call, "action") {
        "panel" => return account::load_panel_info(ctx).await,
        "create_account" => return account::create_account(ctx, call).await,
        _ => {}
    }
    let customer = authenticate(ctx, call).await?;
    // The audit trail names the customer as the actor.
    let ctx = &ctx.clone().acting_as(customer.id);
    match protocol::field(call, "action") {
        "services" => read::list_services(ctx, &customer, call).await,
        "balance" => read::load_balance(ctx, &customer).await,
        "status" => read::load_statuses(ctx, &customer, call).await,
        "refill_status" => read::load_refill_statuses(ctx, &customer, call).await,
        "order_widget" => read::load_order_widget(ctx, call).await,
        "add" => add::add(ctx, &customer, call).await,
        "refill" => change::refill(ctx, &customer, call).await,
        "cancel" => change::cancel(ctx, &customer, call).await,
        _ => Err(protocol::reseller_error("Incorrect request")),
    }
}

/// Finds the customer of the key. A wrong key, a removed key and the key of a deactivated customer get the same error.
async fn authenticate(ctx: &Ctx, call: &ResellerRequest) -> Result<Customer> {
    let hash = sessions::hash(protocol::field(call, "key"));
    if let Err(throttled) = ctx.app.request_rates.check_caller(&hex(&hash)) {
        return Err(Error::throttled(throttled.wait_secs));
    }
    let customer = find_by_key_hash(&mut ctx.db(), hash).await?;
    let customer = customer
        .filter(|customer| customer.status != UserStatus::Deactivated)
        .ok_or_else(|| protocol::reseller_error("Invalid API key"))?;
    if customer.last_used_at.is_none_or(|last_used_at| last_used_at.plus(KEY_USE_INTERVAL) <= ctx.now()) {
        record_key_use(&ctx.clone().acting_as(customer.id), customer.id).await?;
    }
    Ok(customer)
}
