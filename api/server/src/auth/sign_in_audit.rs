//! Writes audit entries for sign-ins, sign-outs, failed sign-ins and the use of API keys. The number of entries that unauthenticated
//! callers can cause is limited: per [`FAILURE_WINDOW`], the failures of one account from one network cause one entry, and the failures
//! of all unknown accounts cause at most [`UNKNOWN_ACCOUNT_BUCKETS`] entries. The use of an API key causes one entry per day and network.
//! An entry never contains input of the caller.

use std::net::IpAddr;
use std::time::Duration;

use panel_contract::ids::{RecordId, UserId};
use panel_contract::moment::DAY;
use panel_kernel::error::Result;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::auth::store::throttle::is_first_in_window;
use crate::context::Ctx;
use panel_kernel::client_network::client_network;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::work::UnitOfWork;

/// Within this time, the failures of an account from one network cause one audit entry.
const FAILURE_WINDOW: Duration = Duration::from_mins(10);
/// Number of groups of networks. The failures of unknown accounts are counted per group.
const UNKNOWN_ACCOUNT_BUCKETS: u8 = 64;

/// Records a sign-in with its factors, in the transaction that creates the session.
pub(crate) async fn record_sign_in(work: &mut UnitOfWork, user_id: UserId, factors: &[&str]) -> Result<()> {
    record_for_user(work, "user.signed_in", user_id.as_record_id(), json!({ "factors": factors })).await
}

pub(crate) async fn record_sign_out(work: &mut UnitOfWork, user_id: UserId) -> Result<()> {
    record_for_user(work, "user.signed_out", user_id.as_record_id(), json!({})).await
}

/// Records a failed sign-in. `account_id` is the account with the email address of the request, if there is one. A separate task writes
/// the entry, because the response time must not reveal whether there is such an account.
pub(crate) fn record_failed_sign_in(ctx: &Ctx, account_id: Option<UserId>) {
    let ctx = ctx.clone();
    drop(tokio::spawn(async move {
        if let Err(error) = write_failed_sign_in(&ctx, account_id).await {
            tracing::warn!(?error, "failed to write the audit entry of a rejected sign-in");
        }
    }));
}

/// Records that a signed-in caller failed to confirm their identity. A separate task writes the entry, as [`record_failed_sign_in`]
/// does.
pub(crate) fn record_failed_confirmation(ctx: &Ctx) {
    let Ok(caller) = ctx.caller() else { return };
    let (ctx, id) = (ctx.clone(), caller.user_id);
    drop(tokio::spawn(async move {
        if let Err(error) = write_failed_confirmation(&ctx, id).await {
            tracing::warn!(?error, "failed to write the audit entry of a rejected confirmation");
        }
    }));
}

async fn write_failed_confirmation(ctx: &Ctx, id: UserId) -> Result<()> {
    let network = audited_network(ctx.meta.ip);
    let key = format!("trace|confirm|{id}|{network}");
    if !is_first_in_window(&mut ctx.db(), &key, Some(id), ctx.now(), FAILURE_WINDOW).await? {
        return Ok(());
    }
    let mut work = ctx.without_replay_and_dry_run().begin().await?;
    record_for_user(&mut work, "user.confirmation_failed", id.as_record_id(), json!({ "network": network }))
        .await?;
    work.finish(()).await
}

async fn write_failed_sign_in(ctx: &Ctx, account_id: Option<UserId>) -> Result<()> {
    let network = audited_network(ctx.meta.ip);
    let key = match account_id {
        Some(id) => format!("trace|login|{id}|{network}"),
        // Callers can send any number of email addresses from any number of networks, so these failures share a few keys.
        None => format!("trace|login||{}", Sha256::digest(network.as_bytes())[0] % UNKNOWN_ACCOUNT_BUCKETS),
    };
    if !is_first_in_window(&mut ctx.db(), &key, account_id, ctx.now(), FAILURE_WINDOW).await? {
        return Ok(());
    }
    let mut work = ctx.without_replay_and_dry_run().begin().await?;
    let new = json!({ "network": network, "account_is_known": account_id.is_some() });
    record_for_user(
        &mut work,
        "user.sign_in_failed",
        account_id.map_or(RecordId::NONE, UserId::as_record_id),
        new,
    )
    .await?;
    work.finish(()).await
}

/// Records the use of a customer's API key.
pub(crate) async fn record_key_use(work: &mut UnitOfWork, user_id: UserId) -> Result<()> {
    let ctx = work.scope().clone();
    let network = audited_network(ctx.meta.ip);
    let key = format!("trace|key|{user_id}|{network}");
    let now = work.now;
    if !is_first_in_window(work, &key, Some(user_id), now, DAY).await? {
        return Ok(());
    }
    let new = json!({ "network": network });
    audit::record(
        work,
        "user.api_key_used",
        "user",
        AuditChange { id: user_id.as_record_id(), old: json!({}), new },
    )
    .await
}

async fn record_for_user(work: &mut UnitOfWork, event: &str, id: RecordId, new: Value) -> Result<()> {
    audit::record(work, event, "user", AuditChange { id, old: json!({}), new }).await
}

/// Returns the IPv4 address, or the /64 network of an IPv6 address.
fn audited_network(ip: IpAddr) -> String {
    client_network(ip).to_string()
}
