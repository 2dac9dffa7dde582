//! Links by which members of staff set a password: the only writes of the table but the erasure of personal data. It has the
//! hashes of tokens, never a token.

use panel_contract::ids::UserId;
use panel_contract::moment::Time;
use panel_contract::password_links::PasswordLinkPurpose;
use panel_domain::states::account_links::{AccountLinkEvent, AccountLinkState, AccountLinks};
use panel_platform::db::state::{StoredStates, Transition, transition};
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::sql;

/// How the states of a link are stored.
pub const STATES: StoredStates<AccountLinks> = StoredStates {
    table: "account_links",
    conditions: &[
        (&[AccountLinkState::Prepared], "account_links.token_hash IS NULL"),
        (&[AccountLinkState::Mailed], "account_links.token_hash IS NOT NULL"),
    ],
};

/// A link that works.
#[derive(Debug, sqlx::FromRow)]
pub struct OpenLink {
    /// Whose password it sets.
    pub user_id: UserId,
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
pub async fn find(db: &mut impl Source, token_hash: Vec<u8>, now: Time) -> DbResult<Option<OpenLink>> {
    let sql = Sql::new(
        "SELECT l.user_id, l.purpose, l.expires_at, u.name, u.email FROM account_links l JOIN users u ON u.id = l.user_id WHERE l.",
    );
    db.opt(sql.push(WORKS).bind(token_hash).bind(now)).await
}

/// Uses a link up, unless it no longer works. The caller has locked its user.
pub async fn take(db: &mut impl Source, token_hash: Vec<u8>, now: Time) -> DbResult<Transition> {
    let sql = Sql::new("DELETE FROM account_links AS l WHERE l.").push(WORKS);
    transition(db, sql.bind(token_hash).bind(now)).await
}

/// Ends all links of users, as their passwords are no longer what the links were made for.
pub async fn end_all(db: &mut impl Source, users: &[UserId]) -> DbResult<()> {
    db.exec(Sql::new("DELETE FROM account_links WHERE user_id IN ").ids(users)).await.map(drop)
}

/// Ends the invitation of a user, where there is one.
pub async fn withdraw(db: &mut impl Source, user_id: UserId) -> DbResult<Transition> {
    let sql = Sql::new("DELETE FROM account_links WHERE user_id = ? AND purpose = ?").bind(user_id);
    transition(db, sql.bind(PasswordLinkPurpose::Invitation.as_str())).await
}

/// A link that replaces the one of the same user and purpose.
#[derive(Debug, Clone, Copy)]
pub struct NewLink<'a> {
    /// Whose password it sets.
    pub user_id: UserId,
    /// Why it is sent.
    pub purpose: PasswordLinkPurpose,
    /// Where it is sent.
    pub email: &'a str,
    /// When it was asked for.
    pub created_at: Time,
    /// When it ends.
    pub expires_at: Time,
}

/// Writes a link, prepared or with the token of the email that leaves now.
pub async fn put(db: &mut impl Source, link: NewLink<'_>, token_hash: Option<Vec<u8>>) -> DbResult<()> {
    let sql = sql!(
        "INSERT INTO account_links (user_id, purpose, token_hash, email, created_at, expires_at)
         VALUES (@user_id, @purpose, @token_hash, @email, @created_at, @expires_at)
         ON CONFLICT (user_id, purpose) DO UPDATE SET token_hash = excluded.token_hash, email = excluded.email,
           created_at = excluded.created_at, expires_at = excluded.expires_at",
        {
            user_id: link.user_id,
            purpose: link.purpose.as_str(),
            token_hash,
            email: link.email,
            created_at: link.created_at,
            expires_at: link.expires_at,
        },
    );
    db.exec(sql).await.map(drop)
}

/// When the link of a user for a purpose was asked for.
pub async fn created_at(
    db: &mut impl Source,
    user_id: UserId,
    purpose: PasswordLinkPurpose,
) -> DbResult<Option<Time>> {
    let sql = Sql::new("SELECT created_at FROM account_links WHERE user_id = ? AND purpose = ?");
    Ok(db.opt::<(Time,)>(sql.bind(user_id).bind(purpose.as_str())).await?.map(|row| row.0))
}

/// Gives an invitation the token of the email that leaves now, unless it was withdrawn, replaced or is over.
pub async fn mark_mailed(
    db: &mut impl Source,
    (user_id, created_at): (UserId, Time),
    token_hash: Vec<u8>,
    now: Time,
) -> DbResult<Transition> {
    let sql = sql!(
        "UPDATE account_links SET token_hash = @token_hash WHERE user_id = @user_id AND purpose = @purpose \
           AND created_at = @created_at AND expires_at > @now",
        { token_hash, user_id, purpose: PasswordLinkPurpose::Invitation.as_str(), created_at, now },
    );
    transition(db, sql.append(STATES.leaving(AccountLinkEvent::Mail))).await
}
