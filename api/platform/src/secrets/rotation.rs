//! Reseals every secret with the current key, so that a former key can be removed, and counts the values of each key.
//!
//! Each write requires that the value is still the one that was read, so the panel can serve meanwhile: what staff change is
//! sealed with the current key anyway. An interrupted run leaves values of both keys, all of them readable, and the next run
//! continues with the rest. The former key is retired only once no value of it is left.

use std::collections::BTreeMap;

use futures_util::TryStreamExt as _;
use panel_contract::ids::RecordId;
use panel_kernel::error::{Error, Result};
use serde_json::{Value, json};

use crate::audit;
use crate::audit::change::AuditChange;
use crate::db::{Db, DbResult, Source, Sql};
use crate::platform::Platform;
use crate::scope::Scope;
use crate::secrets::sealed_columns::{SEALED, SealedColumn};
use crate::secrets::{KeyId, SealedBy, Secrets};
use crate::settings;

/// Rows of one read, and of one transaction of writes.
const BATCH: i64 = 200;
/// Limit of passes over all values, while other processes change them.
const MAX_PASSES: usize = 10;
/// Largest number of values that an error lists.
const MAX_LISTED: usize = 10;

/// Number of values and documents by the key that sealed them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SealStatus {
    /// Values of the database.
    pub values: BTreeMap<SealedBy, u64>,
    /// Documents.
    pub documents: BTreeMap<SealedBy, u64>,
    /// Documents that are not encrypted.
    pub plain_documents: u64,
}

/// Result of a rotation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RotationResult {
    /// Number of resealed values of the database.
    pub values: u64,
    /// Number of resealed documents.
    pub documents: u64,
    /// Number of values that another process sealed with the former key during the rotation.
    pub late: u64,
    /// The retired key; none where the current key was the key of the database already.
    pub retired: Option<KeyId>,
}

/// Result of one pass over all values.
#[derive(Debug, Default)]
struct PassResult {
    values: u64,
    documents: u64,
    changed_meanwhile: u64,
    unreadable: Vec<String>,
}

/// Prints a progress line for the operator.
pub type Progress<'a> = &'a (dyn Fn(&str) + Send + Sync);

/// Counts the values of each key. Changes nothing.
pub async fn status(platform: &Platform) -> Result<SealStatus> {
    let mut status = SealStatus::default();
    for column in SEALED {
        let mut after = None;
        loop {
            let rows = batch(&mut &platform.db, column, after).await?;
            let Some((last, _)) = rows.last() else { break };
            after = Some(*last);
            for (_, sealed) in &rows {
                *status.values.entry(platform.secrets.sealed_by(sealed)).or_default() += 1;
            }
        }
    }
    for key in settings::sealed_keys() {
        if let Some(sealed) = setting(&platform.db, key).await?.as_ref().and_then(settings::sealed_bytes) {
            *status.values.entry(platform.secrets.sealed_by(&sealed)).or_default() += 1;
        }
    }
    let mut names = platform.uploads.private_names();
    while let Some(name) = names.try_next().await? {
        match platform.uploads.private_sealed_by(&name).await? {
            Some(key) => *status.documents.entry(key).or_default() += 1,
            None => status.plain_documents += 1,
        }
    }
    Ok(status)
}

/// Finds the values that no configured key opens; one line each.
pub async fn find_unreadable(db: &Db, secrets: &Secrets) -> Result<Vec<String>> {
    let mut unreadable = Vec::new();
    for column in SEALED {
        let mut after = None;
        loop {
            let rows = batch(&mut &*db, column, after).await?;
            let Some((last, _)) = rows.last() else { break };
            after = Some(*last);
            for (id, sealed) in rows {
                if let Err(error) = secrets.open(&sealed, &column.place(id)) {
                    unreadable.push(format!("{}.{} of {id}: {error}", column.table, column.column));
                }
            }
        }
    }
    for key in settings::sealed_keys() {
        let stored = setting(db, key).await?;
        if let Some(Err(error)) = stored.map(|stored| settings::open_value(secrets, key, &stored)) {
            unreadable.push(format!("setting {key}: {error}"));
        }
    }
    Ok(unreadable)
}

/// Reseals every value that another key sealed. Safe to run again, and in several processes.
pub async fn rotate(platform: &Platform, progress: Progress<'_>) -> Result<RotationResult> {
    let mut result = RotationResult::default();
    for _ in 0..MAX_PASSES {
        let pass = run_pass(platform, progress).await?;
        result.values += pass.values;
        result.documents += pass.documents;
        if !pass.unreadable.is_empty() {
            return Err(Error::Fault(unreadable_message(&pass.unreadable)));
        }
        if pass.changed_meanwhile == 0 {
            break;
        }
    }
    let mut work = Scope::system(platform, "secrets rotate").begin().await?;
    result.retired = audit::retire(&mut work).await?;
    if result.retired.is_some() || result.values + result.documents > 0 {
        let old = json!({ "key": result.retired.map(|key| key.to_string()) });
        let new = json!({ "key": platform.secrets.key_id().to_string(), "values": result.values, "documents": result.documents });
        audit::record(&mut work, "secrets.rotated", "setting", AuditChange { id: RecordId::NONE, old, new })
            .await?;
    }
    work.finish(()).await?;
    // A process that still seals with the former key may have written meanwhile.
    let last = run_pass(platform, progress).await?;
    result.late = last.values + last.documents;
    Ok(result)
}

