//! The sealer: seals the audit trail in a hash chain, up to a thousand entries per seal, outside of requests.
//!
//! A seal is a keyed hash over the seal before it and the entries since; the key is not in the database (`keys`). The chain
//! shows that an entry was changed, added or removed later; it cannot prevent it. The sealer never changes an entry.

use panel_contract::ids::{AuditId, AuditSealId, RecordId, UserId};
use panel_contract::moment::Time;
use sha2::{Digest as _, Sha256};

use crate::audit::keys::AuditKeys;
use crate::db::sql::hex;
use crate::db::transaction_horizon::transaction_horizon;
use crate::db::{Db, DbResult, Source, Sql};
use crate::platform::Platform;
use crate::secrets::MacKey;
use crate::sql;

/// Largest number of entries of one seal.
const ENTRIES_PER_SEAL: i64 = 1_000;
/// Seals of one poll, so that a long unsealed trail does not delay the other upkeep.
const SEALS_PER_POLL: u64 = 200;

/// A stored seal.
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
    /// The keyed hash.
    pub hash: Vec<u8>,
    /// When the seal was made.
    pub created_at: Time,
}

/// The predecessor of the first seal.
pub(super) fn genesis() -> Seal {
    Seal {
        id: AuditSealId::new(0),
        first_id: AuditId::new(0),
        last_id: AuditId::new(i64::MIN),
        n: 0,
        hash: vec![0; 32],
        created_at: Time(0),
    }
}

/// The id that follows `before`; ids of seals have no gaps.
pub(super) fn next_id(before: &Seal) -> AuditSealId {
    AuditSealId::new(before.id.get() + 1)
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
    /// Hashes every text behind its length, so that no two different entries have the same digest.
    fn digest(&self, into: &mut Sha256) {
        let user = self.user_id.map_or(i64::MIN, UserId::get);
        for number in [self.id.get(), self.created_at, user, self.auditable_id.get()] {
            into.update(number.to_be_bytes());
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
            into.update(text.len().to_be_bytes());
            into.update(text.as_bytes());
        }
    }
}

/// The seal of `entries`, whose predecessor is `before`; none without entries.
pub(super) fn seal_entries(key: &MacKey, before: &Seal, entries: &[SealedEntry], now: Time) -> Option<Seal> {
    let (first, last) = (entries.first()?, entries.last()?);
    let mut digest = Sha256::new();
    entries.iter().for_each(|entry| entry.digest(&mut digest));
    let mut seal = Seal {
        id: next_id(before),
        first_id: first.id,
        last_id: last.id,
        n: i64::try_from(entries.len()).unwrap_or(i64::MAX),
        hash: Vec::new(),
        created_at: now,
    };
    let mut message = before.hash.clone();
    for number in [seal.id.get(), seal.first_id.get(), seal.last_id.get(), seal.n, now.0] {
        message.extend(number.to_be_bytes());
    }
    message.extend(digest.finalize());
    seal.hash = key.mac("audit_seals", &message).to_vec();
    Some(seal)
}

/// The entries after `above` and up to `last`, ascending, at most `limit` of them.
pub(super) async fn load_entries(
    mut db: &Db,
    above: AuditId,
    last: AuditId,
    limit: i64,
) -> DbResult<Vec<SealedEntry>> {
    let sql = Sql::new(
        "SELECT id, created_at, user_id, ip_address, user_agent, request_id, event, auditable_type, auditable_id, old_values, new_values, restores
         FROM audits WHERE id > ? AND id <= ? ORDER BY id LIMIT ?",
    );
    db.all(sql.bind(above).bind(last).bind(limit)).await
}

/// The newest seal.
pub(super) async fn newest(db: &mut impl Source) -> DbResult<Option<Seal>> {
    db.opt(Sql::new(
        "SELECT id, first_id, last_id, n, hash, created_at FROM audit_seals ORDER BY id DESC LIMIT 1",
    ))
    .await
}

/// The entries up to `last_id` may be sealed once the transactions below `horizon` have ended: a slow one may still commit
/// an entry with a lower id.
#[derive(Debug, Clone, Copy)]
struct SealTarget {
    last_id: AuditId,
    horizon: Option<i64>,
}

/// Seals the trail at intervals. Its state between two polls may be lost.
#[derive(Debug, Default)]
pub struct Sealer(Option<SealTarget>);

impl Sealer {
    /// One poll; returns how many entries were sealed. Safe in several processes: of two that seal the same entries, the
    /// second writes nothing.
    pub async fn poll(&mut self, platform: &Platform) -> DbResult<i64> {
        let transactions = transaction_horizon(&platform.db).await?;
        let mut sealed = 0;
        match self.0 {
            Some(SealTarget { last_id, horizon: Some(horizon) })
                if horizon <= transactions.oldest_running =>
            {
                let (n, is_complete) = seal_up_to(platform, last_id).await?;
                sealed = n;
                // The entries that are left have no running transaction below them either.
                self.0 = if is_complete { next_target(&platform.db).await? } else { self.0 };
            }
            // Only in the poll after the one that chose the target: by now the database counts every transaction that had an
            // id at that time.
            Some(SealTarget { last_id, horizon: None }) => {
                self.0 = Some(SealTarget { last_id, horizon: Some(transactions.next) });
            }
            Some(_) => {}
            None => self.0 = next_target(&platform.db).await?,
        }
        Ok(sealed)
    }
}

/// Writes the newest seal to the log, which is stored elsewhere: an attacker who removes the end of the trail cannot change it.
pub async fn log_newest(mut db: &Db) -> DbResult<()> {
    if let Some(seal) = newest(&mut db).await? {
        tracing::info!(
            seal = seal.id.get(),
            last_id = seal.last_id.get(),
            hash = hex(&seal.hash),
            "audit log"
        );
    }
    Ok(())
}

async fn next_target(mut db: &Db) -> DbResult<Option<SealTarget>> {
    let sealed = newest(&mut db).await?.unwrap_or_else(genesis).last_id;
    let (last,): (Option<AuditId>,) =
        db.one(Sql::new("SELECT max(id) FROM audits WHERE id > ?").bind(sealed)).await?;
    Ok(last.map(|last_id| SealTarget { last_id, horizon: None }))
}

/// Seals entries up to `last`; returns how many, and whether none is left.
async fn seal_up_to(platform: &Platform, last: AuditId) -> DbResult<(i64, bool)> {
    let mut sealed = 0;
    let keys = AuditKeys::read(&mut &platform.db, &platform.secrets).await?;
    let mut before = newest(&mut &platform.db).await?.unwrap_or_else(genesis);
    for _ in 0..SEALS_PER_POLL {
        let entries = load_entries(&platform.db, before.last_id, last, ENTRIES_PER_SEAL).await?;
        let Some(seal) = seal_entries(keys.current(), &before, &entries, platform.clock.now()) else {
            return Ok((sealed, true));
        };
        if !insert(&platform.db, &keys, &seal).await? {
            // Another process sealed them first and continues, or the key was rotated: the next poll uses the new one.
            return Ok((sealed, true));
        }
        sealed += seal.n;
        before = seal;
    }
    Ok((sealed, false))
}

async fn insert(db: &Db, keys: &AuditKeys, seal: &Seal) -> DbResult<bool> {
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
    let is_new = tx.exec(sql).await? == 1;
    tx.commit().await?;
    Ok(is_new)
}
