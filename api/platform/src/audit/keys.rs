//! Finds the key that authenticates a seal of the audit trail. Seals are append-only, so `secrets rotate` cannot compute them again
//! with the new key. It stores the MAC key of the former key, encrypted with the new key, and the last seal of the former key.
//!
//! A retired key authenticates no later seal: an attacker who finds it in an old backup cannot continue the chain.

use panel_contract::ids::AuditSealId;
use panel_kernel::error::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::audit::seal::{genesis_seal, load_newest_seal};
use crate::db::{DbError, DbResult, SqlExecutor, Tx};
use crate::secrets::{KeyId, MacKey, Secrets};
use crate::settings::{self, AUDIT_KEYS, SECRET_KEY_FINGERPRINT};
use crate::work::UnitOfWork;

/// A retired key, as the setting [`AUDIT_KEYS`] stores it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct RetiredKey {
    /// The last seal that the key authenticates.
    last_seal: AuditSealId,
    /// 64 hexadecimal digits.
    #[serde(rename = "vouching")]
    mac_key: String,
}

/// The keys that authenticate the audit trail of one database.
pub(super) struct AuditKeys {
    /// The last seal of each retired key, and the key.
    retired: Vec<(AuditSealId, MacKey)>,
    current: MacKey,
    /// Fingerprint of the key that seals the secrets of this database.
    fingerprint: String,
}

impl AuditKeys {
    /// Loads the keys. Returns an error if the key of this database is not configured.
    pub(super) async fn load(db: &mut impl SqlExecutor, secrets: &Secrets) -> DbResult<Self> {
        let stored = settings::read_stored_text(db, SECRET_KEY_FINGERPRINT).await?;
        let fingerprint = parse_fingerprint(stored.as_deref(), secrets);
        let current = secrets.mac_key(&fingerprint).ok_or_else(|| {
            DbError::Setup("the key that seals the audit trail of this database is not configured".into())
        })?;
        let retired_keys =
            parse_retired_keys(settings::read_stored_text(db, AUDIT_KEYS).await?.as_deref(), secrets)
                .map_err(DbError::Setup)?;
        let retired = retired_keys.iter().map(|key| Ok((key.last_seal, MacKey::from_hex(&key.mac_key)?)));
        let retired: std::result::Result<_, String> = retired.collect();
        Ok(Self { retired: retired.map_err(DbError::Setup)?, current: current.clone(), fingerprint })
    }

    /// The key that authenticates new seals.
    pub(super) fn current(&self) -> &MacKey {
        &self.current
    }

    /// The key that authenticates an existing seal.
    pub(super) fn key_for(&self, seal: AuditSealId) -> &MacKey {
        let retired = self.retired.iter().find(|(last_seal, _)| seal <= *last_seal);
        retired.map_or(&self.current, |(_, key)| key)
    }

    /// Whether no rotation has retired the current key. Locks the fingerprint, so that no rotation can retire it before the
    /// transaction ends.
    pub(super) async fn are_current(&self, tx: &mut Tx) -> DbResult<bool> {
        let stored = lock_fingerprint(tx).await?;
        Ok(stored.is_none_or(|stored| json!(self.fingerprint) == stored))
    }
}

/// Makes the configured key the key of this database, and retires the former key. Returns the id of the former key; `None` if the
/// configured key already is the key of this database. The caller has resealed every secret before.
pub async fn retire_former_key(work: &mut UnitOfWork) -> Result<Option<KeyId>> {
    let app = work.scope().platform.clone();
    let (secrets, now) = (&app.secrets, work.now);
    let Some(stored) = lock_fingerprint(work).await? else { return Ok(None) };
    let fingerprint = stored.as_str().unwrap_or_default();
    if fingerprint == secrets.fingerprint() {
        return Ok(None);
    }
    let former_key = (secrets.key_by_fingerprint(fingerprint), secrets.mac_key(fingerprint));
    let (Some(former_key_id), Some(mac_key)) = former_key else {
        return Err(Error::Internal("the former key of this database is not configured".into()));
    };
    let last_seal = load_newest_seal(work).await?.unwrap_or_else(genesis_seal).id;
    let mut retired_keys =
        parse_retired_keys(settings::read_stored_text(work, AUDIT_KEYS).await?.as_deref(), secrets)
            .map_err(Error::Internal)?;
    retired_keys.push(RetiredKey { last_seal, mac_key: mac_key.to_hex() });
    let sealed = settings::seal_value(secrets, &app.random, AUDIT_KEYS, &json!(retired_keys).to_string());
    settings::put(work, AUDIT_KEYS, &sealed.map_err(Error::Internal)?, now).await?;
    settings::put(work, SECRET_KEY_FINGERPRINT, &json!(secrets.fingerprint()), now).await?;
    Ok(Some(former_key_id))
}

/// Parses the fingerprint of the database's key. A database that no panel has used yet stores none, and gets the current key.
fn parse_fingerprint(stored: Option<&str>, secrets: &Secrets) -> String {
    let stored = stored.and_then(|text| serde_json::from_str(text).ok());
    stored.unwrap_or_else(|| secrets.fingerprint().to_owned())
}

fn parse_retired_keys(
    stored: Option<&str>,
    secrets: &Secrets,
) -> std::result::Result<Vec<RetiredKey>, String> {
    let Some(stored) = stored else { return Ok(Vec::new()) };
    let stored: Value = serde_json::from_str(stored).map_err(|error| error.to_string())?;
    serde_json::from_str(&settings::open_value(secrets, AUDIT_KEYS, &stored)?)
        .map_err(|error| error.to_string())
}

/// Reads the fingerprint of the database's key and locks it until the transaction ends, so that sealing and rotation wait for
/// each other.
async fn lock_fingerprint(db: &mut impl SqlExecutor) -> DbResult<Option<Value>> {
    let stored = settings::lock_stored_text(db, SECRET_KEY_FINGERPRINT).await?;
    Ok(stored.and_then(|text| serde_json::from_str(&text).ok()))
}
