//! Links that are emailed to members of staff and let them set a password once: after they forgot theirs, or with an
//! invitation. The token is made when the email leaves, so the database only ever holds its hash; a retried email has a new
//! token. It never sets a password itself (`password_links` does) and never says whether an address has an account.

use std::time::Duration;

use panel_contract::ids::UserId;
use panel_contract::moment::Time;
use panel_contract::password_links::PasswordLinkPurpose;
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::app::App;
use crate::auth::{sessions, store};
use crate::emails::{self, Recipient};
use crate::stores::account_links::{self as links, NewLink, OpenLink};
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::db::state::Transition;
use panel_platform::db::{DbResult, Source};
use panel_platform::jobs::failure::Failure;
use panel_platform::mail::Email;
use panel_platform::scope::Scope;
use panel_platform::settings;
use panel_platform::work::Work;

/// The page of the console that the links open. The token follows in the fragment, which browsers send to no server.
const PAGE: &str = "/set-password#token=";

/// How long a link works from the request on: an hour after a forgotten password, seven days with an invitation.
#[must_use]
pub const fn lifetime(purpose: PasswordLinkPurpose) -> Duration {
    match purpose {
        PasswordLinkPurpose::PasswordReset => Duration::from_hours(1),
        PasswordLinkPurpose::Invitation => Duration::from_hours(7 * 24),
    }
}

fn end(purpose: PasswordLinkPurpose, created_at: Time) -> Time {
    created_at.after(lifetime(purpose))
}

/// Emails the link of a password reset that was asked for at `asked_at`, where the address is that of a member of staff who
/// may sign in. The same job runs for every address, so its request takes as long whether there is an account or not.
pub(crate) async fn mail_reset(
    app: &App,
    email: &str,
    ip: &str,
    asked_at: Time,
    mark: &str,
) -> Result<(), Failure> {
    let expires_at = end(PasswordLinkPurpose::PasswordReset, asked_at);
    if expires_at <= app.clock.now() {
        return Ok(());
    }
    let token = app.random.token();
    let opened = open_reset(app, email, ip, asked_at, &token).await.map_err(later)?;
    let Some(to) = opened else { return Ok(()) };
    send(app, emails::password_reset(to, ip, expires_at, &link(app, &token)), mark).await
}

/// Stores the hash of a reset's token; answers with the recipient of the email, none where no email leaves.
async fn open_reset(
    app: &App,
    email: &str,
    ip: &str,
    asked_at: Time,
    token: &str,
) -> Result<Option<Recipient>> {
    let purpose = PasswordLinkPurpose::PasswordReset;
    let account = store::account_by_email(&mut &app.db, email).await?;
    // An invitation sets the first password: a withdrawn one is not undone by a reset.
    let Some(account) = account.filter(|account| account.password_hash.is_some()) else { return Ok(None) };
    let mut work = Scope::system(app, "password reset").begin().await?;
    work.lock("users", &[account.id]).await?;
    if !store::may_sign_in(&mut work, account.id).await? {
        return Ok(None);
    }
    let known = links::created_at(&mut work, account.id, purpose).await?;
    if known.is_some_and(|known| known > asked_at) {
        return Ok(None);
    }
    let link = new_link(account.id, purpose, &account.email, asked_at);
    links::put(&mut work, link, Some(sessions::hash(token))).await?;
    // A retried email is the same request.
    if known != Some(asked_at) {
        let new = json!({ "ip_address": ip });
        let change = Change { id: account.id.record(), old: json!({}), new };
        audit::record(&mut work, "user.password_reset_requested", "user", change).await?;
    }
    work.finish(()).await?;
    Ok(Some(Recipient { name: account.name, email: account.email }))
}

/// Emails the link of the invitation that was made at `invited_at`, unless it was withdrawn or replaced since.
pub(crate) async fn mail_invitation(
    app: &App,
    user_id: UserId,
    invited_at: Time,
    mark: &str,
) -> Result<(), Failure> {
    let token = app.random.token();
    let (hash, now) = (sessions::hash(&token), app.clock.now());
    let mailed = links::mark_mailed(&mut &app.db, (user_id, invited_at), hash, now).await;
    if !mailed.map_err(|error| later(error.into()))?.is_applied() {
        return Ok(());
    }
    let account = store::account(&mut &app.db, user_id).await.map_err(later)?;
    let Some(account) = account else { return Ok(()) };
    let panel = settings::text(&mut &app.db, settings::PANEL_NAME).await.map_err(later)?;
    let panel = panel.unwrap_or_else(|| "the panel".to_owned());
    let to = Recipient { name: account.name, email: account.email };
    let expires_at = end(PasswordLinkPurpose::Invitation, invited_at);
    send(app, emails::invitation(to, &panel, expires_at, &link(app, &token)), mark).await
}

async fn send(app: &App, email: Email, mark: &str) -> Result<(), Failure> {
    let logo = panel_platform::mail::panel_logo::of_panel(app).await;
    app.mail.send(email, mark, logo.as_ref()).await
}

fn link(app: &App, token: &str) -> String {
    format!("{}{PAGE}{token}", app.config.address())
}

fn later(error: Error) -> Failure {
    Failure::Later(error.report("mail").message)
}

/// Invites a user, in the transaction that makes or changes them; a link from before no longer works. The caller enqueues
/// the email.
pub async fn invite(work: &mut Work, user_id: UserId, email: &str) -> Result<()> {
    let link = new_link(user_id, PasswordLinkPurpose::Invitation, email, work.now);
    Ok(links::put(work, link, None).await?)
}

fn new_link(user_id: UserId, purpose: PasswordLinkPurpose, email: &str, created_at: Time) -> NewLink<'_> {
    NewLink { user_id, purpose, email, created_at, expires_at: end(purpose, created_at) }
}

/// The link with this token; none where it is unknown, used, withdrawn or over.
pub async fn find(db: &mut impl Source, token: &str, now: Time) -> DbResult<Option<OpenLink>> {
    links::find(db, sessions::hash(token), now).await
}

/// Uses the link with this token up, unless it no longer works. The caller has locked its user.
pub async fn take(work: &mut Work, token: &str) -> DbResult<Transition> {
    let now = work.now;
    links::take(work, sessions::hash(token), now).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reset_lasts_an_hour_and_an_invitation_seven_days() {
        let day = 86_400_000_000;
        assert_eq!(end(PasswordLinkPurpose::PasswordReset, Time(5)), Time(5 + day / 24));
        assert_eq!(end(PasswordLinkPurpose::Invitation, Time(5)), Time(5 + 7 * day));
    }
}
