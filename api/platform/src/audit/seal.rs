//! The sealer adds the entries of the audit trail to a hash chain, up to a thousand entries per seal, outside of requests.
//!
//! A seal is a keyed hash over the previous seal and the entries since then; the database does not contain the key (`keys`). The
//! chain cannot prevent that an attacker changes, adds or removes an entry, but it shows that. The sealer never changes an entry.

use panel_contract::ids::{AuditId, AuditSealId, RecordId, UserId};
use panel_contract::moment::Time;
use sha2::{Digest as _, Sha256};

use crate::audit::keys::AuditKeys;
use crate::db::sql::hex;
use crate::db::transaction_horizon::transaction_horizon;
use crate::db::{Db, DbResult, Sql, SqlExecutor};
use crate::platform::Platform;
use crate::secrets::MacKey;
use crate::sql;

const MAX_ENTRIES_PER_SEAL: i64 = 1_000;
/// Limits one poll, so that a long unsealed trail does not delay the other upkeep.
const MAX_SEALS_PER_POLL: u64 = 200;

#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Seal {
    /// Counts from 1 without gaps.
    pub id: AuditSealId,
    /// The first sealed entry.
    pub first_id: AuditId,
    /// The last sealed entry.
    pub last_id: AuditId,
    /// Number of sealed entries.
    pub n: i64,
    pub hash: Vec<u8>,
    pub created_at: Time,
}

/// The predecessor of the first seal.
pub(super) fn genesis_seal() -> Seal {
    Seal {
        id: AuditSealId::new(0),
        first_id: AuditId::new(0),
        last_id: AuditId::new(i64::MIN),
        n: 0,
        hash: vec![0; 32],
        created_at: Time(0),
    }
}

/// Returns the id of the seal after `previous`; ids of seals have no gaps.
pub(super) fn next_id(previous: &Seal) -> AuditSealId {
    AuditSealId::new(previous.id.get() + 1)
}

/// The fields of an audit entry that a seal covers.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct SealedEntry {
    id: AuditId,
    created_at: i64,
    user_id: Option<UserId>,
    ip_address: String,
    user_agent: String,
    request_id: String,
    event: String,
    auditable_type: String,
    auditable_id: RecordId,
    old_values: String,
    new_values: String,
    restores: Option<String>,
}

impl SealedEntry {
    /// Adds the entry to `hasher`. The length precedes each text, so that two different entries never have the same digest.
    fn add_to(&self, hasher: &mut Sha256) {
        let user = self.user_id.map_or(i64::MIN, UserId::get);
        for number in [self.id.get(), self.created_at, user, self.auditable_id.get()] {
            hasher.update(number.to_be_bytes());
        }
        let texts = [
            &self.ip_address,
            &self.user_agent,
            &self.request_id,
            &self.event,
            &self.auditable_type,
            &self.old_values,
            &self.new_values,
        ];
        for text in texts.into_iter().chain(&self.restores) {
            hasher.update(text.len().to_be_bytes());
            hasher.update(text.as_bytes());
        }
    }
}

/// Computes the seal of `entries`, which follow the seal `previous`; `None` without entries.
pub(super) fn compute_seal(
    key: &MacKey,
    previous: &Seal,
    entries: &[SealedEntry],
    now: Time,
) -> Option<Seal> {
    let (first, last) = (entries.first()?, entries.last()?);
    let mut hasher = Sha256::new();
    entries.iter().for_each(|entry| entry.add_to(&mut hasher));
    let mut seal = Seal {
        id: next_id(previous),
        first_id: first.id,
        last_id: last.id,
        n: i64::try_from(entries.len()).unwrap_or(i64::MAX),
        hash: Vec::new(),
        created_at: now,
    };
    let mut message = previous.hash.clone();
    for number in [seal.id.get(), seal.first_id.get(), seal.last_id.get(), seal.n, now.0] {
        message.extend(number.to_be_bytes());
    }
    message.extend(hasher.finalize());
    seal.hash = key.mac("audit_seals", &message).to_vec();
    Some(seal)
}

/// Loads the entries with ids above `after` and up to `last`, ascending, at most `limit` of them.
pub(super) async fn load_entries(
    mut db: &Db,
    after: AuditId,
    last: AuditId,
    limit: i64,
) -> DbResult<Vec<SealedEntry>> {
    let sql = Sql::new(
        "SELECT id, created_at, user_id, ip_address, user_agent, request_id, event, auditable_type, auditable_id, old_values, new_values, restores
         FROM audits WHERE id > ? AND id <= ? ORDER BY id LIMIT ?",
    );
    db.fetch_all(sql.bind(after).bind(last).bind(limit)).await
}

