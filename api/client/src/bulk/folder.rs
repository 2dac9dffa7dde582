//! The folder of journals: one file per run, named by the id of the run.

use std::path::{Path, PathBuf};

use panel_contract::moment::Time;
use uuid::Uuid;

use crate::bulk::journal::{self, RunRecord, to_journal_error};
use crate::error::{Error, Result};

/// Alphabet of run ids: Crockford's base32, which has no letters that look like digits.
const RUN_ID_ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// A folder of journals, with mode 0700.
#[derive(Debug, Clone)]
pub struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// Opens the folder at `path`, and creates it if it is missing. Fails if it cannot be created.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self> {
        let path = path.into();
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path).map_err(|error| to_journal_error(&path, error))?;
        Ok(Self { path })
    }

    /// All runs, newest first. Omits files that are not a complete journal. Fails if the folder cannot be read.
    pub fn list(&self) -> Result<Vec<RunRecord>> {
        let entries = std::fs::read_dir(&self.path).map_err(|error| to_journal_error(&self.path, error))?;
        let files = entries.flatten().map(|entry| entry.path());
        let mut runs: Vec<RunRecord> = files
            .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
            .filter_map(|path| journal::load_run(&path).ok())
            .collect();
        runs.sort_by(|first, second| second.header.id.cmp(&first.header.id));
        Ok(runs)
    }

    /// The run with the id `id`, or with an id that starts with it; `last` is the newest run. Fails unless exactly one run matches.
    pub fn find(&self, id: &str) -> Result<RunRecord> {
        let prefix = id.to_ascii_uppercase();
        let mut runs = self.list()?;
        if id == "last" {
            runs.truncate(1);
        } else {
            runs.retain(|run| run.header.id.starts_with(&prefix));
        }
        match (runs.pop(), runs.len()) {
            (Some(run), 0) => Ok(run),
            (None, _) => Err(Error::Setup(format!("There is no run {id} in {}.", self.path.display()))),
            (Some(_), other_count) => Err(Error::Setup(format!(
                "{} runs start with {id}. Enter more letters of the id.",
                other_count + 1
            ))),
        }
    }

    /// Deletes the journals of finished runs that started before `started_before`, and with `include_unfinished` also those of
    /// unfinished runs. Returns the ids of the deleted runs. Fails at the first file that cannot be deleted.
    pub fn prune(&self, started_before: Time, include_unfinished: bool) -> Result<Vec<String>> {
        let mut deleted = Vec::new();
        for run in self.list()? {
            if run.header.started_at < started_before && (include_unfinished || run.is_finished()) {
                let path = self.journal_path(&run.header.id);
                std::fs::remove_file(&path).map_err(|error| to_journal_error(&path, error))?;
                deleted.push(run.header.id);
            }
        }
        Ok(deleted)
    }

    /// Path of the journal of run `id`.
    #[must_use]
    pub fn journal_path(&self, id: &str) -> PathBuf {
        self.path.join(format!("{id}.jsonl"))
    }

    /// Path of this folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The id of a new run: 26 letters and digits that sort by time.
pub(crate) fn new_run_id() -> String {
    let mut bits = Uuid::now_v7().as_u128();
    let mut letters = [0_u8; 26];
    for letter in letters.iter_mut().rev() {
        *letter = RUN_ID_ALPHABET[(bits & 31) as usize];
        bits >>= 5;
    }
    String::from_utf8_lossy(&letters).into_owned()
}
