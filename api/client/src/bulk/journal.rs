//! A run's file: one JSON object a line. First what the run is, then every chunk with its ids and key, then answers
//! as they come. Written with mode 0600 and synced before anything that it announces is sent.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use panel_contract::ids::RecordId;
use panel_contract::moment::Time;
use serde::{Deserialize, Serialize};

use crate::bulk::action::Action;
use crate::bulk::report::{ChunkOutcome, Report};
use crate::error::{Error, Result};

/// What a run is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Its name: 26 characters, sorted by time.
    pub id: String,
    /// When it was begun.
    pub at: Time,
    /// The panel.
    pub server: String,
    /// The profile it was begun with.
    #[serde(default)]
    pub profile: Option<String>,
    /// Who began it: a key is good only for the one who used it first.
    #[serde(default)]
    pub user: Option<String>,
    /// The command line, for people.
    #[serde(default)]
    pub command: String,
    /// The filter that the ids came from, for people.
    #[serde(default)]
    pub filter: Option<String>,
    /// What its records are called; journals of older programs lack it.
    #[serde(default)]
    pub words: Option<Words>,
    /// What is done.
    pub action: Action,
}

/// What the records of a run are called and what becomes of them, for every report of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Words {
    /// One record, such as `order`.
    pub one: String,
    /// Many records, such as `orders`.
    pub many: String,
    /// What became of a processed one, such as `canceled`.
    pub past: String,
}

/// One chunk: what one request carries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// Its number, from 0.
    pub n: usize,
    /// Its idempotency key.
    pub key: String,
    /// Its ids.
    pub ids: Vec<RecordId>,
}

/// One line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case")]
enum Line {
    Run(Box<Head>),
    Chunk(Chunk),
    /// The plan is whole; without this line nothing was sent.
    Planned {
        chunks: usize,
    },
    Answer {
        n: usize,
        outcome: ChunkOutcome,
    },
}

/// A run as its file tells it.
#[derive(Debug, Clone)]
pub struct Record {
    /// What it is.
    pub head: Head,
    /// Its chunks, in order.
    pub chunks: Vec<Chunk>,
    /// How those ended that were answered.
    pub answers: Vec<Option<ChunkOutcome>>,
}

impl Record {
    /// What it came to so far.
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

    /// Whether every chunk is answered.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.answers.iter().all(Option::is_some)
    }
}

/// An open file that answers are added to. While it is open no other process can add.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Writes a plan and syncs it.
    pub(crate) fn create(path: &Path, record: &Record) -> Result<Self> {
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

    /// Opens a run to go on with it.
    pub(crate) fn reopen(path: &Path) -> Result<(Self, Record)> {
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(|error| at(path, error))?;
        let mut journal = Self { path: path.to_owned(), file };
        journal.lock()?;
        let (record, end) = read(path, &journal.file)?;
        // A line that was cut by a crash is overwritten by the next.
        journal.file.set_len(end).map_err(|error| at(path, error))?;
        journal.file.seek(SeekFrom::End(0)).map_err(|error| at(path, error))?;
        Ok((journal, record))
    }

    /// Adds how a chunk ended, and syncs.
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
                Error::Setup("This run is going on in another process; wait for it.".into())
            }
            std::fs::TryLockError::Error(error) => at(&self.path, error),
        })
    }
}

/// Reads a run without touching it.
pub(crate) fn load(path: &Path) -> Result<Record> {
    let file = File::open(path).map_err(|error| at(path, error))?;
    Ok(read(path, &file)?.0)
}

/// The run, and where its last whole line ends.
fn read(path: &Path, file: &File) -> Result<(Record, u64)> {
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
                *answers.get_mut(n).ok_or_else(|| broken("an answer to no chunk"))? = Some(outcome);
            }
        }
    }
    match head {
        Some(head) if planned => Ok((Record { head, chunks, answers }, end)),
        _ => Err(broken("its plan is not whole: nothing was sent; begin anew")),
    }
}

pub(crate) fn at(path: &Path, source: std::io::Error) -> Error {
    Error::Journal { what: path.display().to_string(), source }
}