pub(super) async fn load_newest_seal(db: &mut impl SqlExecutor) -> DbResult<Option<Seal>> {
    db.fetch_optional(Sql::new(
        "SELECT id, first_id, last_id, n, hash, created_at FROM audit_seals ORDER BY id DESC LIMIT 1",
    ))
    .await
}

/// The sealer may seal the entries up to `last_id` after all transactions with numbers below `horizon` have ended: one of them may
/// still commit an entry with a lower id. The horizon is `None` until the next poll.
#[derive(Debug, Clone, Copy)]
struct SealTarget {
    last_id: AuditId,
    horizon: Option<i64>,
}

/// Seals the trail at intervals. A process may lose this state between two polls: the next poll chooses a target again.
#[derive(Debug, Default)]
pub struct Sealer(Option<SealTarget>);

impl Sealer {
    /// Runs one poll; returns how many entries it sealed. Safe in several processes: if two of them seal the same entries, the
    /// second one writes nothing.
    pub async fn poll(&mut self, platform: &Platform) -> DbResult<i64> {
        let transactions = transaction_horizon(&platform.db).await?;
        let mut sealed_count = 0;
        match self.0 {
            Some(SealTarget { last_id, horizon: Some(horizon) })
                if horizon <= transactions.oldest_running =>
            {
                let (count, is_complete) = seal_up_to(platform, last_id).await?;
                sealed_count = count;
                // No running transaction can commit an entry below the other entries of this target either.
                self.0 = if is_complete { find_target(&platform.db).await? } else { self.0 };
            }
            // The poll before this one chose the target: now the horizon includes every transaction that had an id at that time.
            Some(SealTarget { last_id, horizon: None }) => {
                self.0 = Some(SealTarget { last_id, horizon: Some(transactions.next_number) });
            }
            Some(_) => {}
            None => self.0 = find_target(&platform.db).await?,
        }
        Ok(sealed_count)
    }
}

/// Writes the newest seal to the log. The operator stores the log on another machine, so that an attacker who removes the end of
/// the trail cannot remove this proof.
pub async fn log_newest_seal(mut db: &Db) -> DbResult<()> {
    if let Some(seal) = load_newest_seal(&mut db).await? {
        tracing::info!(
            seal = seal.id.get(),
            last_id = seal.last_id.get(),
            hash = hex(&seal.hash),
            "newest seal of the audit trail"
        );
    }
    Ok(())
}

/// Returns the newest unsealed entry as the target; `None` if all entries are sealed.
async fn find_target(mut db: &Db) -> DbResult<Option<SealTarget>> {
    let last_sealed_id = load_newest_seal(&mut db).await?.unwrap_or_else(genesis_seal).last_id;
    let (last,): (Option<AuditId>,) =
        db.fetch_one(Sql::new("SELECT max(id) FROM audits WHERE id > ?").bind(last_sealed_id)).await?;
    Ok(last.map(|last_id| SealTarget { last_id, horizon: None }))
}

/// Seals entries up to `last`; returns how many it sealed, and whether it has finished.
async fn seal_up_to(platform: &Platform, last: AuditId) -> DbResult<(i64, bool)> {
    let mut sealed_count = 0;
    let keys = AuditKeys::load(&mut &platform.db, &platform.secrets).await?;
    let mut previous = load_newest_seal(&mut &platform.db).await?.unwrap_or_else(genesis_seal);
    for _ in 0..MAX_SEALS_PER_POLL {
        let entries = load_entries(&platform.db, previous.last_id, last, MAX_ENTRIES_PER_SEAL).await?;
        let Some(seal) = compute_seal(keys.current(), &previous, &entries, platform.clock.now()) else {
            return Ok((sealed_count, true));
        };
        if !insert_if_new(&platform.db, &keys, &seal).await? {
            // Another process has sealed these entries first and continues, or a rotation retired the key: the next poll uses the
            // new key.
            return Ok((sealed_count, true));
        }
        sealed_count += seal.n;
        previous = seal;
    }
    Ok((sealed_count, false))
}

/// Inserts a seal; returns false if another process has inserted it, or a rotation has retired the key.
async fn insert_if_new(db: &Db, keys: &AuditKeys, seal: &Seal) -> DbResult<bool> {
    let mut tx = db.begin().await?;
    if !keys.are_current(&mut tx).await? {
        return Ok(false);
    }
    let sql = sql!(
        "INSERT INTO audit_seals (id, first_id, last_id, n, hash, created_at) \
           VALUES (@id, @first_id, @last_id, @n, @hash, @created_at) ON CONFLICT DO NOTHING",
        {
            id: seal.id,
            first_id: seal.first_id,
            last_id: seal.last_id,
            n: seal.n,
            hash: seal.hash.clone(),
            created_at: seal.created_at,
        },
    );
    let is_new = tx.execute(sql).await? == 1;
    tx.commit().await?;
    Ok(is_new)
}
