//! The password of a signed-in person: changing it, where they know the current one. Never says more of a wrong password than
//! that it is wrong, and never stores one outside of its hash.

use panel_contract::endpoint::NoBody;
use panel_contract::endpoints::session::ChangeOwnPassword;
use panel_contract::fields::FieldErrors;
use panel_contract::session::OwnPasswordInput;
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::auth::store::{self, Account, passwords};
use crate::auth::throttle::Purpose;
use crate::auth::{own_sessions, password, throttle};
use crate::context::Ctx;
use crate::emails::{self, Recipient};
use crate::http::Req;
use crate::http::api::Api;
use crate::stores::account_links;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::jobs;
use panel_platform::jobs::job::Job;
use panel_platform::settings;

/// The field that the error of a wrong password names.
const FIELD: &str = "current_password";

// Routes

/// Adds the endpoint.
pub fn routes(api: Api) -> Api {
    api.on::<ChangeOwnPassword, _, _, _>(change)
}

async fn change(ctx: Ctx, req: Req<ChangeOwnPassword>) -> Result<NoBody> {
    let (caller, input) = (ctx.caller()?, &req.body);
    let account = store::account(&mut ctx.db(), caller.user_id).await?;
    let account = account.ok_or_else(|| Error::unauthenticated("token_unknown"))?;
    let panel_name = settings::text(&mut ctx.db(), settings::PANEL_NAME).await?.unwrap_or_default();
    check(input, &password::Context::new(&panel_name, &account.email, &account.name))?;
    let current = check_current(&ctx, &account, &input.current_password);
    throttle::confirm_by(&ctx, Purpose::ConfirmByPassword, &account.email, current).await?;
    // Work that is heavy on purpose is done before the writer is taken.
    let hash = ctx.app.passwords.hash(&input.password).await?;
    // A key would keep a digest of both passwords that is quickly computed.
    let ctx = if ctx.meta.dry_run { ctx } else { ctx.once() };
    let mut work = ctx.begin().await?;
    let confirmed = account.password_hash.as_deref();
    if !passwords::replace(&mut work, account.id, confirmed, &hash).await? {
        let message = "Your password was changed by someone else meanwhile; sign in with the new one.";
        return Err(Error::conflict("password_changed", message));
    }
    own_sessions::end_all(&mut work, account.id).await?;
    account_links::end_all(&mut work, &[account.id]).await?;
    let new = json!({ "password": "changed" });
    audit::record(
        &mut work,
        "user.password_changed",
        "user",
        Change { id: account.id.record(), old: json!({}), new },
    )
    .await?;
    let to = Recipient { name: account.name, email: account.email };
    let email = emails::password_changed(to, &ctx.meta.ip.to_string());
    let now = work.now;
    jobs::enqueue(&mut work, &[Job::Mail(email)], now).await?;
    work.finish(NoBody {}).await
}

/// Whether the current password is right.
async fn check_current(ctx: &Ctx, account: &Account, current: &str) -> Result<Result<(), Error>> {
    let is_right = ctx.app.passwords.verify(current, account.password_hash.as_deref()).await?;
    let message = "This is not your current password.";
    Ok(if is_right { Ok(()) } else { Err(Error::invalid(FIELD, "wrong_password", message)) })
}

// Rules

fn check(input: &OwnPasswordInput, context: &password::Context) -> std::result::Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    if input.current_password.is_empty() || input.current_password.len() > 1_024 {
        errors.add(FIELD, "Type your current password.");
    }
    if let Err(message) = password::check_new(&input.password, context) {
        errors.add("password", message);
    } else if input.password == input.current_password {
        errors.add("password", "This is your current password; take another.");
    }
    errors.or(())
}
