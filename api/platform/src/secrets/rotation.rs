//! Seals every secret anew with the current key, so that a former key can be removed, and counts which key sealed what.
//!
//! Each value is written on condition that it is what was read, so the panel serves meanwhile: what staff change is sealed
//! with the current key already. A run that was stopped leaves values of both keys, all of them readable, and the next one
//! goes on with the rest. The database counts as sealed with the current key only once no other value is left.

use std::collections::BTreeMap;

use futures_util::TryStreamExt as _;
use panel_contract::ids::RecordId;
use panel_kernel::error::{Error, Result};
use serde_json::{Value, json};

use crate::audit;
use crate::audit::change::Change;
use crate::db::{Db, DbResult, Source, Sql};
use crate::platform::Platform;
use crate::scope::Scope;
use crate::secrets::sealed_columns::{SEALED, SealedColumn};
use crate::secrets::{KeyId, SealedBy, Secrets};
use crate::settings;

/// Rows that are read, and written in one transaction.
const BATCH: i64 = 200;
/// Times that all values are gone through, while others change them.
const PASSES: usize = 10;
/// Values that an error names.
const NAMED: usize = 10;

/// How many values and documents each key sealed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Status {
    /// Values of the database.
    pub values: BTreeMap<SealedBy, u64>,
    /// Documents.
    pub documents: BTreeMap<SealedBy, u64>,
    /// Documents that are not encrypted.
    pub plain_documents: u64,
}

/// What a rotation did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rotated {
    /// Values of the database that were sealed anew.
    pub values: u64,
    /// Documents that were sealed anew.
    pub documents: u64,
    /// Values that another process sealed with the former key while this one went through them.
    pub late: u64,
    /// The key that was retired; none where the database was sealed with the current key before.
    pub retired: Option<KeyId>,
}

/// What one time through all values did.
#[derive(Debug, Default)]
struct Pass {
    values: u64,
    documents: u64,
    changed_meanwhile: u64,
    unreadable: Vec<String>,
}

/// A progress line, for a person.
pub type Progress<'a> = &'a (dyn Fn(&str) + Send + Sync);

/// Counts, and changes nothing.
pub async fn status(platform: &Platform) -> Result<Status> {
    let mut found = Status::default();
    for column in SEALED {
        let mut after = None;
        loop {
            let rows = batch(&mut &platform.db, column, after).await?;
            let Some((last, _)) = rows.last() else { break };
            after = Some(*last);
            for (_, sealed) in &rows {
                *found.values.entry(platform.secrets.sealed_by(sealed)).or_default() += 1;
            }
        }
    }
    for key in settings::sealed_keys() {
        if let Some(sealed) = setting(&platform.db, key).await?.as_ref().and_then(settings::sealed_bytes) {
            *found.values.entry(platform.secrets.sealed_by(&sealed)).or_default() += 1;
        }
    }
    let mut names = platform.uploads.private_names();
    while let Some(name) = names.try_next().await? {
        match platform.uploads.private_sealed_by(&name).await? {
            Some(key) => *found.documents.entry(key).or_default() += 1,
            None => found.plain_documents += 1,
        }
    }
    Ok(found)
}

/// The values that no configured key opens.
pub async fn unreadable(db: &Db, secrets: &Secrets) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for column in SEALED {
        let mut after = None;
        loop {
            let rows = batch(&mut &*db, column, after).await?;
            let Some((last, _)) = rows.last() else { break };
            after = Some(*last);
            for (id, sealed) in rows {
                if let Err(error) = secrets.open(&sealed, &column.place(id)) {
                    found.push(format!("{}.{} of {id}: {error}", column.table, column.column));
                }
            }
        }
    }
    for key in settings::sealed_keys() {
        let stored = setting(db, key).await?;
        if let Some(Err(error)) = stored.map(|stored| settings::opened(secrets, key, &stored)) {
            found.push(format!("setting {key}: {error}"));
        }
    }
    Ok(found)
}

/// Seals everything anew that another key sealed. Safe to run again, and in several processes.
pub async fn rotate(platform: &Platform, progress: Progress<'_>) -> Result<Rotated> {
    let mut rotated = Rotated::default();
    for _ in 0..PASSES {
        let pass = pass(platform, progress).await?;
        rotated.values += pass.values;
        rotated.documents += pass.documents;
        if !pass.unreadable.is_empty() {
            return Err(Error::Fault(named(&pass.unreadable)));
        }
        if pass.changed_meanwhile == 0 {
            break;
        }
    }
    let mut work = Scope::system(platform, "secrets rotate").begin().await?;
    rotated.retired = audit::retire(&mut work).await?;
    if rotated.retired.is_some() || rotated.values + rotated.documents > 0 {
        let old = json!({ "key": rotated.retired.map(|key| key.to_string()) });
        let new = json!({ "key": platform.secrets.key_id().to_string(), "values": rotated.values, "documents": rotated.documents });
        audit::record(&mut work, "secrets.rotated", "setting", Change { id: RecordId::NONE, old, new })
            .await?;
    }
    work.finish(()).await?;
    // A process that still seals with the former key may have written meanwhile.
    let last = pass(platform, progress).await?;
    rotated.late = last.values + last.documents;
    Ok(rotated)
}

fn named(unreadable: &[String]) -> String {
    let more = unreadable.len().saturating_sub(NAMED);
    let shown = unreadable.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join("\n  ");
    let more = if more > 0 { format!("\n  and {more} more") } else { String::new() };
    format!(
        "these values cannot be opened with the configured keys; list the key that sealed them in former_secret_keys, or enter \
         the secrets again. Everything else was sealed anew, and the former keys are still needed:\n  {shown}{more}"
    )
}

async fn pass(platform: &Platform, progress: Progress<'_>) -> Result<Pass> {
    let mut pass = Pass::default();
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
                    progress(&format!("documents: {} sealed anew", pass.documents));
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
    pass: &mut Pass,
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
            match write(&mut tx, column, id, before, new).await? {
                true => written += 1,
                false => pass.changed_meanwhile += 1,
            }
        }
        tx.commit().await?;
        resealed += written;
        progress(&format!("{}.{}: {resealed} values sealed anew", column.table, column.column));
    }
    pass.values += resealed;
    Ok(())
}

async fn reseal_settings(platform: &Platform, pass: &mut Pass) -> Result<()> {
    for key in settings::sealed_keys() {
        let Some(before) = setting(&platform.db, key).await? else { continue };
        let is_current = settings::sealed_bytes(&before)
            .is_some_and(|sealed| matches!(platform.secrets.sealed_by(&sealed), SealedBy::Current(_)));
        if is_current {
            continue;
        }
        let anew = settings::opened(&platform.secrets, key, &before)
            .and_then(|opened| settings::sealed(&platform.secrets, &platform.random, key, &opened));
        match anew {
            Ok(anew) => match settings::swap(&mut &platform.db, key, &before, &anew).await? {
                true => pass.values += 1,
                false => pass.changed_meanwhile += 1,
            },
            Err(error) => pass.unreadable.push(format!("setting {key}: {error}")),
        }
    }
    Ok(())
}

async fn setting(db: &Db, key: &str) -> Result<Option<Value>> {
    Ok(settings::get(&mut &*db, key).await?.filter(|value| !value.is_null()))
}

/// The next rows with a sealed value.
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

/// Writes one value where it is still what was read; whether it was.
async fn write(
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
