//! Runs a bulk action: previews, begins and resumes it, chunk by chunk.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use panel_contract::common::DryRun;
use panel_contract::endpoint::Query as _;
use panel_contract::ids::RecordId;

use crate::bulk::action::{Action, decoded};
use crate::bulk::folder::{Folder, new_id};
use crate::bulk::journal::{Chunk, Journal, RunHeader, RunRecord, Words};
use crate::bulk::report::{ChunkOutcome, Report};
use crate::client::{Client, new_key};
use crate::error::{Error, Result};
use crate::request::Request;

/// Default number of ids per request: small enough that a request takes less than a second and a progress bar is smooth.
pub const CHUNK: usize = 500;
/// Maximum number of ids per request.
pub const MAX_CHUNK: usize = 10_000;

/// Requests that a run stops after the chunk in flight.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Requests the stop.
    pub fn stop(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether the stop was requested.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Information about a run, besides its action and ids, for the journal's header.
#[derive(Debug, Clone, Default)]
pub struct RunInfo {
    /// Profile that starts it.
    pub profile: Option<String>,
    /// Email of the user.
    pub user: Option<String>,
    /// The command line, without secrets.
    pub command: String,
    /// The filter that selected the ids.
    pub filter: Option<String>,
    /// Nouns for its records.
    pub words: Option<Words>,
}

/// Outcome of a run.
#[derive(Debug)]
pub struct RunOutcome {
    /// Id of the run; `None` for a dry run.
    pub id: Option<String>,
    /// The results.
    pub report: Report,
    /// The error that stopped it. The ids without an outcome are open in the report.
    pub error: Option<Error>,
}

/// Called with the report so far and the total number of ids.
pub type Progress<'a> = &'a mut (dyn FnMut(&Report, usize) + Send);

/// Sends the action as a dry run. Writes nothing, neither at the panel nor locally. Fails at the first refused chunk.
pub async fn preview_run(
    client: &Client,
    action: &Action,
    ids: &[RecordId],
    progress: Progress<'_>,
) -> Result<Report> {
    let mut report = Report { dry_run: true, ..Report::default() };
    for chunk in unique(ids).chunks(MAX_CHUNK) {
        let outcome = outcome_of(action.send(client, chunk, None, DryRun::YES).await, chunk)?;
        report.add(chunk, &outcome);
        progress(&report, ids.len());
    }
    Ok(report)
}

/// Sends `request` for the single record `id`, or a dry run of it, and returns the report of a run with one id.
pub async fn one(client: &Client, request: Request, id: RecordId, dry_run: DryRun) -> Result<Report> {
    let request = match dry_run.dry_run {
        true => request.query(dry_run.pairs()),
        false => request.idempotency_key(new_key()),
    };
    let outcome = match client.request(&request).await {
        Ok(answer) => ChunkOutcome::of_one(&decoded(&request, &answer.body)?),
        Err(error) => ChunkOutcome::of_refusal(&error, &[id]).ok_or(error)?,
    };
    let mut report = Report { dry_run: dry_run.dry_run, ..Report::default() };
    report.add(&[id], &outcome);
    Ok(report)
}

/// Begins a run: writes its plan, then runs it. Duplicate ids count once. Fails if the journal cannot be written.
pub async fn begin(
    client: &Client,
    folder: &Folder,
    (action, about): (Action, RunInfo),
    (ids, chunk): (&[RecordId], usize),
    stop: &Stop,
    progress: Progress<'_>,
) -> Result<RunOutcome> {
    let ids = unique(ids);
    let plan = |(n, ids): (usize, &[RecordId])| Chunk { n, key: new_key(), ids: ids.to_vec() };
    let chunks: Vec<Chunk> = ids.chunks(chunk.clamp(1, MAX_CHUNK)).enumerate().map(plan).collect();
    let head = RunHeader {
        id: new_id(),
        at: client.world().now(),
        server: client.base().to_string(),
        profile: about.profile,
        user: about.user,
        command: about.command,
        filter: about.filter,
        words: about.words,
        action,
    };
    let record = RunRecord { answers: vec![None; chunks.len()], head, chunks };
    let journal = Journal::create(&folder.file(&record.head.id), &record)?;
    run_chunks(client, journal, record, stop, progress).await
}

/// Resumes a run: sends chunks without an outcome with their old key and body. Fails if the run is not found, belongs to
/// another panel, or its journal cannot be written.
pub async fn resume(
    client: &Client,
    folder: &Folder,
    id: &str,
    stop: &Stop,
    progress: Progress<'_>,
) -> Result<RunOutcome> {
    let id = folder.find(id)?.head.id;
    let (journal, record) = Journal::reopen(&folder.file(&id))?;
    if record.head.server != client.base().as_str() {
        let server = &record.head.server;
        return Err(Error::Setup(format!(
            "The run belongs to {server}, but this profile uses {}.",
            client.base()
        )));
    }
    run_chunks(client, journal, record, stop, progress).await
}

async fn run_chunks(
    client: &Client,
    mut journal: Journal,
    mut record: RunRecord,
    stop: &Stop,
    progress: Progress<'_>,
) -> Result<RunOutcome> {
    let total = record.chunks.iter().map(|chunk| chunk.ids.len()).sum();
    let mut error = None;
    let mut done = Report::default();
    for (chunk, answer) in record.chunks.iter().zip(&mut record.answers) {
        if answer.is_none() {
            if stop.is_requested() {
                break;
            }
            let sent = record.head.action.send(client, &chunk.ids, Some(&chunk.key), DryRun::NO).await;
            match outcome_of(sent, &chunk.ids) {
                Ok(outcome) => {
                    journal.answer(chunk.n, &outcome)?;
                    *answer = Some(outcome);
                }
                Err(stopped) => {
                    error = Some(stopped);
                    break;
                }
            }
        }
        if let Some(outcome) = answer {
            done.add(&chunk.ids, outcome);
            progress(&done, total);
        }
    }
    Ok(RunOutcome { id: Some(record.head.id.clone()), report: record.report(), error })
}

fn outcome_of(sent: Result<ChunkOutcome>, ids: &[RecordId]) -> Result<ChunkOutcome> {
    sent.or_else(|error| ChunkOutcome::of_refusal(&error, ids).ok_or(error))
}

fn unique(ids: &[RecordId]) -> Vec<RecordId> {
    let mut seen = std::collections::HashSet::with_capacity(ids.len());
    ids.iter().copied().filter(|id| seen.insert(*id)).collect()
}
