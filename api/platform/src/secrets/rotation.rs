//! Reseals every secret with the current key, so that the operator can remove a former key, and counts the values of each key.
//!
//! The panel can serve requests during a rotation: each write requires that the value has not changed since it was read, and the
//! panel seals changed values with the current key anyway. An interrupted run leaves values of both keys, all of them readable; the
//! next run continues. The rotation retires the former key only after it has resealed every value of that key.

use std::collections::BTreeMap;

use futures_util::TryStreamExt as _;
use panel_contract::ids::RecordId;
use panel_kernel::error::{Error, Result};
use serde_json::{Value, json};

use crate::audit;
use crate::audit::change::AuditChange;
use crate::db::{Db, DbResult, Sql, SqlExecutor};
use crate::platform::Platform;
use crate::scope::Scope;
use crate::secrets::sealed_columns::{SEALED_COLUMNS, SealedColumn};
use crate::secrets::{KeyId, SealedBy, Secrets};
use crate::settings;

/// Rows of one read, and of one transaction of writes.
const BATCH_SIZE: i64 = 200;
/// Limit of the passes over all values; another pass is necessary if other processes have changed values during a pass.
const MAX_PASSES: usize = 10;
/// Largest number of values that an error message lists.
const MAX_LISTED: usize = 10;

/// Number of values and documents by the key that sealed them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SealStatus {
    /// Values in the database.
    pub values: BTreeMap<SealedBy, u64>,
    pub documents: BTreeMap<SealedBy, u64>,
    /// Documents that are not encrypted.
    pub plain_documents: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RotationResult {
    /// Number of resealed values in the database.
    pub values: u64,
    /// Number of resealed documents.
    pub documents: u64,
    /// Number of values that another process sealed with the former key during the rotation.
    pub resealed_in_last_pass: u64,
    /// The retired key; `None` if the current key already was the key of the database.
    pub retired: Option<KeyId>,
}

/// Result of one pass over all values.
#[derive(Debug, Default)]
struct PassResult {
    values: u64,
    documents: u64,
    /// Number of values that another process changed between the read and the write.
    concurrently_changed: u64,
    /// One line for each value that no configured key opens.
    unreadable: Vec<String>,
}

/// Prints a progress line for the operator.
pub type Progress<'a> = &'a (dyn Fn(&str) + Send + Sync);

/// Counts the sealed values of each key. It writes nothing.
pub async fn count_values_by_key(platform: &Platform) -> Result<SealStatus> {
    let mut status = SealStatus::default();
    for column in SEALED_COLUMNS {
        let mut after_id = None;
        loop {
            let rows = load_batch(&mut &platform.db, column, after_id).await?;
            let Some((last, _)) = rows.last() else { break };
            after_id = Some(*last);
            for (_, sealed) in &rows {
                *status.values.entry(platform.secrets.sealed_by(sealed)).or_default() += 1;
            }
        }
    }
    for key in settings::sealed_keys() {
        if let Some(sealed) = read_setting(&platform.db, key).await?.as_ref().and_then(settings::sealed_bytes)
        {
            *status.values.entry(platform.secrets.sealed_by(&sealed)).or_default() += 1;
        }
    }
    let mut names = platform.uploads.list_private_names();
    while let Some(name) = names.try_next().await? {
        match platform.uploads.private_sealed_by(&name).await? {
            Some(key) => *status.documents.entry(key).or_default() += 1,
            None => status.plain_documents += 1,
        }
    }
    Ok(status)
}

/// Finds the values that no configured key opens; returns one line for each.
pub async fn find_unreadable(db: &Db, secrets: &Secrets) -> Result<Vec<String>> {
    let mut unreadable = Vec::new();
    for column in SEALED_COLUMNS {
        let mut after_id = None;
        loop {
            let rows = load_batch(&mut &*db, column, after_id).await?;
            let Some((last, _)) = rows.last() else { break };
            after_id = Some(*last);
            for (id, sealed) in rows {
                if let Err(error) = secrets.open(&sealed, &column.associated_data(id)) {
                    unreadable.push(format!("{}.{} of {id}: {error}", column.table, column.column));
                }
            }
        }
    }
    for key in settings::sealed_keys() {
        let stored = read_setting(db, key).await?;
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
            return Err(Error::Internal(unreadable_message(&pass.unreadable)));
        }
        if pass.concurrently_changed == 0 {
            break;
        }
    }
    let mut work = Scope::system(platform, "secrets rotate").begin().await?;
    result.retired = audit::retire_former_key(&mut work).await?;
    if result.retired.is_some() || result.values + result.documents > 0 {
        let old = json!({ "key": result.retired.map(|key| key.to_string()) });
        let new = json!({ "key": platform.secrets.key_id().to_string(), "values": result.values, "documents": result.documents });
        audit::record(&mut work, "secrets.rotated", "setting", AuditChange { id: RecordId::NONE, old, new })
            .await?;
    }
    work.finish(()).await?;
    // A process that still seals with the former key may have written after the last pass.
    let last_pass = run_pass(platform, progress).await?;
    result.resealed_in_last_pass = last_pass.values + last_pass.documents;
    Ok(result)
}

