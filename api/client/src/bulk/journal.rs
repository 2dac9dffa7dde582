//! The journal of a run, one JSON object per line: the header, then every chunk with its ids and key, then the outcomes as they
//! arrive. The file has mode 0600. The plan is synced to disk before the first chunk is sent.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use panel_contract::ids::RecordId;
use panel_contract::moment::Time;
use serde::{Deserialize, Serialize};

use crate::bulk::action::BulkAction;
use crate::bulk::report::{ChunkOutcome, RunReport};
use crate::error::{Error, Result};

/// First line of the journal of a run: its action, panel and user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunHeader {
    /// Id of the run: 26 letters and digits that sort by time.
    pub id: String,
    /// When the run started, in UTC.
    #[serde(rename = "at")]
    pub started_at: Time,
    /// URL of the panel; the run can only be resumed there.
    pub server: String,
    /// Name of the profile with which the run was started.
    #[serde(default)]
    pub profile: Option<String>,
    /// Email address of the user who started the run. The panel accepts an idempotency key only from the user who used it first.
    #[serde(default)]
    pub user: Option<String>,
    /// Command line that started the run, for display.
    #[serde(default)]
    pub command: String,
    /// Filter that selected the ids, for display; `None` if the user listed the ids.
    #[serde(default)]
    pub filter: Option<String>,
    /// How reports name the records and the result; `None` in journals of older versions.
    #[serde(default, rename = "words")]
    pub wording: Option<RunWording>,
    /// Action that the run applies to each chunk.
    pub action: BulkAction,
}

/// How reports name the records and the result of a run, such as "12 orders canceled".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunWording {
    /// Noun for one record, such as `order`.
    #[serde(rename = "one")]
    pub singular: String,
    /// Noun for several records, such as `orders`.
    #[serde(rename = "many")]
    pub plural: String,
    /// Verb of the action, such as `canceled`.
    #[serde(rename = "past")]
    pub past_participle: String,
}

/// A chunk: the ids that one request sends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// Position of the chunk in the run, from 0.
    #[serde(rename = "n")]
    pub index: usize,
    /// Idempotency key of the request.
    pub key: String,
    /// Ids of the records.
    pub ids: Vec<RecordId>,
}

/// One line of the journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case")]
enum Line {
    Run(Box<RunHeader>),
    Chunk(Chunk),
    /// Ends the plan. Without this line the run has sent nothing.
    Planned {
        chunks: usize,
    },
    #[serde(rename = "answer")]
    Outcome {
        #[serde(rename = "n")]
        chunk_index: usize,
        outcome: ChunkOutcome,
    },
}

/// A run, as its journal stores it.
#[derive(Debug, Clone)]
pub struct RunRecord {
    /// First line of the journal.
    pub header: RunHeader,
    /// All chunks, in the order in which they are sent.
    pub chunks: Vec<Chunk>,
    /// Outcome of each chunk; `None` for a chunk without an outcome, which a resumed run sends again.
    pub outcomes: Vec<Option<ChunkOutcome>>,
}

impl RunRecord {
    /// The results of all chunks so far.
    #[must_use]
    pub fn report(&self) -> RunReport {
        let mut report = RunReport::default();
        for (chunk, outcome) in self.chunks.iter().zip(&self.outcomes) {
            match outcome {
                Some(outcome) => report.add_outcome(&chunk.ids, outcome),
                None => report.add_open_ids(&chunk.ids),
            }
        }
        report
    }

    /// Whether every chunk has an outcome.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.outcomes.iter().all(Option::is_some)
    }
}

