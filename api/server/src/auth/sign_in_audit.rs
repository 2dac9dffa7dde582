//! Audit entries of sign-ins, sign-outs, failed sign-ins and the use of API keys. Entries that unauthenticated callers can cause
//! are bounded: failures of one account and network make one entry per [`FAILURE_WINDOW`], those of unknown accounts at most
//! [`UNKNOWN_ACCOUNT_BUCKETS`] in total. The use of a key makes one entry per day and network. An entry never contains input of the
//! caller.

use std::net::IpAddr;
use std::time::Duration;

use panel_contract::ids::{RecordId, UserId};
use panel_contract::moment::DAY;
use panel_kernel::error::Result;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::auth::store::throttle::count_first;
use crate::context::Ctx;
use panel_kernel::client_network::network_of;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::work::UnitOfWork;

/// Failures of an account from one network make one entry within this time.
const FAILURE_WINDOW: Duration = Duration::from_mins(10);
/// Failures of unknown accounts are counted per group of networks; this is the number of groups.
const UNKNOWN_ACCOUNT_BUCKETS: u8 = 64;

/// Records a sign-in with its factors, in the transaction that creates the session.
pub(crate) async fn record_sign_in(work: &mut UnitOfWork, user_id: UserId, factors: &[&str]) -> Result<()> {
    record_for_user(work, "user.signed_in", user_id.as_record_id(), json!({ "factors": factors })).await
}

pub(crate) async fn record_sign_out(work: &mut UnitOfWork, user_id: UserId) -> Result<()> {
    record_for_user(work, "user.signed_out", user_id.as_record_id(), json!({})).await
}

/// Records a failed sign-in; `account` is the account with the given email address, if there is one. A separate task writes the
/// entry, because the response time must not reveal whether there is such an account.
pub(crate) fn record_failed_sign_in(ctx: &Ctx, account: Option<UserId>) {
    let ctx = ctx.clone();
    drop(tokio::spawn(async move {
        if let Err(error) = write_failed_sign_in(&ctx, account).await {
            tracing::warn!(?error, "failed to write the audit entry of a refused sign-in");
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
            tracing::warn!(?error, "failed to write the audit entry of a refused confirmation");
        }
    }));
}

async fn write_failed_confirmation(ctx: &Ctx, id: UserId) -> Result<()> {
    let network = network(ctx.meta.ip);
    let key = format!("trace|confirm|{id}|{network}");
    if !count_first(&mut ctx.db(), &key, Some(id), ctx.now(), FAILURE_WINDOW).await? {
        return Ok(());
    }
    let mut work = ctx.once().begin().await?;
    record_for_user(&mut work, "user.confirmation_failed", id.as_record_id(), json!({ "network": network }))
        .await?;
    work.finish(()).await
}

async fn write_failed_sign_in(ctx: &Ctx, account: Option<UserId>) -> Result<()> {
    let network = network(ctx.meta.ip);
    let key = match account {
        Some(id) => format!("trace|login|{id}|{network}"),
        // A caller may invent any number of accounts and use any number of networks.
        None => format!("trace|login||{}", Sha256::digest(network.as_bytes())[0] % UNKNOWN_ACCOUNT_BUCKETS),
    };
    if !count_first(&mut ctx.db(), &key, account, ctx.now(), FAILURE_WINDOW).await? {
        return Ok(());
    }
    let mut work = ctx.once().begin().await?;
    let new = json!({ "network": network, "account_is_known": account.is_some() });
    record_for_user(
        &mut work,
        "user.sign_in_failed",
        account.map_or(RecordId::NONE, UserId::as_record_id),
        new,
    )
    .await?;
    work.finish(()).await
}

/// Records the use of a customer's API key.
pub(crate) async fn record_key_use(work: &mut UnitOfWork, user_id: UserId) -> Result<()> {
    let ctx = work.scope().clone();
    let network = network(ctx.meta.ip);
    let key = format!("trace|key|{user_id}|{network}");
    let now = work.now;
    if !count_first(work, &key, Some(user_id), now, DAY).await? {
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

/// The IPv4 address, or the /64 network of an IPv6 address.
fn network(ip: IpAddr) -> String {
    network_of(ip).to_string()
}
