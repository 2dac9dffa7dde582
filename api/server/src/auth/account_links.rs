//! Sends emails with links with which staff members set a password once: after they forgot it, or after an invitation. The token of a
//! link is created when the email is sent, so that the database holds only its hash; a retried email has a new token. This module never
//! sets a password (`password_links` does) and never reveals whether an address has an account.

use std::time::Duration;

use panel_contract::ids::UserId;
use panel_contract::moment::Time;
use panel_contract::password_links::PasswordLinkPurpose;
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::app::App;
use crate::auth::{sessions, store};
use crate::emails::{self, Recipient};
use crate::stores::account_links::{self as links, NewLink, UsableLink};
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::state::Transition;
use panel_platform::db::{DbResult, SqlExecutor};
use panel_platform::jobs::failure::JobFailure;
use panel_platform::mail::Email;
use panel_platform::scope::Scope;
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

/// Path of the console page that a link opens. The token is in the fragment, which browsers do not send to servers.
const LINK_PATH: &str = "/set-password#token=";

/// How long a link is valid after it was requested.
#[must_use]
pub const fn link_lifetime(purpose: PasswordLinkPurpose) -> Duration {
    match purpose {
        PasswordLinkPurpose::PasswordReset => Duration::from_hours(1),
        PasswordLinkPurpose::Invitation => Duration::from_hours(7 * 24),
    }
}

fn link_expires_at(purpose: PasswordLinkPurpose, created_at: Time) -> Time {
    created_at.plus(link_lifetime(purpose))
}

/// Sends the link of a password reset that was requested at `requested_at`, if the address belongs to a staff member who may sign in.
/// This job runs for every address, so the response time of the request does not reveal whether there is an account.
pub(crate) async fn send_reset_email(
    app: &App,
    email: &str,
    ip: &str,
    requested_at: Time,
    idempotency_key: &str,
) -> Result<(), JobFailure> {
    let expires_at = link_expires_at(PasswordLinkPurpose::PasswordReset, requested_at);
    if expires_at <= app.clock.now() {
        return Ok(());
    }
    let token = app.random.token();
    let recipient = prepare_reset(app, email, ip, requested_at, &token).await.map_err(retry_later)?;
    let Some(recipient) = recipient else { return Ok(()) };
    send(app, emails::password_reset(recipient, ip, expires_at, &link_url(app, &token)), idempotency_key)
        .await
}

/// Stores the hash of the token of a password reset. Returns the recipient of the email, or `None` if no email may be sent.
async fn prepare_reset(
    app: &App,
    email: &str,
    ip: &str,
    requested_at: Time,
    token: &str,
) -> Result<Option<Recipient>> {
    let purpose = PasswordLinkPurpose::PasswordReset;
    let account = store::load_account_by_email(&mut &app.db, email).await?;
    // An account without a password needs an invitation. A reset must not replace an invitation that staff withdrew.
    let Some(account) = account.filter(|account| account.password_hash.is_some()) else { return Ok(None) };
    let mut work = Scope::system(app, "password reset").begin().await?;
    work.lock("users", &[account.id]).await?;
    if !store::may_sign_in(&mut work, account.id).await? {
        return Ok(None);
    }
    let existing_link_created_at = links::load_created_at(&mut work, account.id, purpose).await?;
    if existing_link_created_at.is_some_and(|created_at| created_at > requested_at) {
        return Ok(None);
    }
    let link = new_link(account.id, purpose, &account.email, requested_at);
    links::upsert(&mut work, link, Some(sessions::hash(token))).await?;
    // A retry of the email belongs to the same request, so it writes no second audit entry.
    if existing_link_created_at != Some(requested_at) {
        let new = json!({ "ip_address": ip });
        let change = AuditChange { id: account.id.as_record_id(), old: json!({}), new };
        audit::record(&mut work, "user.password_reset_requested", "user", change).await?;
    }
    work.finish(()).await?;
    Ok(Some(Recipient { name: account.name, email: account.email }))
}

/// Sends the link of the invitation that was created at `invited_at`, unless the invitation was withdrawn or replaced later.
pub(crate) async fn send_invitation_email(
    app: &App,
    user_id: UserId,
    invited_at: Time,
    idempotency_key: &str,
) -> Result<(), JobFailure> {
    let token = app.random.token();
    let (hash, now) = (sessions::hash(&token), app.clock.now());
    let transition = links::mark_mailed(&mut &app.db, (user_id, invited_at), hash, now).await;
    if !transition.map_err(|error| retry_later(error.into()))?.is_applied() {
        return Ok(());
    }
    let account = store::load_account(&mut &app.db, user_id).await.map_err(retry_later)?;
    let Some(account) = account else { return Ok(()) };
    let panel_name = settings::read_text(&mut &app.db, settings::PANEL_NAME).await.map_err(retry_later)?;
    let panel_name = panel_name.unwrap_or_else(|| "the panel".to_owned());
    let recipient = Recipient { name: account.name, email: account.email };
    let expires_at = link_expires_at(PasswordLinkPurpose::Invitation, invited_at);
    send(app, emails::invitation(recipient, &panel_name, expires_at, &link_url(app, &token)), idempotency_key)
        .await
}

async fn send(app: &App, email: Email, idempotency_key: &str) -> Result<(), JobFailure> {
    let logo = panel_platform::mail::panel_logo::load(app).await;
    app.mail.send(email, idempotency_key, logo.as_ref()).await
}

fn link_url(app: &App, token: &str) -> String {
    format!("{}{LINK_PATH}{token}", app.config.address())
}

fn retry_later(error: Error) -> JobFailure {
    JobFailure::Retry(error.report("mail").message)
}

/// Invites a user, in the transaction that creates or changes the user. Earlier links become invalid. The caller must enqueue the
/// email.
pub async fn invite(work: &mut UnitOfWork, user_id: UserId, email: &str) -> Result<()> {
    let link = new_link(user_id, PasswordLinkPurpose::Invitation, email, work.now);
    Ok(links::upsert(work, link, None).await?)
}

fn new_link(user_id: UserId, purpose: PasswordLinkPurpose, email: &str, created_at: Time) -> NewLink<'_> {
    NewLink { user_id, purpose, email, created_at, expires_at: link_expires_at(purpose, created_at) }
}

/// Returns the link with this token, or `None` if the token is unknown, used, withdrawn or expired.
pub async fn find(db: &mut impl SqlExecutor, token: &str, now: Time) -> DbResult<Option<UsableLink>> {
    links::find_usable(db, sessions::hash(token), now).await
}

/// Marks the link with this token as used, if it is still valid. The caller must have locked the user.
pub async fn consume(work: &mut UnitOfWork, token: &str) -> DbResult<Transition> {
    let now = work.now;
    links::consume(work, sessions::hash(token), now).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reset_is_valid_for_an_hour_and_an_invitation_for_seven_days() {
        let day = 86_400_000_000;
        assert_eq!(link_expires_at(PasswordLinkPurpose::PasswordReset, Time(5)), Time(5 + day / 24));
        assert_eq!(link_expires_at(PasswordLinkPurpose::Invitation, Time(5)), Time(5 + 7 * day));
    }
}
