//! The sealer: chains what was written to the audit trail, a thousand entries a link, beside the requests.
//!
//! A link is a keyed hash over the link before and the entries behind it; the key is not in the database (`keys`). It shows
//! that something was changed, added or taken away later; it cannot prevent it. It never touches an entry.

use panel_contract::ids::{AuditId, AuditSealId, RecordId, UserId};
use panel_contract::moment::Time;
use sha2::{Digest as _, Sha256};

use crate::audit::keys::AuditKeys;
use crate::db::flight::in_flight;
use crate::db::sql::hex;
use crate::db::{Db, DbResult, Source, Sql};
use crate::platform::Platform;
use crate::secrets::Vouching;
use crate::sql;

/// Entries under one seal.
const ENTRIES: i64 = 1_000;
/// Seals of one look, so that a long past does not keep the upkeep from the rest.
const SEALS: u64 = 200;

/// A seal as the database has it.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Seal {
    /// Counts from 1 without gaps.
    pub id: AuditSealId,
    /// The first entry under it.
    pub first_id: AuditId,
    /// The last.
    pub last_id: AuditId,
    /// How many.
    pub n: i64,
    /// The keyed hash.
    pub hash: Vec<u8>,
    /// When.
    pub created_at: Time,
}

/// What stands before the first seal.
pub(super) fn origin() -> Seal {
    Seal {
        id: AuditSealId::new(0),
        first_id: AuditId::new(0),
        last_id: AuditId::new(i64::MIN),
        n: 0,
        hash: vec![0; 32],
        created_at: Time(0),
    }
}

/// Seals count without gaps: the id behind `before`.
pub(super) fn next_id(before: &Seal) -> AuditSealId {
    AuditSealId::new(before.id.get() + 1)
}

/// An entry as it is sealed.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct Entry {
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

impl Entry {
    /// Every text with its length in front, so that no two entries look the same.
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

/// The seal over `entries`, behind `before`; none without entries.
pub(super) fn over(vouching: &Vouching, before: &Seal, entries: &[Entry], now: Time) -> Option<Seal> {
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
    seal.hash = vouching.vouch("audit_seals", &message).to_vec();
    Some(seal)
}

/// Entries behind `above`, up to `last`, in order; at most `most`.
pub(super) async fn entries(mut db: &Db, above: AuditId, last: AuditId, most: i64) -> DbResult<Vec<Entry>> {
    let sql = Sql::new(
        "SELECT id, created_at, user_id, ip_address, user_agent, request_id, event, auditable_type, auditable_id, old_values, new_values, restores
         FROM audits WHERE id > ? AND id <= ? ORDER BY id LIMIT ?",
    );
    db.all(sql.bind(above).bind(last).bind(most)).await
}

/// The newest seal.
pub(super) async fn newest(db: &mut impl Source) -> DbResult<Option<Seal>> {
    db.opt(Sql::new(
        "SELECT id, first_id, last_id, n, hash, created_at FROM audit_seals ORDER BY id DESC LIMIT 1",
    ))
    .await
}

/// Everything up to `last_id` may be sealed once the transactions before `horizon` have ended: a slow one may still
/// bring an entry with a lower id.
#[derive(Debug, Clone, Copy)]
struct Mark {
    last_id: AuditId,
    horizon: Option<i64>,
}

/// Looks now and then; what it remembers in between may be lost.
#[derive(Debug, Default)]
pub struct Sealer(Option<Mark>);

impl Sealer {
    /// One look; answers how many entries were sealed. Safe in several processes: who comes second seals nothing.
    pub async fn look(&mut self, platform: &Platform) -> DbResult<i64> {
        let (ended, begun) = in_flight(&platform.db).await?;
        let mut sealed = 0;
        match self.0 {
            Some(Mark { last_id, horizon: Some(horizon) }) if horizon <= ended => {
                let (n, all) = seal_up_to(platform, last_id).await?;
                sealed = n;
                // What is left over is final already.
                self.0 = if all { mark(&platform.db).await? } else { self.0 };
            }
            // Not in the look that marked it: whoever had an id by then has begun in the database's eyes by now.
            Some(Mark { last_id, horizon: None }) => self.0 = Some(Mark { last_id, horizon: Some(begun) }),
            Some(_) => {}
            None => self.0 = mark(&platform.db).await?,
        }
        Ok(sealed)
    }
}

/// Writes the newest seal to the log, which is stored elsewhere: an attacker who cuts the end off the trail cannot change that.
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

async fn mark(mut db: &Db) -> DbResult<Option<Mark>> {
    let sealed = newest(&mut db).await?.unwrap_or_else(origin).last_id;
    let (last,): (Option<AuditId>,) =
        db.one(Sql::new("SELECT max(id) FROM audits WHERE id > ?").bind(sealed)).await?;
    Ok(last.map(|last_id| Mark { last_id, horizon: None }))
}

/// Seals entries up to `last`; how many, and whether that was all.
async fn seal_up_to(platform: &Platform, last: AuditId) -> DbResult<(i64, bool)> {
    let mut sealed = 0;
    let keys = AuditKeys::read(&mut &platform.db, &platform.secrets).await?;
    let mut before = newest(&mut &platform.db).await?.unwrap_or_else(origin);
    for _ in 0..SEALS {
        let entries = entries(&platform.db, before.last_id, last, ENTRIES).await?;
        let Some(seal) = over(keys.present(), &before, &entries, platform.clock.now()) else {
            return Ok((sealed, true));
        };
        if !insert(&platform.db, &keys, &seal).await? {
            // Another process was first and goes on, or the key was rotated: the next look takes the new one.
            return Ok((sealed, true));
        }
        sealed += seal.n;
        before = seal;
    }
    Ok((sealed, false))
}

async fn insert(db: &Db, keys: &AuditKeys, seal: &Seal) -> DbResult<bool> {
    let mut tx = db.begin().await?;
    if !keys.are_present(&mut tx).await? {
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
