//! Where runs are kept: one file each, named by its id.

use std::path::{Path, PathBuf};

use panel_contract::moment::Time;
use uuid::Uuid;

use crate::bulk::journal::{self, Record, at};
use crate::error::{Error, Result};

/// Letters of run ids (Crockford's): none that are mistaken for another.
const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// A folder of runs, readable by its owner only.
#[derive(Debug, Clone)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// The folder at `path`, made when it is not there.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self> {
        let path = path.into();
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path).map_err(|error| at(&path, error))?;
        Ok(Self { path })
    }

    /// All runs that can be read, newest first.
    pub fn list(&self) -> Result<Vec<Record>> {
        let entries = std::fs::read_dir(&self.path).map_err(|error| at(&self.path, error))?;
        let files = entries.flatten().map(|entry| entry.path());
        let mut runs: Vec<Record> = files
            .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
            .filter_map(|path| journal::load(&path).ok())
            .collect();
        runs.sort_by(|a, b| b.head.id.cmp(&a.head.id));
        Ok(runs)
    }

    /// One run, by its id or the first letters of it, or `last`.
    pub fn find(&self, id: &str) -> Result<Record> {
        let wanted = id.to_ascii_uppercase();
        let mut runs = self.list()?;
        if id == "last" {
            runs.truncate(1);
        } else {
            runs.retain(|run| run.head.id.starts_with(&wanted));
        }
        match (runs.pop(), runs.len()) {
            (Some(run), 0) => Ok(run),
            (None, _) => Err(Error::Setup(format!("There is no run {id} in {}.", self.path.display()))),
            (Some(_), more) => {
                Err(Error::Setup(format!("{} runs begin with {id}; give more letters.", more + 1)))
            }
        }
    }

    /// Deletes the finished runs that were begun before `before`, and unfinished ones too when asked; answers their
    /// ids.
    pub fn prune(&self, before: Time, unfinished_too: bool) -> Result<Vec<String>> {
        let mut gone = Vec::new();
        for run in self.list()? {
            if run.head.at < before && (unfinished_too || run.is_finished()) {
                let path = self.file(&run.head.id);
                std::fs::remove_file(&path).map_err(|error| at(&path, error))?;
                gone.push(run.head.id);
            }
        }
        Ok(gone)
    }

    /// The file of a run.
    #[must_use]
    pub fn file(&self, id: &str) -> PathBuf {
        self.path.join(format!("{id}.jsonl"))
    }

    /// Where it is.
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
