//! Looks whether the audit trail is as it was sealed. It only reads, a stretch of the chain at a time.

use panel_contract::audits::{AuditSeal, AuditVerification};
use panel_contract::ids::AuditSealId;
use panel_kernel::error::{Error, Result};

use super::keys::AuditKeys;
use super::seal::{self, Seal, origin};
use crate::db::sql::hex;
use crate::db::{Db, DbResult, Source, Sql};
use crate::secrets::Secrets;

/// Seals of one stretch.
const SEALS: i64 = 100;
/// Most sentences of one stretch.
const SENTENCES: usize = 20;

/// Looks at the seals behind `after`.
pub async fn stretch(
    mut db: &Db,
    secrets: &Secrets,
    after: Option<AuditSealId>,
) -> Result<AuditVerification> {
    let keys = AuditKeys::read(&mut db, secrets).await?;
    let mut before = start(db, after).await?;
    let sql = Sql::new(
        "SELECT id, first_id, last_id, n, hash, created_at FROM audit_seals WHERE id > ? ORDER BY id LIMIT ?",
    );
    let seals: Vec<Seal> = db.all(sql.bind(before.id).bind(SEALS)).await?;
    let is_end = seals.len() < usize::try_from(SEALS).unwrap_or(usize::MAX);
    let mut found = AuditVerification {
        whole: true,
        seals: 0,
        rows: 0,
        broken: Vec::new(),
        head: None,
        unsealed: 0,
        next: seals.last().filter(|_| !is_end).map(|seal| seal.id),
    };
    for seal in seals {
        found.seals += 1;
        found.rows += seal.n;
        if let Some(sentence) = wrong(db, &keys, &before, &seal).await? {
            found.whole = false;
            if found.broken.len() < SENTENCES {
                found.broken.push(sentence);
            }
        }
        before = seal;
    }
    if is_end {
        let sql = Sql::new("SELECT count(*) FROM audits WHERE id > ?").bind(before.last_id);
        found.unsealed = db.one::<(i64,)>(sql).await?.0;
    }
    found.head = (before.id.get() > 0).then(|| shown(&before));
    Ok(found)
}

/// Looks at the whole chain; what is wrong with it.
pub async fn all(db: &Db, secrets: &Secrets) -> Result<Vec<String>> {
    let (mut broken, mut after) = (Vec::new(), None);
    loop {
        let found = stretch(db, secrets, after).await?;
        broken.extend(found.broken);
        after = found.next;
        if after.is_none() {
            return Ok(broken);
        }
    }
}

async fn start(mut db: &Db, after: Option<AuditSealId>) -> Result<Seal> {
    let Some(id) = after else { return Ok(origin()) };
    let sql = Sql::new("SELECT id, first_id, last_id, n, hash, created_at FROM audit_seals WHERE id = ?");
    db.opt(sql.bind(id))
        .await?
        .ok_or_else(|| Error::invalid("after", "not_found", format!("There is no seal {id}.")))
}

/// What is wrong with the entries under one seal.
async fn wrong(db: &Db, keys: &AuditKeys, before: &Seal, seal: &Seal) -> DbResult<Option<String>> {
    let (first, last) = (seal.first_id, seal.last_id);
    if seal.id != seal::next_id(before) {
        return Ok(Some(format!("Seal {} is missing.", seal::next_id(before))));
    }
    // One more than there should be is enough to know.
    let entries = seal::entries(db, before.last_id, last, seal.n.saturating_add(1)).await?;
    let again = seal::over(keys.of(seal.id), before, &entries, seal.created_at);
    Ok(match again {
        Some(again) if again == *seal => None,
        Some(again) if again.n > seal.n => {
            Some(format!("Entries were added between {first} and {last}: {} were sealed.", seal.n))
        }
        Some(again) if again.n == seal.n => Some(format!(
            "Entries {first} to {last} are not as they were sealed, or seal {} is not as it was made.",
            seal.id
        )),
        again => Some(format!(
            "Entries are missing between {first} and {last}: {} of {} are there.",
            again.map_or(0, |again| again.n),
            seal.n
        )),
    })
}

fn shown(seal: &Seal) -> AuditSeal {
    AuditSeal { id: seal.id, last_id: seal.last_id, created_at: seal.created_at, hash: hex(&seal.hash) }
}
