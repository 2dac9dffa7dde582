//! The journal of a run: one JSON object per line. First the header, then every chunk with its ids and key, then outcomes as
//! they arrive. The file has mode 0600, and a chunk is synced to disk before it is sent.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use panel_contract::ids::RecordId;
use panel_contract::moment::Time;
use serde::{Deserialize, Serialize};

use crate::bulk::action::Action;
use crate::bulk::report::{ChunkOutcome, Report};
use crate::error::{Error, Result};

/// Header of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunHeader {
    /// Id of the run: 26 characters, sorted by time.
    pub id: String,
    /// Start time.
    pub at: Time,
    /// URL of the panel.
    pub server: String,
    /// Profile that started it.
    #[serde(default)]
    pub profile: Option<String>,
    /// User who started it. An idempotency key is only valid for the user who used it first.
    #[serde(default)]
    pub user: Option<String>,
    /// The command line, for people.
    #[serde(default)]
    pub command: String,
    /// The filter that selected the ids, for people.
    #[serde(default)]
    pub filter: Option<String>,
    /// Nouns for its records; missing in journals of older versions.
    #[serde(default)]
    pub words: Option<Words>,
    /// The action.
    pub action: Action,
}

/// Nouns for the records of a run and the verb for its result, for reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Words {
    /// One record, such as `order`.
    pub one: String,
    /// Many records, such as `orders`.
    pub many: String,
    /// Past participle of the action, such as `canceled`.
    pub past: String,
}

/// A chunk: the ids of one request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// Number of the chunk, from 0.
    pub n: usize,
    /// Idempotency key of its request.
    pub key: String,
    /// Ids of its records.
    pub ids: Vec<RecordId>,
}

/// One line of the journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case")]
enum Line {
    Run(Box<RunHeader>),
    Chunk(Chunk),
    /// The plan is complete; without this line nothing was sent.
    Planned {
        chunks: usize,
    },
    Answer {
        n: usize,
        outcome: ChunkOutcome,
    },
}

/// A run, as stored in its journal.
#[derive(Debug, Clone)]
pub struct RunRecord {
    /// Header of the run.
    pub head: RunHeader,
    /// All chunks, in order.
    pub chunks: Vec<Chunk>,
    /// Outcome of each chunk; `None` without a response.
    pub answers: Vec<Option<ChunkOutcome>>,
}

impl RunRecord {
    /// The results so far.
    #[must_use]
    pub fn report(&self) -> Report {
        let mut report = Report::default();
        for (chunk, answer) in self.chunks.iter().zip(&self.answers) {
            match answer {
                Some(outcome) => report.add(&chunk.ids, outcome),
                None => report.leave(&chunk.ids),
            }
        }
        report
    }

    /// Whether every chunk has an outcome.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.answers.iter().all(Option::is_some)
    }
}

/// An open journal to which outcomes are appended. Its lock excludes other processes.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Creates the journal with its plan, and syncs it.
    pub(crate) fn create(path: &Path, record: &RunRecord) -> Result<Self> {
        let mut options = OpenOptions::new();
        options.create_new(true).read(true).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).map_err(|error| at(path, error))?;
        let mut journal = Self { path: path.to_owned(), file };
        journal.lock()?;
        let mut lines = vec![Line::Run(Box::new(record.head.clone()))];
        lines.extend(record.chunks.iter().cloned().map(Line::Chunk));
        lines.push(Line::Planned { chunks: record.chunks.len() });
        journal.append(&lines)?;
        Ok(journal)
    }

    /// Opens the journal of a run to continue it.
    pub(crate) fn reopen(path: &Path) -> Result<(Self, RunRecord)> {
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(|error| at(path, error))?;
        let mut journal = Self { path: path.to_owned(), file };
        journal.lock()?;
        let (record, end) = read(path, &journal.file)?;
        // A line that a crash left incomplete is overwritten.
        journal.file.set_len(end).map_err(|error| at(path, error))?;
        journal.file.seek(SeekFrom::End(0)).map_err(|error| at(path, error))?;
        Ok((journal, record))
    }

    /// Appends the outcome of a chunk, and syncs.
    pub(crate) fn answer(&mut self, n: usize, outcome: &ChunkOutcome) -> Result<()> {
        self.append(&[Line::Answer { n, outcome: outcome.clone() }])
    }

    fn append(&mut self, lines: &[Line]) -> Result<()> {
        let mut text = Vec::new();
        for line in lines {
            serde_json::to_writer(&mut text, line).map_err(|error| at(&self.path, error.into()))?;
            text.push(b'\n');
        }
        self.file.write_all(&text).and_then(|()| self.file.sync_data()).map_err(|error| at(&self.path, error))
    }

    fn lock(&self) -> Result<()> {
        self.file.try_lock().map_err(|error| match error {
            std::fs::TryLockError::WouldBlock => {
                Error::Setup("Another process is working on this run. Wait until it ends.".into())
            }
            std::fs::TryLockError::Error(error) => at(&self.path, error),
        })
    }
}

/// Reads a run without changing its file.
pub(crate) fn load(path: &Path) -> Result<RunRecord> {
    let file = File::open(path).map_err(|error| at(path, error))?;
    Ok(read(path, &file)?.0)
}

/// Reads the run, and the end of its last complete line.
fn read(path: &Path, file: &File) -> Result<(RunRecord, u64)> {
    let broken = |why: &str| at(path, std::io::Error::new(std::io::ErrorKind::InvalidData, why.to_owned()));
    let (mut head, mut chunks, mut answers) = (None, Vec::new(), Vec::new());
    let (mut end, mut planned) = (0, false);
    let mut reader = BufReader::new(file);
    let mut text = Vec::new();
    loop {
        text.clear();
        reader.read_until(b'\n', &mut text).map_err(|error| at(path, error))?;
        if text.last() != Some(&b'\n') {
            break;
        }
        end += text.len() as u64;
        match serde_json::from_slice(&text).map_err(|error| broken(&error.to_string()))? {
            Line::Run(run) => head = Some(*run),
            Line::Chunk(chunk) => chunks.push(chunk),
            Line::Planned { chunks: count } => {
                planned = count == chunks.len();
                answers = vec![None; count];
            }
            Line::Answer { n, outcome } => {
                *answers.get_mut(n).ok_or_else(|| broken("an outcome without a chunk"))? = Some(outcome);
            }
        }
    }
    match head {
        Some(head) if planned => Ok((RunRecord { head, chunks, answers }, end)),
        _ => Err(broken("its plan is incomplete, so nothing was sent; start a new run")),
    }
}

pub(crate) fn at(path: &Path, source: std::io::Error) -> Error {
    Error::Journal { what: path.display().to_string(), source }
}
