//! Links that are emailed to members of staff and let them set a password once: after they forgot theirs, or with an
//! invitation. The token is made when the email leaves, so the database only ever holds its hash; a retried email has a new
//! token. It never sets a password itself (`password_links` does) and never says whether an address has an account.

use std::time::Duration;

use panel_contract::moment::Time;
use panel_contract::password_links::PasswordLinkPurpose;
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::app::App;
use crate::auth::{sessions, store};
use crate::emails::{self, Recipient};
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::jobs::failure::Failure;
use panel_platform::mail::Email;
use panel_platform::scope::Scope;
use panel_platform::settings;
use panel_platform::sql;
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
    if !may_sign_in(&mut work, account.id).await? {
        return Ok(None);
    }
    let known = created_at(&mut work, account.id, purpose).await?;
    if known.is_some_and(|known| known > asked_at) {
        return Ok(None);
    }
    let link = NewLink { user_id: account.id, purpose, email: &account.email, created_at: asked_at };
    put(&mut work, &link, Some(sessions::hash(token))).await?;
    // A retried email is the same request.
    if known != Some(asked_at) {
        let new = json!({ "ip_address": ip });
        let change = Change { id: account.id, old: json!({}), new };
        audit::record(&mut work, "user.password_reset_requested", "user", change).await?;
    }
    work.finish(()).await?;
    Ok(Some(Recipient { name: account.name, email: account.email }))
}

/// Emails the link of the invitation that was made at `invited_at`, unless it was withdrawn or replaced since.
pub(crate) async fn mail_invitation(
    app: &App,
    user_id: i64,
    invited_at: Time,
    mark: &str,
) -> Result<(), Failure> {
    let token = app.random.token();
    let filled = fill(&mut &app.db, user_id, invited_at, sessions::hash(&token), app.clock.now()).await;
    if !filled.map_err(|error| later(error.into()))? {
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
pub async fn invite(work: &mut Work, user_id: i64, email: &str) -> Result<()> {
    let purpose = PasswordLinkPurpose::Invitation;
    let link = NewLink { user_id, purpose, email, created_at: work.now };
    put(work, &link, None).await
}

// Store

/// A link that works.
#[derive(Debug, sqlx::FromRow)]
pub struct OpenLink {
    /// Whose password it sets.
    pub user_id: i64,
    /// Why it was sent.
    pub purpose: PasswordLinkPurpose,
    /// When it ends.
    pub expires_at: Time,
    /// The user's name.
    pub name: String,
    /// The user's email address.
    pub email: String,
}

/// A link works until its end, while its account is one of active staff and has the address that it was sent to.
const WORKS: &str =
    "token_hash = ? AND expires_at > ? AND EXISTS (SELECT 1 FROM users o WHERE o.id = l.user_id
  AND o.email = l.email AND o.status <> 'deactivated' AND o.is_staff = TRUE)";

/// The link with this token; none where it is unknown, used, withdrawn or over.
pub async fn find(db: &mut impl Source, token: &str, now: Time) -> DbResult<Option<OpenLink>> {
    let sql = Sql::new(
        "SELECT l.user_id, l.purpose, l.expires_at, u.name, u.email FROM account_links l JOIN users u ON u.id = l.user_id WHERE l.",
    );
    db.opt(sql.push(WORKS).bind(sessions::hash(token)).bind(now)).await
}

/// Uses a link up; false where it no longer works. The caller has locked its user.
pub async fn take(work: &mut Work, token: &str) -> DbResult<bool> {
    let now = work.now;
    let sql = Sql::new("DELETE FROM account_links AS l WHERE l.").push(WORKS);
    Ok(work.exec(sql.bind(sessions::hash(token)).bind(now)).await? == 1)
}

/// Ends all links of users, as their passwords are no longer what the links were made for.
pub async fn end_all(work: &mut Work, users: &[i64]) -> DbResult<()> {
    work.exec(Sql::new("DELETE FROM account_links WHERE user_id IN ").ids(users)).await?;
    Ok(())
}

/// Ends the invitation of a user; false where there is none.
pub async fn withdraw(work: &mut Work, user_id: i64) -> DbResult<bool> {
    let sql = Sql::new("DELETE FROM account_links WHERE user_id = ? AND purpose = ?").bind(user_id);
    Ok(work.exec(sql.bind(PasswordLinkPurpose::Invitation.as_str())).await? == 1)
}

struct NewLink<'a> {
    user_id: i64,
    purpose: PasswordLinkPurpose,
    email: &'a str,
    created_at: Time,
}

async fn put(work: &mut Work, link: &NewLink<'_>, token_hash: Option<Vec<u8>>) -> Result<()> {
    let sql = sql!(
        "INSERT INTO account_links (user_id, purpose, token_hash, email, created_at, expires_at) \
           VALUES (@user_id, @purpose, @token_hash, @email, @created_at, @expires_at)
         ON CONFLICT (user_id, purpose) DO UPDATE SET token_hash = excluded.token_hash, email = excluded.email,
           created_at = excluded.created_at, expires_at = excluded.expires_at",
        {
            user_id: link.user_id,
            purpose: link.purpose.as_str(),
            token_hash,
            email: link.email,
            created_at: link.created_at,
            expires_at: end(link.purpose, link.created_at),
        },
    );
    work.exec(sql).await?;
    Ok(())
}

async fn created_at(work: &mut Work, user_id: i64, purpose: PasswordLinkPurpose) -> DbResult<Option<Time>> {
    let sql = Sql::new("SELECT created_at FROM account_links WHERE user_id = ? AND purpose = ?");
    Ok(work.opt::<(Time,)>(sql.bind(user_id).bind(purpose.as_str())).await?.map(|row| row.0))
}

/// Gives an invitation the token of the email that leaves now; false where it was withdrawn, replaced or is over.
async fn fill(
    db: &mut impl Source,
    user_id: i64,
    created_at: Time,
    token_hash: Vec<u8>,
    now: Time,
) -> DbResult<bool> {
    let sql = sql!(
        "UPDATE account_links SET token_hash = @token_hash WHERE user_id = @user_id AND purpose = @purpose \
           AND created_at = @created_at AND expires_at > @now",
        { token_hash, user_id, purpose: PasswordLinkPurpose::Invitation.as_str(), created_at, now },
    );
    Ok(db.exec(sql).await? == 1)
}

async fn may_sign_in(work: &mut Work, user_id: i64) -> DbResult<bool> {
    let sql = Sql::new("SELECT id FROM users WHERE id = ? AND status <> 'deactivated' AND is_staff = TRUE");
    Ok(work.opt::<(i64,)>(sql.bind(user_id)).await?.is_some())
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
