//! Who signed in and out, who could not, and from where keys are used, in the audit trail. What strangers can cause is bounded:
//! failures of one account and network make one entry in [`WINDOW`], and those of unknown accounts at most [`BUCKETS`] from
//! everywhere. A key's use makes one entry a day and network. Never holds what was typed.

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
use panel_platform::audit::change::Change;
use panel_platform::work::Work;

/// The failures of an account from a network make one entry within this time.
const WINDOW: Duration = Duration::from_mins(10);
/// Groups of networks; failures with unknown accounts are counted for each group.
const BUCKETS: u8 = 64;

/// A staff member has signed in by these factors, in the transaction that makes the session.
pub(crate) async fn signed_in(work: &mut Work, user_id: UserId, factors: &[&str]) -> Result<()> {
    of_person(work, "user.signed_in", user_id.record(), json!({ "factors": factors })).await
}

/// A staff member has signed out.
pub(crate) async fn signed_out(work: &mut Work, user_id: UserId) -> Result<()> {
    of_person(work, "user.signed_out", user_id.record(), json!({})).await
}

/// Signing in failed; `account` is the one that was named, where there is one. Written beside the answer, whose time must not
/// say whether there is one.
pub(crate) fn refused(ctx: &Ctx, account: Option<UserId>) {
    let ctx = ctx.clone();
    drop(tokio::spawn(async move {
        if let Err(error) = write_refused(&ctx, account).await {
            tracing::warn!(?error, "failed to audit a refused sign-in");
        }
    }));
}

/// The caller, who is signed in, gave a wrong password or wrong digits. Written beside the answer, as [`refused`] is.
pub(crate) fn confirmation_refused(ctx: &Ctx) {
    let Ok(caller) = ctx.caller() else { return };
    let (ctx, id) = (ctx.clone(), caller.user_id);
    drop(tokio::spawn(async move {
        if let Err(error) = write_confirmation_refused(&ctx, id).await {
            tracing::warn!(?error, "failed to audit a refused confirmation");
        }
    }));
}

async fn write_confirmation_refused(ctx: &Ctx, id: UserId) -> Result<()> {
    let network = network(ctx.meta.ip);
    let key = format!("trace|confirm|{id}|{network}");
    if !count_first(&mut ctx.db(), &key, Some(id), ctx.now(), WINDOW).await? {
        return Ok(());
    }
    let mut work = ctx.once().begin().await?;
    of_person(&mut work, "user.confirmation_failed", id.record(), json!({ "network": network })).await?;
    work.finish(()).await
}

async fn write_refused(ctx: &Ctx, account: Option<UserId>) -> Result<()> {
    let network = network(ctx.meta.ip);
    let key = match account {
        Some(id) => format!("trace|login|{id}|{network}"),
        // Strangers may make up as many accounts and have as many networks as they want.
        None => format!("trace|login||{}", Sha256::digest(network.as_bytes())[0] % BUCKETS),
    };
    if !count_first(&mut ctx.db(), &key, account, ctx.now(), WINDOW).await? {
        return Ok(());
    }
    let mut work = ctx.once().begin().await?;
    let new = json!({ "network": network, "account_is_known": account.is_some() });
    of_person(&mut work, "user.sign_in_failed", account.map_or(RecordId::NONE, UserId::record), new).await?;
    work.finish(()).await
}

/// The key of a customer was used.
pub(crate) async fn key_used(work: &mut Work, user_id: UserId) -> Result<()> {
    let ctx = work.scope().clone();
    let network = network(ctx.meta.ip);
    let key = format!("trace|key|{user_id}|{network}");
    let now = work.now;
    if !count_first(work, &key, Some(user_id), now, DAY).await? {
        return Ok(());
    }
    let new = json!({ "network": network });
    audit::record(work, "user.api_key_used", "user", Change { id: user_id.record(), old: json!({}), new })
        .await
}

async fn of_person(work: &mut Work, event: &str, id: RecordId, new: Value) -> Result<()> {
    audit::record(work, event, "user", Change { id, old: json!({}), new }).await
}

/// An IPv4 address as it is, of an IPv6 address its /64.
fn network(ip: IpAddr) -> String {
    network_of(ip).to_string()
}
