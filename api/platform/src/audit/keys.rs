//! Which key vouches for which seals. The seals are append-only, so `secrets rotate` cannot make them anew: it keeps what
//! vouched under the former key, sealed with the new one, and with it the last seal of that key.
//!
//! A retired key vouches for no later seal: who found it in an old backup cannot go on with the chain.

use panel_contract::ids::AuditSealId;
use panel_kernel::error::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::audit::seal::{newest, origin};
use crate::db::{DbError, DbResult, Source, Tx};
use crate::secrets::{KeyId, Secrets, Vouching};
use crate::settings::{self, AUDIT_KEYS, SECRET_KEY_MARK};
use crate::work::Work;

/// A retired key, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Retired {
    /// The last seal that it vouches for.
    last_seal: AuditSealId,
    /// 64 hexadecimal digits.
    vouching: String,
}

/// What vouches for the audit trail of one database.
pub(super) struct AuditKeys {
    retired: Vec<(AuditSealId, Vouching)>,
    present: Vouching,
    mark: String,
}

impl AuditKeys {
    /// Reads them; an error where the key of this database is not configured.
    pub(super) async fn read(db: &mut impl Source, secrets: &Secrets) -> DbResult<Self> {
        let mark = mark_of(settings::stored_text(db, SECRET_KEY_MARK).await?.as_deref(), secrets);
        let present = secrets.vouching(&mark).ok_or_else(|| {
            DbError::Setup("the key that seals the audit trail of this database is not configured".into())
        })?;
        let stored = retired(settings::stored_text(db, AUDIT_KEYS).await?.as_deref(), secrets)
            .map_err(DbError::Setup)?;
        let retired = stored.iter().map(|key| Ok((key.last_seal, Vouching::from_hex(&key.vouching)?)));
        let retired: std::result::Result<_, String> = retired.collect();
        Ok(Self { retired: retired.map_err(DbError::Setup)?, present: present.clone(), mark })
    }

    /// What vouches for new seals.
    pub(super) fn present(&self) -> &Vouching {
        &self.present
    }

    /// What vouches for a seal.
    pub(super) fn of(&self, seal: AuditSealId) -> &Vouching {
        let retired = self.retired.iter().find(|(last_seal, _)| seal <= *last_seal);
        retired.map_or(&self.present, |(_, vouching)| vouching)
    }

    /// Whether no rotation has retired the present key; none can until the transaction ends.
    pub(super) async fn are_present(&self, tx: &mut Tx) -> DbResult<bool> {
        let stored = locked_mark(tx).await?;
        Ok(stored.is_none_or(|stored| json!(self.mark) == stored))
    }
}

/// Makes the key that seals now the key of this database, and retires the one before; which that was, none where it is the
/// key of this database already. The caller has sealed every secret anew.
pub async fn retire(work: &mut Work) -> Result<Option<KeyId>> {
    let app = work.scope().platform.clone();
    let (secrets, now) = (&app.secrets, work.now);
    let Some(stored) = locked_mark(work).await? else { return Ok(None) };
    let mark = stored.as_str().unwrap_or_default();
    if mark == secrets.mark() {
        return Ok(None);
    }
    let (Some(former), Some(vouching)) = (secrets.key_of_mark(mark), secrets.vouching(mark)) else {
        return Err(Error::Fault("the former key of this database is not configured".into()));
    };
    let last_seal = newest(work).await?.unwrap_or_else(origin).id;
    let mut keys =
        retired(settings::stored_text(work, AUDIT_KEYS).await?.as_deref(), secrets).map_err(Error::Fault)?;
    keys.push(Retired { last_seal, vouching: vouching.to_hex() });
    let sealed = settings::sealed(secrets, &app.random, AUDIT_KEYS, &json!(keys).to_string());
    settings::put(work, AUDIT_KEYS, &sealed.map_err(Error::Fault)?, now).await?;
    settings::put(work, SECRET_KEY_MARK, &json!(secrets.mark()), now).await?;
    Ok(Some(former))
}

/// Of which key the database is. One that was never started has no mark yet: it will be of the key that seals.
fn mark_of(stored: Option<&str>, secrets: &Secrets) -> String {
    let stored = stored.and_then(|text| serde_json::from_str(text).ok());
    stored.unwrap_or_else(|| secrets.mark().to_owned())
}

fn retired(stored: Option<&str>, secrets: &Secrets) -> std::result::Result<Vec<Retired>, String> {
    let Some(stored) = stored else { return Ok(Vec::new()) };
    let stored: Value = serde_json::from_str(stored).map_err(|error| error.to_string())?;
    serde_json::from_str(&settings::opened(secrets, AUDIT_KEYS, &stored)?).map_err(|error| error.to_string())
}

/// The mark of the database's key, locked until the transaction ends: seals and the rotation wait for each other.
async fn locked_mark(db: &mut impl Source) -> DbResult<Option<Value>> {
    let stored = settings::lock_stored_text(db, SECRET_KEY_MARK).await?;
    Ok(stored.and_then(|text| serde_json::from_str(&text).ok()))
}
