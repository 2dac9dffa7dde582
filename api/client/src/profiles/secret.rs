//! Tokens in files that only their owner can read. A file that others can read is refused.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use panel_contract::moment::Time;
use serde::{Deserialize, Serialize};

use crate::profiles::{ProfileError, config, place};
use crate::token::{Token, TokenStore};

#[derive(Serialize, Deserialize)]
struct StoredToken {
    token: String,
    expires_at: Option<Time>,
}

/// The token file of one profile. Clones share the last error, so that the program can read it after the client's write failed.
#[derive(Debug, Clone)]
pub struct TokenFile {
    path: PathBuf,
    trouble: Arc<Mutex<Option<String>>>,
}

impl TokenFile {
    /// The token file of a profile. Fails for an invalid name or without a home folder.
    pub fn of(profile: &str) -> Result<Self, ProfileError> {
        config::check_name(profile)?;
        Ok(Self::at(place::config()?.join("tokens").join(format!("{profile}.json"))))
    }

    /// A token file at this path.
    #[must_use]
    pub fn at(path: PathBuf) -> Self {
        Self { path, trouble: Arc::default() }
    }

    /// Reads the token; `None` without a file. Fails if other users can read the file.
    pub fn read(&self) -> Result<Option<Token>, ProfileError> {
        let Some(text) = read_private(&self.path)? else { return Ok(None) };
        let stored: StoredToken =
            serde_json::from_str(&text).map_err(|_| ProfileError::Spoiled { path: self.path.clone() })?;
        Ok(Some(Token { text: stored.token, expires_at: stored.expires_at }))
    }

    /// Path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Deletes the file.
    pub fn remove(&self) -> Result<(), ProfileError> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(ProfileError::file(&self.path, error))
            }
            _ => Ok(()),
        }
    }

    /// Returns the error of the last failed write, once, because the client library cannot report it.
    #[must_use]
    pub fn take_trouble(&self) -> Option<String> {
        self.trouble.lock().ok()?.take()
    }

    fn write(&self, token: &Token) -> Result<(), ProfileError> {
        let stored = StoredToken { token: token.text.clone(), expires_at: token.expires_at };
        let text = serde_json::to_string(&stored)
            .map_err(|error| ProfileError::Invalid { path: self.path.clone(), why: error.to_string() })?;
        write(&self.path, &text)
    }
}

impl TokenStore for TokenFile {
    fn load(&self) -> Option<Token> {
        self.read().ok().flatten()
    }

    fn save(&self, token: Option<&Token>) {
        let result = token.map_or_else(|| self.remove(), |token| self.write(token));
        if let (Err(trouble), Ok(mut last)) = (result, self.trouble.lock()) {
            *last = Some(trouble.to_string());
        }
    }
}

/// Reads a file and refuses it if other users can read it; `None` without a file.
pub fn read_private(path: &Path) -> Result<Option<String>, ProfileError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(ProfileError::file(path, error)),
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let meta = fs::metadata(path).map_err(|error| ProfileError::file(path, error))?;
        let mode = meta.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(ProfileError::Exposed { path: path.to_owned(), mode });
        }
    }
    Ok(Some(text))
}

/// Atomically writes a file with mode 0600: readers see the old text or the new one, never a part.
pub fn write(path: &Path, text: &str) -> Result<(), ProfileError> {
    let failed = |error| ProfileError::file(path, error);
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(failed)?;
    let temporary = folder.join(format!(".{}.{}", uuid::Uuid::new_v4().simple(), std::process::id()));
    let mut options = OpenOptions::new();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&temporary).map_err(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
    fs::rename(&temporary, path).map_err(failed)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn only_the_owner_can_read_a_token() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens/acme.json");
        let store = TokenFile::at(path.clone());
        assert!(store.load().is_none());
        let token = Token { text: "pnl_x".into(), expires_at: Some(Time(7_000_000)) };
        store.save(Some(&token));
        assert_eq!((store.load(), store.take_trouble()), (Some(token), None));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        assert!(matches!(store.read(), Err(ProfileError::Exposed { mode: 0o640, .. })));
        store.save(None);
        assert!(!path.exists());
    }
}