fn unreadable_message(unreadable: &[String]) -> String {
    let unlisted = unreadable.len().saturating_sub(MAX_LISTED);
    let listed = unreadable.iter().take(MAX_LISTED).map(String::as_str).collect::<Vec<_>>().join("\n  ");
    let more = if unlisted > 0 { format!("\n  and {unlisted} more") } else { String::new() };
    format!(
        "the configured keys cannot open these values; list the key that sealed them in former_secret_keys, or enter \
         the secrets again. Everything else is resealed, and the former keys are still needed:\n  {listed}{more}"
    )
}

async fn run_pass(platform: &Platform, progress: Progress<'_>) -> Result<PassResult> {
    let mut pass = PassResult::default();
    for column in SEALED_COLUMNS {
        reseal_column(platform, column, &mut pass, progress).await?;
    }
    reseal_settings(platform, &mut pass).await?;
    let mut names = platform.uploads.list_private_names();
    while let Some(name) = names.try_next().await? {
        match platform.uploads.reseal_private(&platform.random, &name).await? {
            Ok(false) => {}
            Ok(true) => {
                pass.documents += 1;
                if pass.documents.is_multiple_of(BATCH_SIZE.unsigned_abs()) {
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
    let (mut after, mut resealed_count) = (None, 0);
    loop {
        let rows = load_batch(&mut &platform.db, column, after).await?;
        let Some((last, _)) = rows.last() else { break };
        after = Some(*last);
        let mut resealed_values = Vec::new();
        for (id, sealed) in rows {
            match platform.secrets.reseal(&platform.random, &sealed, &column.associated_data(id)) {
                Ok(Some(resealed)) => resealed_values.push((id, sealed, resealed)),
                Ok(None) => {}
                Err(error) => {
                    pass.unreadable.push(format!("{}.{} of {id}: {error}", column.table, column.column))
                }
            }
        }
        if resealed_values.is_empty() {
            continue;
        }
        let mut tx = platform.db.begin().await?;
        let mut written_count = 0;
        for (id, sealed, resealed) in resealed_values {
            match replace_if_equal(&mut tx, column, id, sealed, resealed).await? {
                true => written_count += 1,
                false => pass.concurrently_changed += 1,
            }
        }
        tx.commit().await?;
        resealed_count += written_count;
        progress(&format!("{}.{}: {resealed_count} values resealed", column.table, column.column));
    }
    pass.values += resealed_count;
    Ok(())
}

async fn reseal_settings(platform: &Platform, pass: &mut PassResult) -> Result<()> {
    for key in settings::sealed_keys() {
        let Some(stored) = read_setting(&platform.db, key).await? else { continue };
        let is_current = settings::sealed_bytes(&stored)
            .is_some_and(|sealed| matches!(platform.secrets.sealed_by(&sealed), SealedBy::Current(_)));
        if is_current {
            continue;
        }
        let resealed = settings::open_value(&platform.secrets, key, &stored)
            .and_then(|secret| settings::seal_value(&platform.secrets, &platform.random, key, &secret));
        match resealed {
            Ok(resealed) => {
                match settings::replace_if_equal(&mut &platform.db, key, &stored, &resealed).await? {
                    true => pass.values += 1,
                    false => pass.concurrently_changed += 1,
                }
            }
            Err(error) => pass.unreadable.push(format!("setting {key}: {error}")),
        }
    }
    Ok(())
}

async fn read_setting(db: &Db, key: &str) -> Result<Option<Value>> {
    Ok(settings::read_stored(&mut &*db, key).await?.filter(|value| !value.is_null()))
}

/// Loads the next rows with a sealed value: primary key and value.
async fn load_batch(
    db: &mut impl SqlExecutor,
    column: &SealedColumn,
    after: Option<RecordId>,
) -> DbResult<Vec<(RecordId, Vec<u8>)>> {
    let sql =
        Sql::new("SELECT ").push(column.key).push(", ").push(column.column).push(" FROM ").push(column.table);
    let sql = sql.push(" WHERE ").push(column.key).push(" > ?").bind(after.map_or(i64::MIN, RecordId::get));
    let sql = sql.push(" AND ").push(column.column).push(" IS NOT NULL ORDER BY ").push(column.key);
    db.fetch_all(sql.push(" LIMIT ?").bind(BATCH_SIZE)).await
}

/// Replaces a sealed value by the same secret sealed with another key. Returns false if another process has changed the value.
async fn replace_if_equal(
    db: &mut impl SqlExecutor,
    column: &SealedColumn,
    id: RecordId,
    expected: Vec<u8>,
    resealed: Vec<u8>,
) -> DbResult<bool> {
    let sql =
        Sql::new("UPDATE ").push(column.table).push(" SET ").push(column.column).push(" = ?").bind(resealed);
    let sql = sql
        .push(" WHERE ")
        .push(column.key)
        .push(" = ?")
        .bind(id)
        .push(" AND ")
        .push(column.column)
        .push(" = ?")
        .bind(expected);
    Ok(db.execute(sql).await? == 1)
}
