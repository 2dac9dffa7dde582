//! Verifies that the entries of the audit trail match their seals, one range of the chain at a time. It writes nothing.

use panel_contract::audits::{AuditSeal, AuditVerification};
use panel_contract::ids::AuditSealId;
use panel_kernel::error::{Error, Result};

use super::keys::AuditKeys;
use super::seal::{self, Seal, genesis_seal};
use crate::db::sql::hex;
use crate::db::{Db, DbResult, Sql, SqlExecutor};
use crate::secrets::Secrets;

const SEALS_PER_RANGE: i64 = 100;
/// Largest number of problems that the result of one range lists.
const MAX_PROBLEMS: usize = 20;

/// Verifies the range of seals after the seal `after`, or the first range.
pub async fn verify_range(
    mut db: &Db,
    secrets: &Secrets,
    after: Option<AuditSealId>,
) -> Result<AuditVerification> {
    let keys = AuditKeys::load(&mut db, secrets).await?;
    let mut previous = load_previous_seal(db, after).await?;
    let sql = Sql::new(
        "SELECT id, first_id, last_id, n, hash, created_at FROM audit_seals WHERE id > ? ORDER BY id LIMIT ?",
    );
    let seals: Vec<Seal> = db.fetch_all(sql.bind(previous.id).bind(SEALS_PER_RANGE)).await?;
    let is_end = seals.len() < usize::try_from(SEALS_PER_RANGE).unwrap_or(usize::MAX);
    let mut result = AuditVerification {
        is_intact: true,
        seals: 0,
        rows: 0,
        problems: Vec::new(),
        head: None,
        unsealed: 0,
        next: seals.last().filter(|_| !is_end).map(|seal| seal.id),
    };
    for seal in seals {
        result.seals += 1;
        result.rows += seal.n;
        if let Some(problem) = find_problem(db, &keys, &previous, &seal).await? {
            result.is_intact = false;
            if result.problems.len() < MAX_PROBLEMS {
                result.problems.push(problem);
            }
        }
        previous = seal;
    }
    if is_end {
        let sql = Sql::new("SELECT count(*) FROM audits WHERE id > ?").bind(previous.last_id);
        result.unsealed = db.fetch_one::<(i64,)>(sql).await?.0;
    }
    result.head = (previous.id.get() > 0).then(|| to_audit_seal(&previous));
    Ok(result)
}

/// Verifies the whole chain and returns its problems, one sentence each.
pub async fn verify_all(db: &Db, secrets: &Secrets) -> Result<Vec<String>> {
    let (mut problems, mut after) = (Vec::new(), None);
    loop {
        let result = verify_range(db, secrets, after).await?;
        problems.extend(result.problems);
        after = result.next;
        if after.is_none() {
            return Ok(problems);
        }
    }
}

async fn load_previous_seal(mut db: &Db, after: Option<AuditSealId>) -> Result<Seal> {
    let Some(id) = after else { return Ok(genesis_seal()) };
    let sql = Sql::new("SELECT id, first_id, last_id, n, hash, created_at FROM audit_seals WHERE id = ?");
    db.fetch_optional(sql.bind(id))
        .await?
        .ok_or_else(|| Error::invalid("after", "not_found", format!("There is no seal {id}.")))
}

/// Describes how the stored entries differ from the sealed ones; `None` if they match.
async fn find_problem(db: &Db, keys: &AuditKeys, previous: &Seal, seal: &Seal) -> DbResult<Option<String>> {
    let (first, last) = (seal.first_id, seal.last_id);
    if seal.id != seal::next_id(previous) {
        return Ok(Some(format!("Seal {} is missing.", seal::next_id(previous))));
    }
    // One entry more than the seal covers is enough to detect an addition.
    let entries = seal::load_entries(db, previous.last_id, last, seal.n.saturating_add(1)).await?;
    let recomputed = seal::compute_seal(keys.key_for(seal.id), previous, &entries, seal.created_at);
    Ok(match recomputed {
        Some(recomputed) if recomputed == *seal => None,
        Some(recomputed) if recomputed.n > seal.n => {
            Some(format!("Entries were added between {first} and {last}: only {} were sealed.", seal.n))
        }
        Some(recomputed) if recomputed.n == seal.n => Some(format!(
            "Entries {first} to {last} were changed after they were sealed, or seal {} itself was changed.",
            seal.id
        )),
        recomputed => Some(format!(
            "Entries are missing between {first} and {last}: only {} of {} exist.",
            recomputed.map_or(0, |recomputed| recomputed.n),
            seal.n
        )),
    })
}

fn to_audit_seal(seal: &Seal) -> AuditSeal {
    AuditSeal { id: seal.id, last_id: seal.last_id, created_at: seal.created_at, hash: hex(&seal.hash) }
}
