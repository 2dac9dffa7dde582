//! Verifies that the audit trail matches its seals. It only reads, one range of the chain at a time.

use panel_contract::audits::{AuditSeal, AuditVerification};
use panel_contract::ids::AuditSealId;
use panel_kernel::error::{Error, Result};

use super::keys::AuditKeys;
use super::seal::{self, Seal, genesis};
use crate::db::sql::hex;
use crate::db::{Db, DbResult, Source, Sql};
use crate::secrets::Secrets;

/// Seals of one range.
const SEALS_PER_RANGE: i64 = 100;
/// Largest number of problems that the result of one range lists.
const MAX_PROBLEMS: usize = 20;

/// Verifies the next range of seals after `after`, or the first range.
pub async fn verify_range(
    mut db: &Db,
    secrets: &Secrets,
    after: Option<AuditSealId>,
) -> Result<AuditVerification> {
    let keys = AuditKeys::read(&mut db, secrets).await?;
    let mut before = start(db, after).await?;
    let sql = Sql::new(
        "SELECT id, first_id, last_id, n, hash, created_at FROM audit_seals WHERE id > ? ORDER BY id LIMIT ?",
    );
    let seals: Vec<Seal> = db.all(sql.bind(before.id).bind(SEALS_PER_RANGE)).await?;
    let is_end = seals.len() < usize::try_from(SEALS_PER_RANGE).unwrap_or(usize::MAX);
    let mut result = AuditVerification {
        whole: true,
        seals: 0,
        rows: 0,
        broken: Vec::new(),
        head: None,
        unsealed: 0,
        next: seals.last().filter(|_| !is_end).map(|seal| seal.id),
    };
    for seal in seals {
        result.seals += 1;
        result.rows += seal.n;
        if let Some(problem) = find_problem(db, &keys, &before, &seal).await? {
            result.whole = false;
            if result.broken.len() < MAX_PROBLEMS {
                result.broken.push(problem);
            }
        }
        before = seal;
    }
    if is_end {
        let sql = Sql::new("SELECT count(*) FROM audits WHERE id > ?").bind(before.last_id);
        result.unsealed = db.one::<(i64,)>(sql).await?.0;
    }
    result.head = (before.id.get() > 0).then(|| to_audit_seal(&before));
    Ok(result)
}

/// Verifies the whole chain and returns its problems, one sentence each.
pub async fn verify_all(db: &Db, secrets: &Secrets) -> Result<Vec<String>> {
    let (mut broken, mut after) = (Vec::new(), None);
    loop {
        let result = verify_range(db, secrets, after).await?;
        broken.extend(result.broken);
        after = result.next;
        if after.is_none() {
            return Ok(broken);
        }
    }
}

async fn start(mut db: &Db, after: Option<AuditSealId>) -> Result<Seal> {
    let Some(id) = after else { return Ok(genesis()) };
    let sql = Sql::new("SELECT id, first_id, last_id, n, hash, created_at FROM audit_seals WHERE id = ?");
    db.opt(sql.bind(id))
        .await?
        .ok_or_else(|| Error::invalid("after", "not_found", format!("There is no seal {id}.")))
}

/// How the entries differ from those that the seal covers; none where they match.
async fn find_problem(db: &Db, keys: &AuditKeys, before: &Seal, seal: &Seal) -> DbResult<Option<String>> {
    let (first, last) = (seal.first_id, seal.last_id);
    if seal.id != seal::next_id(before) {
        return Ok(Some(format!("Seal {} is missing.", seal::next_id(before))));
    }
    // One entry more than the seal covers is enough to detect an addition.
    let entries = seal::load_entries(db, before.last_id, last, seal.n.saturating_add(1)).await?;
    let recomputed = seal::seal_entries(keys.of(seal.id), before, &entries, seal.created_at);
    Ok(match recomputed {
        Some(recomputed) if recomputed == *seal => None,
        Some(recomputed) if recomputed.n > seal.n => {
            Some(format!("Entries were added between {first} and {last}: {} were sealed.", seal.n))
        }
        Some(recomputed) if recomputed.n == seal.n => Some(format!(
            "Entries {first} to {last} are not as they were sealed, or seal {} is not as it was made.",
            seal.id
        )),
        recomputed => Some(format!(
            "Entries are missing between {first} and {last}: {} of {} are there.",
            recomputed.map_or(0, |recomputed| recomputed.n),
            seal.n
        )),
    })
}

fn to_audit_seal(seal: &Seal) -> AuditSeal {
    AuditSeal { id: seal.id, last_id: seal.last_id, created_at: seal.created_at, hash: hex(&seal.hash) }
}
