//! Changes the password of the caller, who must enter the current password. The error for a wrong password contains no details, and
//! only the hash of a password is stored.

use panel_contract::endpoint::EmptyBody;
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
use panel_platform::audit::change::AuditChange;
use panel_platform::jobs;
use panel_platform::jobs::job::Job;
use panel_platform::settings;

/// The field that the error for a wrong password names.
const CURRENT_PASSWORD_FIELD: &str = "current_password";

// Routes

pub fn routes(api: Api) -> Api {
    api.route::<ChangeOwnPassword, _, _, _>(change_own_password)
}

async fn change_own_password(ctx: Ctx, req: Req<ChangeOwnPassword>) -> Result<EmptyBody> {
    let (caller, input) = (ctx.caller()?, &req.body);
    let account = store::load_account(&mut ctx.db(), caller.user_id).await?;
    let account = account.ok_or_else(|| Error::unauthenticated("token_unknown"))?;
    let panel_name = settings::read_text(&mut ctx.db(), settings::PANEL_NAME).await?.unwrap_or_default();
    check_input(input, &password::Context::new(&panel_name, &account.email, &account.name))?;
    let password_check = check_current_password(&ctx, &account, &input.current_password);
    throttle::check_throttled(&ctx, Purpose::ConfirmByPassword, &account.email, password_check).await?;
    // Hashing takes long by design, so it runs before the transaction: on SQLite a transaction blocks all other writers.
    let new_hash = ctx.app.passwords.hash(&input.password).await?;
    // With an idempotency key, the database would store a digest of both passwords that is fast to compute and easy to guess.
    let ctx = if ctx.meta.dry_run { ctx } else { ctx.without_replay_and_dry_run() };
    let mut work = ctx.begin().await?;
    let current_hash = account.password_hash.as_deref();
    if !passwords::replace(&mut work, account.id, current_hash, &new_hash).await? {
        let message = "Another session has just changed your password. Sign in with the new password.";
        return Err(Error::conflict("password_changed", message));
    }
    own_sessions::end_all(&mut work, account.id).await?;
    account_links::delete_all(&mut work, &[account.id]).await?;
    let new = json!({ "password": "changed" });
    audit::record(
        &mut work,
        "user.password_changed",
        "user",
        AuditChange { id: account.id.as_record_id(), old: json!({}), new },
    )
    .await?;
    let recipient = Recipient { name: account.name, email: account.email };
    let email = emails::password_changed(recipient, &ctx.meta.ip.to_string());
    let now = work.now;
    jobs::enqueue(&mut work, &[Job::Mail(email)], now).await?;
    work.finish(EmptyBody {}).await
}

/// Checks the current password. The inner error is returned to the caller if the password is wrong; the outer error means that the
/// check failed to run.
async fn check_current_password(ctx: &Ctx, account: &Account, password: &str) -> Result<Result<(), Error>> {
    let is_correct = ctx.app.passwords.verify(password, account.password_hash.as_deref()).await?;
    let message = "This is not your current password. Try again.";
    Ok(if is_correct {
        Ok(())
    } else {
        Err(Error::invalid(CURRENT_PASSWORD_FIELD, "wrong_password", message))
    })
}

// Rules

fn check_input(
    input: &OwnPasswordInput,
    context: &password::Context,
) -> std::result::Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    if input.current_password.is_empty() || input.current_password.len() > 1_024 {
        errors.add(CURRENT_PASSWORD_FIELD, "Enter your current password.");
    }
    if let Err(message) = password::check_new_password(&input.password, context) {
        errors.add("password", message);
    } else if input.password == input.current_password {
        errors.add("password", "This is your current password. Choose another one.");
    }
    errors.into_result(())
}