/// A journal that is open for new outcomes. Its lock keeps other processes from running the same run.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Creates the journal, writes the plan of the run and syncs it to disk.
    pub(crate) fn create(path: &Path, record: &RunRecord) -> Result<Self> {
        let mut options = OpenOptions::new();
        options.create_new(true).read(true).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).map_err(|error| to_journal_error(path, error))?;
        let mut journal = Self { path: path.to_owned(), file };
        journal.lock()?;
        let mut lines = vec![Line::Run(Box::new(record.header.clone()))];
        lines.extend(record.chunks.iter().cloned().map(Line::Chunk));
        lines.push(Line::Planned { chunks: record.chunks.len() });
        journal.append(&lines)?;
        Ok(journal)
    }

    /// Opens the journal of a run to resume it.
    pub(crate) fn reopen(path: &Path) -> Result<(Self, RunRecord)> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(path)
            .map_err(|error| to_journal_error(path, error))?;
        let mut journal = Self { path: path.to_owned(), file };
        journal.lock()?;
        let (record, length) = parse_journal(path, &journal.file)?;
        // A crash may have left an incomplete line at the end.
        journal.file.set_len(length).map_err(|error| to_journal_error(path, error))?;
        journal.file.seek(SeekFrom::End(0)).map_err(|error| to_journal_error(path, error))?;
        Ok((journal, record))
    }

    /// Appends the outcome of a chunk and syncs it to disk.
    pub(crate) fn append_outcome(&mut self, chunk_index: usize, outcome: &ChunkOutcome) -> Result<()> {
        self.append(&[Line::Outcome { chunk_index, outcome: outcome.clone() }])
    }

    fn append(&mut self, lines: &[Line]) -> Result<()> {
        let mut text = Vec::new();
        for line in lines {
            serde_json::to_writer(&mut text, line)
                .map_err(|error| to_journal_error(&self.path, error.into()))?;
            text.push(b'\n');
        }
        self.file
            .write_all(&text)
            .and_then(|()| self.file.sync_data())
            .map_err(|error| to_journal_error(&self.path, error))
    }

    fn lock(&self) -> Result<()> {
        self.file.try_lock().map_err(|error| match error {
            std::fs::TryLockError::WouldBlock => {
                Error::Setup("Another process is working on this run. Wait until it has ended.".into())
            }
            std::fs::TryLockError::Error(error) => to_journal_error(&self.path, error),
        })
    }
}

/// Reads a run without changing its file.
pub(crate) fn load_run(path: &Path) -> Result<RunRecord> {
    let file = File::open(path).map_err(|error| to_journal_error(path, error))?;
    Ok(parse_journal(path, &file)?.0)
}

/// Parses a journal. Returns the run, and the length of the file up to its last complete line.
fn parse_journal(path: &Path, file: &File) -> Result<(RunRecord, u64)> {
    let invalid_journal_error = |reason: &str| {
        to_journal_error(path, std::io::Error::new(std::io::ErrorKind::InvalidData, reason.to_owned()))
    };
    let (mut header, mut chunks, mut outcomes) = (None, Vec::new(), Vec::new());
    let (mut length, mut has_complete_plan) = (0, false);
    let mut reader = BufReader::new(file);
    let mut text = Vec::new();
    loop {
        text.clear();
        reader.read_until(b'\n', &mut text).map_err(|error| to_journal_error(path, error))?;
        if text.last() != Some(&b'\n') {
            break;
        }
        length += text.len() as u64;
        match serde_json::from_slice(&text).map_err(|error| invalid_journal_error(&error.to_string()))? {
            Line::Run(run_header) => header = Some(*run_header),
            Line::Chunk(chunk) => chunks.push(chunk),
            Line::Planned { chunks: count } => {
                has_complete_plan = count == chunks.len();
                outcomes = vec![None; count];
            }
            Line::Outcome { chunk_index, outcome } => {
                *outcomes
                    .get_mut(chunk_index)
                    .ok_or_else(|| invalid_journal_error("an outcome without a chunk"))? = Some(outcome);
            }
        }
    }
    match header {
        Some(header) if has_complete_plan => Ok((RunRecord { header, chunks, outcomes }, length)),
        _ => Err(invalid_journal_error("its plan is incomplete, so nothing was sent; start a new run")),
    }
}

pub(crate) fn to_journal_error(path: &Path, source: std::io::Error) -> Error {
    Error::Journal { path: path.display().to_string(), source }
}
