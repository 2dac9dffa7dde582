//! Stores the links with which staff members set a password. Only this module and the erasure of personal data write the table.
//! The table holds hashes of tokens, never a token.

use panel_contract::ids::UserId;
use panel_contract::moment::Time;
use panel_contract::password_links::PasswordLinkPurpose;
use panel_domain::states::account_links::{AccountLinkEvent, AccountLinkState, AccountLinks};
use panel_platform::db::state::{StoredStates, Transition, transition};
use panel_platform::db::{DbResult, Sql, SqlExecutor};
use panel_platform::sql;

pub const STATES: StoredStates<AccountLinks> = StoredStates {
    table: "account_links",
    conditions: &[
        (&[AccountLinkState::Prepared], "account_links.token_hash IS NULL"),
        (&[AccountLinkState::Mailed], "account_links.token_hash IS NOT NULL"),
    ],
};

/// A link that can still be used.
#[derive(Debug, sqlx::FromRow)]
pub struct UsableLink {
    pub user_id: UserId,
    pub purpose: PasswordLinkPurpose,
    pub expires_at: Time,
    pub name: String,
    pub email: String,
}

/// SQL condition: the link with this token hash has not expired, and its account belongs to an active staff member whose email
/// is still the address to which the link was sent. Binds the token hash and the current time.
const USABLE_CONDITION: &str =
    "token_hash = ? AND expires_at > ? AND EXISTS (SELECT 1 FROM users o WHERE o.id = l.user_id
  AND o.email = l.email AND o.status <> 'deactivated' AND o.is_staff = TRUE)";

/// Returns the link with this token hash, or `None` if it is unknown, used, withdrawn or expired.
pub async fn find_usable(
    db: &mut impl SqlExecutor,
    token_hash: Vec<u8>,
    now: Time,
) -> DbResult<Option<UsableLink>> {
    let sql = Sql::new(
        "SELECT l.user_id, l.purpose, l.expires_at, u.name, u.email FROM account_links l JOIN users u ON u.id = l.user_id WHERE l.",
    );
    db.fetch_optional(sql.push(USABLE_CONDITION).bind(token_hash).bind(now)).await
}

/// Deletes a link if it is still usable, so that it works once. The caller has locked its user.
pub async fn consume(db: &mut impl SqlExecutor, token_hash: Vec<u8>, now: Time) -> DbResult<Transition> {
    let sql = Sql::new("DELETE FROM account_links AS l WHERE l.").push(USABLE_CONDITION);
    transition(db, sql.bind(token_hash).bind(now)).await
}

/// Deletes all links of these users, because their passwords changed after the links were sent.
pub async fn delete_all(db: &mut impl SqlExecutor, users: &[UserId]) -> DbResult<()> {
    db.execute(Sql::new("DELETE FROM account_links WHERE user_id IN ").ids(users)).await.map(drop)
}

/// Deletes the invitation of a user, if there is one.
pub async fn withdraw_invitation(db: &mut impl SqlExecutor, user_id: UserId) -> DbResult<Transition> {
    let sql = Sql::new("DELETE FROM account_links WHERE user_id = ? AND purpose = ?").bind(user_id);
    transition(db, sql.bind(PasswordLinkPurpose::Invitation.as_str())).await
}

/// A link that replaces the one of the same user and purpose.
#[derive(Debug, Clone, Copy)]
pub struct NewLink<'a> {
    pub user_id: UserId,
    pub purpose: PasswordLinkPurpose,
    pub email: &'a str,
    pub created_at: Time,
    pub expires_at: Time,
}

/// Inserts a link, or replaces the one of the same user and purpose. `token_hash` is `None` until the email is sent.
pub async fn upsert(
    db: &mut impl SqlExecutor,
    link: NewLink<'_>,
    token_hash: Option<Vec<u8>>,
) -> DbResult<()> {
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
    db.execute(sql).await.map(drop)
}

/// Returns the time at which the link of this user and purpose was requested.
pub async fn load_created_at(
    db: &mut impl SqlExecutor,
    user_id: UserId,
    purpose: PasswordLinkPurpose,
) -> DbResult<Option<Time>> {
    let sql = Sql::new("SELECT created_at FROM account_links WHERE user_id = ? AND purpose = ?");
    Ok(db
        .fetch_optional::<(Time,)>(sql.bind(user_id).bind(purpose.as_str()))
        .await?
        .map(|(created_at,)| created_at))
}

/// Stores the token hash of an invitation whose email is sent now, unless it was withdrawn, replaced or has expired.
pub async fn mark_mailed(
    db: &mut impl SqlExecutor,
    (user_id, created_at): (UserId, Time),
    token_hash: Vec<u8>,
    now: Time,
) -> DbResult<Transition> {
    let sql = sql!(
        "UPDATE account_links SET token_hash = @token_hash WHERE user_id = @user_id AND purpose = @purpose \
           AND created_at = @created_at AND expires_at > @now",
        { token_hash, user_id, purpose: PasswordLinkPurpose::Invitation.as_str(), created_at, now },
    );
    transition(db, sql.append(STATES.condition_for(AccountLinkEvent::Mail))).await
}
