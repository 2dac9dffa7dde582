//! Tokens in files that only their owner can read. A file that other users can read is rejected.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use panel_contract::moment::Time;
use serde::{Deserialize, Serialize};

use crate::profiles::{ProfileError, config, paths};
use crate::token::{Token, TokenStore};

#[derive(Serialize, Deserialize)]
struct StoredToken {
    token: String,
    expires_at: Option<Time>,
}

/// The token file of one profile. Clones share the last error, so that the program can report a failed write of the client.
#[derive(Debug, Clone)]
pub struct TokenFile {
    path: PathBuf,
    last_error: Arc<Mutex<Option<String>>>,
}

impl TokenFile {
    /// The token file of a profile. Fails if the name is invalid or the home folder is unknown.
    pub fn for_profile(profile: &str) -> Result<Self, ProfileError> {
        config::check_name(profile)?;
        Ok(Self::new(paths::config_dir()?.join("tokens").join(format!("{profile}.json"))))
    }

    /// A token file at `path`, which may not exist yet.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self { path, last_error: Arc::default() }
    }

    /// Reads the token; `None` without a file. Fails if the file cannot be read, if other users can read it, or if its content
    /// is not a token.
    pub fn read(&self) -> Result<Option<Token>, ProfileError> {
        let Some(text) = read_private(&self.path)? else { return Ok(None) };
        let stored: StoredToken = serde_json::from_str(&text)
            .map_err(|_| ProfileError::InvalidToken { path: self.path.clone() })?;
        Ok(Some(Token { text: stored.token, expires_at: stored.expires_at }))
    }

    /// Path of the token file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Deletes the file; does nothing without one. Fails if the file cannot be deleted.
    pub fn remove(&self) -> Result<(), ProfileError> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(ProfileError::from_io(&self.path, error))
            }
            _ => Ok(()),
        }
    }

    /// Returns the error of the last failed write and clears it. [`TokenStore::save`] cannot return an error itself.
    #[must_use]
    pub fn take_last_error(&self) -> Option<String> {
        self.last_error.lock().ok()?.take()
    }

    fn write(&self, token: &Token) -> Result<(), ProfileError> {
        let stored = StoredToken { token: token.text.clone(), expires_at: token.expires_at };
        let text = serde_json::to_string(&stored)
            .map_err(|error| ProfileError::Invalid { path: self.path.clone(), reason: error.to_string() })?;
        write_private(&self.path, &text)
    }
}

impl TokenStore for TokenFile {
    fn load(&self) -> Option<Token> {
        self.read().ok().flatten()
    }

    fn save(&self, token: Option<&Token>) {
        let result = token.map_or_else(|| self.remove(), |token| self.write(token));
        if let (Err(error), Ok(mut last_error)) = (result, self.last_error.lock()) {
            *last_error = Some(error.to_string());
        }
    }
}

/// Reads a file; `None` without one. Fails if the file cannot be read, or if other users can read it.
pub fn read_private(path: &Path) -> Result<Option<String>, ProfileError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(ProfileError::from_io(path, error)),
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let meta = fs::metadata(path).map_err(|error| ProfileError::from_io(path, error))?;
        let mode = meta.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(ProfileError::Exposed { path: path.to_owned(), mode });
        }
    }
    Ok(Some(text))
}

/// Replaces a file atomically, with mode 0600, and creates its folder with mode 0700. Fails if the file cannot be written.
pub fn write_private(path: &Path, text: &str) -> Result<(), ProfileError> {
    let to_error = |error| ProfileError::from_io(path, error);
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(to_error)?;
    let temporary = folder.join(format!(".{}.{}", uuid::Uuid::new_v4().simple(), std::process::id()));
    let mut options = OpenOptions::new();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&temporary).map_err(to_error)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(to_error)?;
    fs::rename(&temporary, path).map_err(to_error)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn only_the_owner_can_read_a_token() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens/acme.json");
        let store = TokenFile::new(path.clone());
        assert!(store.load().is_none());
        let token = Token { text: "pnl_x".into(), expires_at: Some(Time(7_000_000)) };
        store.save(Some(&token));
        assert_eq!((store.load(), store.take_last_error()), (Some(token), None));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        assert!(matches!(store.read(), Err(ProfileError::Exposed { mode: 0o640, .. })));
        store.save(None);
        assert!(!path.exists());
    }
}
