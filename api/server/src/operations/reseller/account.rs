//! The actions `panel` and `create_account` of the reseller API: they return information about this panel to other panels, and
//! create an account for another panel if the setting `panels.allow_account_creation` is on. The new account has no balance and no
//! password; it can place orders after staff have added money to its balance.

use panel_contract::hidden_characters;
use panel_contract::ids::UserId;
use panel_contract::order_requests::ResellerRequest;
use panel_kernel::error::Result;
use serde_json::{Value, json};

use super::protocol;
use crate::auth::sessions;
use crate::auth::throttle::{Attempt, Purpose};
use crate::context::Ctx;
use crate::operations::users::{CHILD_PANEL, webhook_events};
use panel_domain::fields;
use panel_domain::reseller_protocol::PRODUCT_NAME;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::sql::hex;
use panel_platform::db::{DbResult, Sql, SqlExecutor};
use panel_platform::settings;
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

const MAX_NAME_CHARS: usize = 100;

/// `panel`: returns public data about this panel. Needs no API key.
pub(super) async fn load_panel_info(ctx: &Ctx) -> Result<Value> {
    let currency = settings::read_currency(&mut ctx.db()).await?;
    let allows_account_creation = ctx.app.config.panels.allow_account_creation;
    Ok(
        json!({ "panel": PRODUCT_NAME, "currency": currency, "allow_account_creation": allows_account_creation }),
    )
}

/// `create_account`: creates a customer with an API key. Requests count as sign-in attempts of the IP address.
pub(super) async fn create_account(ctx: &Ctx, call: &ResellerRequest) -> Result<Value> {
    if !ctx.app.config.panels.allow_account_creation {
        return Err(protocol::reseller_error(
            "This panel does not create accounts automatically. Ask its staff for an account.",
        ));
    }
    let attempt = Attempt::new(Purpose::Login, "create_account", ctx.meta.ip);
    attempt.admit(&ctx.app).await?;
    let name = protocol::field(call, "name").trim();
    if name.is_empty()
        || fields::check_text(name, MAX_NAME_CHARS).is_err()
        || hidden_characters::find_in_name(name).is_some()
    {
        return Err(protocol::reseller_error("Send the name of your panel, at most 100 characters."));
    }
    let api_key = ctx.app.random.token();
    let mut work = ctx.begin().await?;
    let email = choose_email(&mut work, protocol::field(call, "email")).await?;
    let id = insert(&mut work, name, &email, sessions::hash(&api_key)).await?;
    let new = json!({ "name": name, "email": email, "api_key": true });
    audit::record(
        &mut work,
        "user.account_handed_out",
        "user",
        AuditChange { id: id.as_record_id(), old: json!({}), new },
    )
    .await?;
    webhook_events::publish_created(&mut work, id).await?;
    work.finish(()).await?;
    Ok(json!({ "key": api_key }))
}

/// Returns the email address that the caller sent, if no user has it. Otherwise returns an undeliverable address, so that the
/// response does not reveal which customers exist.
async fn choose_email(work: &mut UnitOfWork, email: &str) -> Result<String> {
    let email = email.trim().to_lowercase();
    let is_valid = email.len() <= 255
        && !email.chars().any(|letter| letter.is_whitespace() || letter.is_control())
        && email
            .split_once('@')
            .is_some_and(|(local_part, host)| !local_part.is_empty() && host.contains('.'));
    if is_valid && !is_email_in_use(work, &email).await? {
        return Ok(email);
    }
    let random_part = hex(&work.scope().platform.random.bytes::<8>());
    Ok(format!("panel-{random_part}@accounts.invalid"))
}

// Store

async fn is_email_in_use(work: &mut UnitOfWork, email: &str) -> DbResult<bool> {
    let sql = Sql::new("SELECT id FROM users WHERE email = ?").bind(email);
    Ok(work.fetch_optional::<(UserId,)>(sql).await?.is_some())
}

async fn insert(work: &mut UnitOfWork, name: &str, email: &str, key_hash: Vec<u8>) -> DbResult<UserId> {
    let now = work.now;
    let sql = sql!(
        "INSERT INTO users (name, email, account_type, created_at, updated_at) \
           VALUES (@name, @email, @account_type, @now, @now) RETURNING id",
        { name, email, account_type: CHILD_PANEL, now },
    );
    let (id,): (UserId,) = work.fetch_one(sql).await?;
    let sql = Sql::new("INSERT INTO api_keys (user_id, key_hash, created_at) VALUES (?, ?, ?)");
    work.execute(sql.bind(id).bind(key_hash).bind(now)).await?;
    Ok(id)
}
