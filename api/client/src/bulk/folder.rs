//! The folder of runs: one file per run, named by its id.

use std::path::{Path, PathBuf};

use panel_contract::moment::Time;
use uuid::Uuid;

use crate::bulk::journal::{self, RunRecord, at};
use crate::error::{Error, Result};

/// Alphabet of run ids (Crockford's base32), without letters that look alike.
const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// A folder of runs, readable by its owner only.
#[derive(Debug, Clone)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Opens the folder at `path`, and creates it if it is missing.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self> {
        let path = path.into();
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path).map_err(|error| at(&path, error))?;
        Ok(Self { path })
    }

    /// All readable runs, newest first. Fails if the folder cannot be read.
    pub fn list(&self) -> Result<Vec<RunRecord>> {
        let entries = std::fs::read_dir(&self.path).map_err(|error| at(&self.path, error))?;
        let files = entries.flatten().map(|entry| entry.path());
        let mut runs: Vec<RunRecord> = files
            .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
            .filter_map(|path| journal::load(&path).ok())
            .collect();
        runs.sort_by(|a, b| b.head.id.cmp(&a.head.id));
        Ok(runs)
    }

    /// Finds a run by its id, by the first letters of it, or as `last`. Fails if none or several match.
    pub fn find(&self, id: &str) -> Result<RunRecord> {
        let prefix = id.to_ascii_uppercase();
        let mut runs = self.list()?;
        if id == "last" {
            runs.truncate(1);
        } else {
            runs.retain(|run| run.head.id.starts_with(&prefix));
        }
        match (runs.pop(), runs.len()) {
            (Some(run), 0) => Ok(run),
            (None, _) => Err(Error::Setup(format!("There is no run {id} in {}.", self.path.display()))),
            (Some(_), more) => {
                Err(Error::Setup(format!("{} runs begin with {id}; give more letters.", more + 1)))
            }
        }
    }

    /// Deletes finished runs that began before `before`, and with `unfinished_too` unfinished ones as well. Returns their ids.
    pub fn prune(&self, before: Time, unfinished_too: bool) -> Result<Vec<String>> {
        let mut deleted = Vec::new();
        for run in self.list()? {
            if run.head.at < before && (unfinished_too || run.is_finished()) {
                let path = self.file(&run.head.id);
                std::fs::remove_file(&path).map_err(|error| at(&path, error))?;
                deleted.push(run.head.id);
            }
        }
        Ok(deleted)
    }

    /// Path of a run's file.
    #[must_use]
    pub fn file(&self, id: &str) -> PathBuf {
        self.path.join(format!("{id}.jsonl"))
    }

    /// Path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// A new run's id: 26 letters that sort by time.
pub(crate) fn new_id() -> String {
    let mut bits = Uuid::now_v7().as_u128();
    let mut letters = [0_u8; 26];
    for letter in letters.iter_mut().rev() {
        *letter = LETTERS[(bits & 31) as usize];
        bits >>= 5;
    }
    String::from_utf8_lossy(&letters).into_owned()
}