fn unreadable_message(unreadable: &[String]) -> String {
    let more = unreadable.len().saturating_sub(MAX_LISTED);
    let shown = unreadable.iter().take(MAX_LISTED).map(String::as_str).collect::<Vec<_>>().join("\n  ");
    let more = if more > 0 { format!("\n  and {more} more") } else { String::new() };
    format!(
        "the configured keys cannot open these values; list the key that sealed them in former_secret_keys, or enter \
         the secrets again. Everything else is resealed, and the former keys are still needed:\n  {shown}{more}"
    )
}

async fn run_pass(platform: &Platform, progress: Progress<'_>) -> Result<PassResult> {
    let mut pass = PassResult::default();
    for column in SEALED {
        reseal_column(platform, column, &mut pass, progress).await?;
    }
    reseal_settings(platform, &mut pass).await?;
    let mut names = platform.uploads.private_names();
    while let Some(name) = names.try_next().await? {
        match platform.uploads.reseal_private(&platform.random, &name).await? {
            Ok(false) => {}
            Ok(true) => {
                pass.documents += 1;
                if pass.documents.is_multiple_of(BATCH.unsigned_abs()) {
                    progress(&format!("documents: {} resealed", pass.documents));
                }
            }
            Err(error) => pass.unreadable.push(format!("document {name}: {error}")),
        }
    }
    Ok(pass)
}

async fn reseal_column(
    platform: &Platform,
    column: &SealedColumn,
    pass: &mut PassResult,
    progress: Progress<'_>,
) -> Result<()> {
    let (mut after, mut resealed) = (None, 0);
    loop {
        let rows = batch(&mut &platform.db, column, after).await?;
        let Some((last, _)) = rows.last() else { break };
        after = Some(*last);
        let mut changed = Vec::new();
        for (id, before) in rows {
            match platform.secrets.reseal(&platform.random, &before, &column.place(id)) {
                Ok(Some(new)) => changed.push((id, before, new)),
                Ok(None) => {}
                Err(error) => {
                    pass.unreadable.push(format!("{}.{} of {id}: {error}", column.table, column.column))
                }
            }
        }
        if changed.is_empty() {
            continue;
        }
        let mut tx = platform.db.begin().await?;
        let mut written = 0;
        for (id, before, new) in changed {
            match replace_if_unchanged(&mut tx, column, id, before, new).await? {
                true => written += 1,
                false => pass.changed_meanwhile += 1,
            }
        }
        tx.commit().await?;
        resealed += written;
        progress(&format!("{}.{}: {resealed} values resealed", column.table, column.column));
    }
    pass.values += resealed;
    Ok(())
}

async fn reseal_settings(platform: &Platform, pass: &mut PassResult) -> Result<()> {
    for key in settings::sealed_keys() {
        let Some(before) = setting(&platform.db, key).await? else { continue };
        let is_current = settings::sealed_bytes(&before)
            .is_some_and(|sealed| matches!(platform.secrets.sealed_by(&sealed), SealedBy::Current(_)));
        if is_current {
            continue;
        }
        let resealed = settings::open_value(&platform.secrets, key, &before)
            .and_then(|opened| settings::seal_value(&platform.secrets, &platform.random, key, &opened));
        match resealed {
            Ok(resealed) => {
                match settings::replace_if_equal(&mut &platform.db, key, &before, &resealed).await? {
                    true => pass.values += 1,
                    false => pass.changed_meanwhile += 1,
                }
            }
            Err(error) => pass.unreadable.push(format!("setting {key}: {error}")),
        }
    }
    Ok(())
}

async fn setting(db: &Db, key: &str) -> Result<Option<Value>> {
    Ok(settings::get(&mut &*db, key).await?.filter(|value| !value.is_null()))
}

/// The next rows with a sealed value: key and value.
async fn batch(
    db: &mut impl Source,
    of: &SealedColumn,
    after: Option<RecordId>,
) -> DbResult<Vec<(RecordId, Vec<u8>)>> {
    let sql = Sql::new("SELECT ").push(of.key).push(", ").push(of.column).push(" FROM ").push(of.table);
    let sql = sql.push(" WHERE ").push(of.key).push(" > ?").bind(after.map_or(i64::MIN, RecordId::get));
    let sql = sql.push(" AND ").push(of.column).push(" IS NOT NULL ORDER BY ").push(of.key);
    db.all(sql.push(" LIMIT ?").bind(BATCH)).await
}

/// Writes one value where it is still the one that was read; returns whether it was.
async fn replace_if_unchanged(
    db: &mut impl Source,
    of: &SealedColumn,
    id: RecordId,
    before: Vec<u8>,
    after: Vec<u8>,
) -> DbResult<bool> {
    let sql = Sql::new("UPDATE ").push(of.table).push(" SET ").push(of.column).push(" = ?").bind(after);
    let sql = sql
        .push(" WHERE ")
        .push(of.key)
        .push(" = ?")
        .bind(id)
        .push(" AND ")
        .push(of.column)
        .push(" = ?")
        .bind(before);
    Ok(db.exec(sql).await? == 1)
}
