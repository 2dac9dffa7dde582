//! What this panel says of itself to other panels, and the account that it hands out to one that asks, where
//! `panels.hands_out_accounts` allows it. An account has no money and no password: all it can do is order, once somebody
//! of our staff has credited it.

use panel_contract::hidden;
use panel_contract::ids::UserId;
use panel_contract::intake::ResellerCall;
use panel_kernel::error::Result;
use serde_json::{Value, json};

use super::words;
use crate::auth::sessions;
use crate::auth::throttle::{Attempt, Purpose};
use crate::context::Ctx;
use crate::operations::users::{CHILD_PANEL, tell};
use panel_domain::fields;
use panel_domain::reseller_protocol::OWN_NAME;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::db::sql::hex;
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::settings;
use panel_platform::sql;
use panel_platform::work::Work;

/// Longest name of an account.
const NAME: usize = 100;

/// Who answers here: no key is asked for, and nothing is told that the shop does not show.
pub(super) async fn about(ctx: &Ctx) -> Result<Value> {
    let currency = settings::currency(&mut ctx.db()).await?;
    let hands_out = ctx.app.config.panels.hands_out_accounts;
    Ok(json!({ "panel": OWN_NAME, "currency": currency, "hands_out_accounts": hands_out }))
}

/// Makes a customer with a key. How often an address may ask is counted with its sign-in attempts.
pub(super) async fn create(ctx: &Ctx, call: &ResellerCall) -> Result<Value> {
    if !ctx.app.config.panels.hands_out_accounts {
        return Err(words::refused("This panel hands out no accounts by itself; ask its staff for one."));
    }
    let attempt = Attempt::new(Purpose::Login, "create_account", ctx.meta.ip);
    attempt.admit(&ctx.app).await?;
    let name = words::field(call, "name").trim();
    if name.is_empty() || fields::fits(name, NAME).is_err() || hidden::in_name(name).is_some() {
        return Err(words::refused("Send the name of your panel, at most 100 characters."));
    }
    let key = ctx.app.random.token();
    let mut work = ctx.begin().await?;
    let email = address(&mut work, words::field(call, "email")).await?;
    let id = insert(&mut work, name, &email, sessions::hash(&key)).await?;
    let new = json!({ "name": name, "email": email, "api_key": true });
    audit::record(
        &mut work,
        "user.account_handed_out",
        "user",
        Change { id: id.record(), old: json!({}), new },
    )
    .await?;
    tell::made(&mut work, id).await?;
    work.finish(()).await?;
    Ok(json!({ "key": key }))
}

/// Their address where it is one that nobody has; else one that leads nowhere, so that nobody learns who is a customer.
async fn address(work: &mut Work, email: &str) -> Result<String> {
    let email = email.trim().to_lowercase();
    let is_address = email.len() <= 255
        && !email.chars().any(|letter| letter.is_whitespace() || letter.is_control())
        && email.split_once('@').is_some_and(|(who, host)| !who.is_empty() && host.contains('.'));
    if is_address && !is_taken(work, &email).await? {
        return Ok(email);
    }
    let random = hex(&work.scope().platform.random.bytes::<8>());
    Ok(format!("panel-{random}@accounts.invalid"))
}

// Store

async fn is_taken(work: &mut Work, email: &str) -> DbResult<bool> {
    let sql = Sql::new("SELECT id FROM users WHERE email = ?").bind(email);
    Ok(work.opt::<(UserId,)>(sql).await?.is_some())
}

async fn insert(work: &mut Work, name: &str, email: &str, key_hash: Vec<u8>) -> DbResult<UserId> {
    let now = work.now;
    let sql = sql!(
        "INSERT INTO users (name, email, account_type, created_at, updated_at) \
           VALUES (@name, @email, @account_type, @now, @now) RETURNING id",
        { name, email, account_type: CHILD_PANEL, now },
    );
    let (id,): (UserId,) = work.one(sql).await?;
    let sql = Sql::new("INSERT INTO api_keys (user_id, key_hash, created_at) VALUES (?, ?, ?)");
    work.exec(sql.bind(id).bind(key_hash).bind(now)).await?;
    Ok(id)
}
