//! Doing it: try, begin, resume, chunk after chunk.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use panel_contract::common::DryRun;
use panel_contract::endpoint::Query as _;
use panel_contract::ids::RecordId;

use crate::bulk::action::{Action, decoded};
use crate::bulk::folder::{Folder, new_id};
use crate::bulk::journal::{Chunk, Head, Journal, Record, Words};
use crate::bulk::report::{ChunkOutcome, Report};
use crate::client::{Client, new_key};
use crate::error::{Error, Result};
use crate::request::Request;

/// Ids of one request, unless said otherwise: a request stays well under a second, and a progress bar smooth.
pub const CHUNK: usize = 500;
/// Most ids of one request.
pub const MAX_CHUNK: usize = 10_000;

/// Asks a run to end after the chunk in flight.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Ends it.
    pub fn stop(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether it shall end.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// What a run is begun with, beside its action and ids: for the journal's first line.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// The profile.
    pub profile: Option<String>,
    /// Who.
    pub user: Option<String>,
    /// The command line, without secrets.
    pub command: String,
    /// The filter that the ids came from.
    pub filter: Option<String>,
    /// What its records are called.
    pub words: Option<Words>,
}

/// How a run ended.
#[derive(Debug)]
pub struct Ended {
    /// Its id; none for a dry run.
    pub id: Option<String>,
    /// What it came to.
    pub report: Report,
    /// Why it did not go on. The ids without an answer are open in the report.
    pub error: Option<Error>,
}

/// Hears of progress: ids answered and ids in all.
pub type Progress<'a> = &'a mut (dyn FnMut(&Report, usize) + Send);

/// Asks the panel what would happen. Nothing is written, neither there nor here.
pub async fn rehearse(
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

/// Does what `request` says to the one record `id`, or tries it; the report is that of a run with one id.
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

/// Begins a run: writes its plan, then does it. Ids given twice count once.
pub async fn begin(
    client: &Client,
    folder: &Folder,
    (action, about): (Action, About),
    (ids, chunk): (&[RecordId], usize),
    stop: &Stop,
    progress: Progress<'_>,
) -> Result<Ended> {
    let ids = unique(ids);
    let plan = |(n, ids): (usize, &[RecordId])| Chunk { n, key: new_key(), ids: ids.to_vec() };
    let chunks: Vec<Chunk> = ids.chunks(chunk.clamp(1, MAX_CHUNK)).enumerate().map(plan).collect();
    let head = Head {
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
    let record = Record { answers: vec![None; chunks.len()], head, chunks };
    let journal = Journal::create(&folder.file(&record.head.id), &record)?;
    go_on(client, journal, record, stop, progress).await
}

/// Goes on with a run; chunks without an answer are sent with their old key and body.
pub async fn resume(
    client: &Client,
    folder: &Folder,
    id: &str,
    stop: &Stop,
    progress: Progress<'_>,
) -> Result<Ended> {
    let id = folder.find(id)?.head.id;
    let (journal, record) = Journal::reopen(&folder.file(&id))?;
    if record.head.server != client.base().as_str() {
        let server = &record.head.server;
        return Err(Error::Setup(format!(
            "The run belongs to {server}; this client talks to {}.",
            client.base()
        )));
    }
    go_on(client, journal, record, stop, progress).await
}

async fn go_on(
    client: &Client,
    mut journal: Journal,
    mut record: Record,
    stop: &Stop,
    progress: Progress<'_>,
) -> Result<Ended> {
    let total = record.chunks.iter().map(|chunk| chunk.ids.len()).sum();
    let mut error = None;
    let mut done = Report::default();
    for (chunk, answer) in record.chunks.iter().zip(&mut record.answers) {
        if answer.is_none() {
            if stop.is_asked() {
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
    Ok(Ended { id: Some(record.head.id.clone()), report: record.report(), error })
}

fn outcome_of(sent: Result<ChunkOutcome>, ids: &[RecordId]) -> Result<ChunkOutcome> {
    sent.or_else(|error| ChunkOutcome::of_refusal(&error, ids).ok_or(error))
}

fn unique(ids: &[RecordId]) -> Vec<RecordId> {
    let mut seen = std::collections::HashSet::with_capacity(ids.len());
    ids.iter().copied().filter(|id| seen.insert(*id)).collect()
}
