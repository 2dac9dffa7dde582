//! Previews, starts and resumes bulk runs, chunk by chunk.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use panel_contract::common::DryRun;
use panel_contract::endpoint::Query as _;
use panel_contract::ids::RecordId;

use crate::bulk::action::{BulkAction, decode_or_null};
use crate::bulk::folder::{RunFolder, new_run_id};
use crate::bulk::journal::{Chunk, Journal, RunHeader, RunRecord, RunWording};
use crate::bulk::report::{ChunkOutcome, RunReport};
use crate::client::{Client, new_idempotency_key};
use crate::error::{Error, Result};
use crate::request::Request;

/// Default number of ids per request, small enough that a request takes less than a second and a progress bar moves smoothly.
pub const DEFAULT_CHUNK_SIZE: usize = 500;
/// Maximum number of ids that the panel accepts in one request.
pub const MAX_CHUNK_SIZE: usize = 10_000;

/// A flag that makes a run stop after the current chunk. Clones share the flag.
#[derive(Debug, Clone, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Makes the run stop after the current chunk.
    pub fn request_stop(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether the flag is set.
    #[must_use]
    pub fn is_stop_requested(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Information about a run for the header of its journal.
#[derive(Debug, Clone, Default)]
pub struct RunInfo {
    /// Name of the profile.
    pub profile: Option<String>,
    /// Email address of the user.
    pub user: Option<String>,
    /// The command line, without secrets.
    pub command: String,
    /// Filter that selected the ids; `None` if the user listed the ids.
    pub filter: Option<String>,
    /// How reports name the records and the result; `None` for general words.
    pub wording: Option<RunWording>,
}

/// Result of a run, complete or interrupted.
#[derive(Debug)]
pub struct RunOutcome {
    /// Id of the run; `None` for a dry run.
    pub id: Option<String>,
    /// Results of all chunks.
    pub report: RunReport,
    /// Error that interrupted the run; the ids without an outcome are open in the report. `None` if the run ended or was stopped.
    pub error: Option<Error>,
}

/// Callback after each chunk, with the report so far and the number of all ids.
pub type ProgressCallback<'a> = &'a mut (dyn FnMut(&RunReport, usize) + Send);

/// Sends the action as a dry run, which writes nothing at the panel and no journal. Fails at the first chunk with an error.
pub async fn preview_run(
    client: &Client,
    action: &BulkAction,
    ids: &[RecordId],
    progress: ProgressCallback<'_>,
) -> Result<RunReport> {
    let mut report = RunReport { dry_run: true, ..RunReport::default() };
    for chunk in without_duplicates(ids).chunks(MAX_CHUNK_SIZE) {
        let outcome = outcome_from_result(action.send(client, chunk, None, DryRun::YES).await, chunk)?;
        report.add_outcome(chunk, &outcome);
        progress(&report, ids.len());
    }
    Ok(report)
}

/// Sends `request` for the record `id`, or a dry run of it, and returns the report of a run with only this id. Writes no journal.
pub async fn run_single_record(
    client: &Client,
    request: Request,
    id: RecordId,
    dry_run: DryRun,
) -> Result<RunReport> {
    let request = match dry_run.dry_run {
        true => request.query(dry_run.to_pairs()),
        false => request.idempotency_key(new_idempotency_key()),
    };
    let outcome = match client.request(&request).await {
        Ok(response) => ChunkOutcome::from_single(&decode_or_null(&request, &response.body)?),
        Err(error) => ChunkOutcome::from_error(&error, &[id]).ok_or(error)?,
    };
    let mut report = RunReport { dry_run: dry_run.dry_run, ..RunReport::default() };
    report.add_outcome(&[id], &outcome);
    Ok(report)
}

/// Starts a run: writes the plan to a new journal, then sends the chunks of at most `chunk_size` ids. Duplicate ids count
/// once. Fails if the journal cannot be written.
pub async fn start_run(
    client: &Client,
    folder: &RunFolder,
    (action, info): (BulkAction, RunInfo),
    (ids, chunk_size): (&[RecordId], usize),
    stop: &StopFlag,
    progress: ProgressCallback<'_>,
) -> Result<RunOutcome> {
    let ids = without_duplicates(ids);
    let to_chunk =
        |(index, ids): (usize, &[RecordId])| Chunk { index, key: new_idempotency_key(), ids: ids.to_vec() };
    let chunks: Vec<Chunk> =
        ids.chunks(chunk_size.clamp(1, MAX_CHUNK_SIZE)).enumerate().map(to_chunk).collect();
    let header = RunHeader {
        id: new_run_id(),
        started_at: client.environment().now(),
        server: client.base_url().to_string(),
        profile: info.profile,
        user: info.user,
        command: info.command,
        filter: info.filter,
        wording: info.wording,
        action,
    };
    let record = RunRecord { outcomes: vec![None; chunks.len()], header, chunks };
    let journal = Journal::create(&folder.journal_path(&record.header.id), &record)?;
    run_chunks(client, journal, record, stop, progress).await
}

/// Resumes a run: sends the chunks without an outcome again, with the same keys and bodies. Fails if no run matches `id`, if the
/// run belongs to another panel, or if the journal cannot be written.
pub async fn resume_run(
    client: &Client,
    folder: &RunFolder,
    id: &str,
    stop: &StopFlag,
    progress: ProgressCallback<'_>,
) -> Result<RunOutcome> {
    let id = folder.find(id)?.header.id;
    let (journal, record) = Journal::reopen(&folder.journal_path(&id))?;
    if record.header.server != client.base_url().as_str() {
        let server = &record.header.server;
        return Err(Error::Setup(format!(
            "The run belongs to {server}, but this profile uses {}.",
            client.base_url()
        )));
    }
    run_chunks(client, journal, record, stop, progress).await
}

async fn run_chunks(
    client: &Client,
    mut journal: Journal,
    mut record: RunRecord,
    stop: &StopFlag,
    progress: ProgressCallback<'_>,
) -> Result<RunOutcome> {
    let total = record.chunks.iter().map(|chunk| chunk.ids.len()).sum();
    let mut error = None;
    let mut report_so_far = RunReport::default();
    for (chunk, outcome) in record.chunks.iter().zip(&mut record.outcomes) {
        if outcome.is_none() {
            if stop.is_stop_requested() {
                break;
            }
            let result = record.header.action.send(client, &chunk.ids, Some(&chunk.key), DryRun::NO).await;
            match outcome_from_result(result, &chunk.ids) {
                Ok(new_outcome) => {
                    journal.append_outcome(chunk.index, &new_outcome)?;
                    *outcome = Some(new_outcome);
                }
                Err(chunk_error) => {
                    error = Some(chunk_error);
                    break;
                }
            }
        }
        if let Some(outcome) = outcome {
            report_so_far.add_outcome(&chunk.ids, outcome);
            progress(&report_so_far, total);
        }
    }
    Ok(RunOutcome { id: Some(record.header.id.clone()), report: record.report(), error })
}

fn outcome_from_result(result: Result<ChunkOutcome>, ids: &[RecordId]) -> Result<ChunkOutcome> {
    result.or_else(|error| ChunkOutcome::from_error(&error, ids).ok_or(error))
}

fn without_duplicates(ids: &[RecordId]) -> Vec<RecordId> {
    let mut unique_ids = std::collections::HashSet::with_capacity(ids.len());
    ids.iter().copied().filter(|id| unique_ids.insert(*id)).collect()
}
