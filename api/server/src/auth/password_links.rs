//! Endpoints for the links with which staff members set a password: they request a link after a forgotten password, and set a password
//! with a link. A request for a link gets the same response after the same work, whether the address has an account or not. A link
//! never signs the user in, so that the second factor remains required.

use panel_contract::common::Data;
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::session::{RequestPasswordReset, ShowPasswordLink, UsePasswordLink};
use panel_contract::password_links::{PasswordLink, PasswordLinkPurpose};
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::auth::account_links;
use crate::auth::store::{self, passwords};
use crate::auth::throttle::{Attempt, Purpose};
use crate::auth::{login, password, setup};
use crate::context::Ctx;
use crate::emails::{self, Recipient};
use crate::http::Req;
use crate::http::api::Api;
use crate::stores::account_links::{self as links, UsableLink};
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::jobs;
use panel_platform::jobs::job::Job;
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.route::<RequestPasswordReset, _, _, _>(request_password_reset)
        .route::<ShowPasswordLink, _, _, _>(show_link)
        .route::<UsePasswordLink, _, _, _>(use_link)
}

async fn request_password_reset(ctx: Ctx, req: Req<RequestPasswordReset>) -> Result<EmptyBody> {
    let email = req.body.email.trim().to_lowercase();
    if !setup::is_email_address(&email) {
        let message = "Enter the email address that you sign in with.";
        return Err(Error::invalid("email", "invalid", message));
    }
    let attempt = Attempt::new(Purpose::PasswordReset, &email, ctx.meta.ip);
    attempt.admit(&ctx.app).await?;
    // A reservation that is dropped stays counted, so each request counts, whether the address has an account or not.
    drop(login::reserve(&ctx, &attempt, req.body.captcha.as_deref()).await?);
    let mut work = ctx.without_replay_and_dry_run().begin().await?;
    let (ip, sent_at) = (ctx.meta.ip.to_string(), work.now);
    jobs::enqueue(&mut work, &[Job::PasswordReset { email, ip, sent_at }], sent_at).await?;
    work.finish(EmptyBody {}).await
}

async fn show_link(ctx: Ctx, req: Req<ShowPasswordLink>) -> Result<Data<PasswordLink>> {
    let UsableLink { purpose, name, email, expires_at, .. } = find_link(&ctx, &req.body.token).await?;
    Ok(Data { data: PasswordLink { purpose, name, email, expires_at } })
}

async fn use_link(ctx: Ctx, req: Req<UsePasswordLink>) -> Result<EmptyBody> {
    let input = &req.body;
    let link = find_link(&ctx, &input.token).await?;
    let panel_name = settings::read_text(&mut ctx.db(), settings::PANEL_NAME).await?.unwrap_or_default();
    let context = password::Context::new(&panel_name, &link.email, &link.name);
    if let Err(message) = password::check_new_password(&input.password, &context) {
        return Err(Error::invalid("password", "invalid", message));
    }
    // Hashing takes long by design, so it runs before the transaction: on SQLite a transaction blocks all other writers.
    let hash = ctx.app.passwords.hash(&input.password).await?;
    // With an idempotency key, the database would store a digest of the password that is fast to compute and easy to guess.
    let mut work = ctx.without_replay_and_dry_run().acting_as(link.user_id).begin().await?;
    work.lock("users", &[link.user_id]).await?;
    store::lock_access_version(&mut work).await?;
    if !account_links::consume(&mut work, &input.token).await?.is_applied() {
        return Err(link_expired_error());
    }
    set_password(&mut work, &link, &hash).await?;
    work.finish(EmptyBody {}).await
}

/// Sets the password, and ends the user's sessions and links.
async fn set_password(work: &mut UnitOfWork, link: &UsableLink, hash: &str) -> Result<()> {
    let (user_id, now) = (link.user_id, work.now);
    passwords::set(work, user_id, hash).await?;
    links::delete_all(work, &[user_id]).await?;
    let ended_token_count = store::end_sessions(work, user_id, None, now).await?;
    let event = match link.purpose {
        PasswordLinkPurpose::PasswordReset => "user.password_reset",
        PasswordLinkPurpose::Invitation => "user.invitation_accepted",
    };
    let new = json!({ "password": "changed", "ended_tokens": ended_token_count });
    audit::record(work, event, "user", AuditChange { id: user_id.as_record_id(), old: json!({}), new })
        .await?;
    if link.purpose == PasswordLinkPurpose::PasswordReset {
        let ip = work.scope().meta.ip.to_string();
        let recipient = Recipient { name: link.name.clone(), email: link.email.clone() };
        let email = emails::password_changed(recipient, &ip);
        jobs::enqueue(work, &[Job::Mail(email)], now).await?;
    }
    tracing::info!(
        user_id = user_id.get(),
        purpose = link.purpose.as_str(),
        "set a password with an email link"
    );
    Ok(())
}

async fn find_link(ctx: &Ctx, token: &str) -> Result<UsableLink> {
    account_links::find(&mut ctx.db(), token, ctx.now()).await?.ok_or_else(link_expired_error)
}

// Rules

fn link_expired_error() -> Error {
    let message = "This link was already used, withdrawn or replaced by a newer one, or it has expired. Request a new one.";
    Error::conflict("link_over", message)
}
