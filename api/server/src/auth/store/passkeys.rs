//! Passkeys in the database. The credential is JSON of webauthn-rs; what the panel asks for has columns of its own.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use panel_contract::ids::{PasskeyId, UserId};
use panel_contract::moment::Time;
use panel_contract::passkeys::Passkey;
use panel_kernel::error::{Error, Result};
use webauthn_rs::prelude::Passkey as Credential;

use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::sql;
use panel_platform::work::Work;

type Row = (PasskeyId, String, Time, Option<Time>);

fn shown((id, name, created_at, last_used_at): Row) -> Passkey {
    Passkey { id, name, created_at, last_used_at }
}

const SHOWN: &str = "SELECT id, name, created_at, last_used_at FROM passkeys WHERE user_id = ?";

/// The passkeys of an account.
pub(in crate::auth) async fn all(db: &mut impl Source, user: UserId) -> DbResult<Vec<Passkey>> {
    let rows: Vec<Row> = db.all(Sql::new(SHOWN).bind(user).push(" ORDER BY id")).await?;
    Ok(rows.into_iter().map(shown).collect())
}

/// One passkey of an account.
pub(in crate::auth) async fn find(
    db: &mut impl Source,
    user: UserId,
    id: PasskeyId,
) -> DbResult<Option<Passkey>> {
    let row: Option<Row> = db.opt(Sql::new(SHOWN).bind(user).push(" AND id = ?").bind(id)).await?;
    Ok(row.map(shown))
}

/// The credentials of an account.
pub(in crate::auth) async fn credentials(db: &mut impl Source, user: UserId) -> Result<Vec<Credential>> {
    let sql = Sql::new("SELECT credential FROM passkeys WHERE user_id = ? ORDER BY id").bind(user);
    let rows: Vec<(String,)> = db.all(sql).await?;
    rows.iter().map(|(text,)| read(text)).collect()
}

/// The credential of an account with this id.
pub(in crate::auth) async fn credential(
    db: &mut impl Source,
    user: UserId,
    id: &[u8],
) -> Result<Option<Credential>> {
    let sql = Sql::new("SELECT credential FROM passkeys WHERE user_id = ? AND credential_id = ?");
    let row: Option<(String,)> = db.opt(sql.bind(user).bind(id_of(id))).await?;
    row.map(|(text,)| read(&text)).transpose()
}

/// Adds a passkey; a credential that an account has already is a 409.
pub(in crate::auth) async fn insert(
    work: &mut Work,
    user: UserId,
    name: &str,
    credential: &Credential,
) -> Result<Passkey> {
    let now = work.now;
    let sql = sql!(
        "INSERT INTO passkeys (user_id, credential_id, credential, name, created_at) \
           VALUES (@user_id, @credential_id, @credential, @name, @now)
         RETURNING id, name, created_at, last_used_at",
        { user_id: user, credential_id: id_of(credential.cred_id()), credential: write(credential)?, name, now },
    );
    match work.one::<Row>(sql).await {
        Ok(row) => Ok(shown(row)),
        Err(error) if error.is_unique() => {
            let message = "This passkey is registered already; use another authenticator.";
            Err(Error::conflict("passkey_taken", message))
        }
        Err(error) => Err(error.into()),
    }
}

/// Renames a passkey; false where the account has none with this id.
pub(in crate::auth) async fn rename(
    work: &mut Work,
    user: UserId,
    id: PasskeyId,
    name: &str,
) -> DbResult<bool> {
    let sql = Sql::new("UPDATE passkeys SET name = ? WHERE user_id = ? AND id = ?");
    Ok(work.exec(sql.bind(name).bind(user).bind(id)).await? == 1)
}

/// Removes a passkey; false where the account has none with this id.
pub(in crate::auth) async fn delete(work: &mut Work, user: UserId, id: PasskeyId) -> DbResult<bool> {
    let sql = Sql::new("DELETE FROM passkeys WHERE user_id = ? AND id = ?");
    Ok(work.exec(sql.bind(user).bind(id)).await? == 1)
}

/// Removes all passkeys of an account; false where it has none.
pub(in crate::auth) async fn forget_all(work: &mut Work, user: UserId) -> DbResult<bool> {
    work.exec(Sql::new("DELETE FROM passkey_ceremonies WHERE user_id = ?").bind(user)).await?;
    Ok(work.exec(Sql::new("DELETE FROM passkeys WHERE user_id = ?").bind(user)).await? > 0)
}

/// Notes a use; false where the counter did not grow, or the passkey is gone. Authenticators that do not count send 0.
pub(in crate::auth) async fn write_use(
    db: &mut impl Source,
    user: UserId,
    credential: &Credential,
    counter: i64,
    now: Time,
) -> Result<bool> {
    let id = id_of(credential.cred_id());
    let sql = sql!(
        "UPDATE passkeys SET credential = @credential, last_counter = @counter, last_used_at = @now
         WHERE user_id = @user AND credential_id = @id AND (last_counter < @counter OR (last_counter = 0 AND @counter = 0))",
        { credential: write(credential)?, counter, now, user, id },
    );
    Ok(db.exec(sql).await? == 1)
}

fn id_of(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn read(text: &str) -> Result<Credential> {
    serde_json::from_str(text)
        .map_err(|error| Error::Fault(format!("a stored passkey cannot be read: {error}")))
}

fn write(credential: &Credential) -> Result<String> {
    serde_json::to_string(credential).map_err(|error| Error::Fault(error.to_string()))
}
