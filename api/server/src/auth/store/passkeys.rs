//! Statements for passkeys. The credential is stored as JSON of webauthn-rs. Fields that a statement filters by have columns of their
//! own.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use panel_contract::ids::{PasskeyId, UserId};
use panel_contract::moment::Time;
use panel_contract::passkeys::Passkey;
use panel_kernel::error::{Error, Result};
use webauthn_rs::prelude::Passkey as Credential;

use panel_platform::db::{DbResult, Sql, SqlExecutor};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

type PasskeyRow = (PasskeyId, String, Time, Option<Time>);

fn to_passkey((id, name, created_at, last_used_at): PasskeyRow) -> Passkey {
    Passkey { id, name, created_at, last_used_at }
}

const SELECT_PASSKEY: &str = "SELECT id, name, created_at, last_used_at FROM passkeys WHERE user_id = ?";

pub(in crate::auth) async fn list(db: &mut impl SqlExecutor, user_id: UserId) -> DbResult<Vec<Passkey>> {
    let rows: Vec<PasskeyRow> =
        db.fetch_all(Sql::new(SELECT_PASSKEY).bind(user_id).push(" ORDER BY id")).await?;
    Ok(rows.into_iter().map(to_passkey).collect())
}

pub(in crate::auth) async fn find(
    db: &mut impl SqlExecutor,
    user_id: UserId,
    id: PasskeyId,
) -> DbResult<Option<Passkey>> {
    let row: Option<PasskeyRow> =
        db.fetch_optional(Sql::new(SELECT_PASSKEY).bind(user_id).push(" AND id = ?").bind(id)).await?;
    Ok(row.map(to_passkey))
}

pub(in crate::auth) async fn load_credentials(
    db: &mut impl SqlExecutor,
    user_id: UserId,
) -> Result<Vec<Credential>> {
    let sql = Sql::new("SELECT credential FROM passkeys WHERE user_id = ? ORDER BY id").bind(user_id);
    let rows: Vec<(String,)> = db.fetch_all(sql).await?;
    rows.iter().map(|(credential_json,)| parse_credential(credential_json)).collect()
}

/// Loads the credential of an account with this credential id.
pub(in crate::auth) async fn load_credential(
    db: &mut impl SqlExecutor,
    user_id: UserId,
    id: &[u8],
) -> Result<Option<Credential>> {
    let sql = Sql::new("SELECT credential FROM passkeys WHERE user_id = ? AND credential_id = ?");
    let row: Option<(String,)> = db.fetch_optional(sql.bind(user_id).bind(encode_credential_id(id))).await?;
    row.map(|(credential_json,)| parse_credential(&credential_json)).transpose()
}

/// Inserts a passkey. Returns a 409 if the credential is already registered.
pub(in crate::auth) async fn insert(
    work: &mut UnitOfWork,
    user_id: UserId,
    name: &str,
    credential: &Credential,
) -> Result<Passkey> {
    let now = work.now;
    let sql = sql!(
        "INSERT INTO passkeys (user_id, credential_id, credential, name, created_at) \
           VALUES (@user_id, @credential_id, @credential, @name, @now)
         RETURNING id, name, created_at, last_used_at",
        { user_id, credential_id: encode_credential_id(credential.cred_id()), credential: serialize_credential(credential)?, name, now },
    );
    match work.fetch_one::<PasskeyRow>(sql).await {
        Ok(row) => Ok(to_passkey(row)),
        Err(error) if error.is_unique() => {
            let message = "This passkey is already registered. Use another authenticator.";
            Err(Error::conflict("passkey_taken", message))
        }
        Err(error) => Err(error.into()),
    }
}

/// Renames a passkey. Returns false if the account has no passkey with this id.
pub(in crate::auth) async fn rename(
    work: &mut UnitOfWork,
    user_id: UserId,
    id: PasskeyId,
    name: &str,
) -> DbResult<bool> {
    let sql = Sql::new("UPDATE passkeys SET name = ? WHERE user_id = ? AND id = ?");
    Ok(work.execute(sql.bind(name).bind(user_id).bind(id)).await? == 1)
}

/// Deletes a passkey. Returns false if the account has no passkey with this id.
pub(in crate::auth) async fn delete(work: &mut UnitOfWork, user_id: UserId, id: PasskeyId) -> DbResult<bool> {
    let sql = Sql::new("DELETE FROM passkeys WHERE user_id = ? AND id = ?");
    Ok(work.execute(sql.bind(user_id).bind(id)).await? == 1)
}

/// Deletes all passkeys of an account. Returns false if the account has no passkey.
pub(in crate::auth) async fn delete_all(work: &mut UnitOfWork, user_id: UserId) -> DbResult<bool> {
    work.execute(Sql::new("DELETE FROM passkey_ceremonies WHERE user_id = ?").bind(user_id)).await?;
    Ok(work.execute(Sql::new("DELETE FROM passkeys WHERE user_id = ?").bind(user_id)).await? > 0)
}

/// Records that a passkey was used. Returns false if its signature counter did not grow, or if the passkey was removed.
/// Authenticators without a counter send 0.
pub(in crate::auth) async fn update_after_use(
    db: &mut impl SqlExecutor,
    user_id: UserId,
    credential: &Credential,
    counter: i64,
    now: Time,
) -> Result<bool> {
    let id = encode_credential_id(credential.cred_id());
    let sql = sql!(
        "UPDATE passkeys SET credential = @credential, last_counter = @counter, last_used_at = @now
         WHERE user_id = @user_id AND credential_id = @id AND (last_counter < @counter OR (last_counter = 0 AND @counter = 0))",
        { credential: serialize_credential(credential)?, counter, now, user_id, id },
    );
    Ok(db.execute(sql).await? == 1)
}

fn encode_credential_id(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn parse_credential(credential_json: &str) -> Result<Credential> {
    serde_json::from_str(credential_json)
        .map_err(|error| Error::Internal(format!("a stored passkey cannot be read: {error}")))
}

fn serialize_credential(credential: &Credential) -> Result<String> {
    serde_json::to_string(credential).map_err(|error| Error::Internal(error.to_string()))
}
