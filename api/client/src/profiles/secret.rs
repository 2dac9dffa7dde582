//! Tokens in files that only their owner can read. A file that others can read is refused, not used.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use panel_contract::moment::Time;
use serde::{Deserialize, Serialize};

use crate::profiles::{Trouble, config, place};
use crate::token::{Token, TokenStore};

#[derive(Serialize, Deserialize)]
struct Kept {
    token: String,
    expires_at: Option<Time>,
}

/// The token of one profile. Clones are the same store: the client holds one, and whoever asks it for trouble
/// afterwards another.
#[derive(Debug, Clone)]
pub struct TokenFile {
    path: PathBuf,
    trouble: Arc<Mutex<Option<String>>>,
}

impl TokenFile {
    /// The file of a profile's token.
    pub fn of(profile: &str) -> Result<Self, Trouble> {
        config::check_name(profile)?;
        Ok(Self::at(place::config()?.join("tokens").join(format!("{profile}.json"))))
    }

    /// A token in this file.
    #[must_use]
    pub fn at(path: PathBuf) -> Self {
        Self { path, trouble: Arc::default() }
    }

    /// The token; an error when others can read the file.
    pub fn read(&self) -> Result<Option<Token>, Trouble> {
        let Some(text) = read_private(&self.path)? else { return Ok(None) };
        let kept: Kept =
            serde_json::from_str(&text).map_err(|_| Trouble::Spoiled { path: self.path.clone() })?;
        Ok(Some(Token { text: kept.token, expires_at: kept.expires_at }))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Forgets the token.
    pub fn remove(&self) -> Result<(), Trouble> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Trouble::file(&self.path, error))
            }
            _ => Ok(()),
        }
    }

    /// Why the last write failed, once: the client library has nobody to tell.
    #[must_use]
    pub fn take_trouble(&self) -> Option<String> {
        self.trouble.lock().ok()?.take()
    }

    fn write(&self, token: &Token) -> Result<(), Trouble> {
        let kept = Kept { token: token.text.clone(), expires_at: token.expires_at };
        let text = serde_json::to_string(&kept)
            .map_err(|error| Trouble::Invalid { path: self.path.clone(), why: error.to_string() })?;
        write(&self.path, &text)
    }
}

impl TokenStore for TokenFile {
    fn load(&self) -> Option<Token> {
        self.read().ok().flatten()
    }

    fn save(&self, token: Option<&Token>) {
        let result = token.map_or_else(|| self.remove(), |token| self.write(token));
        if let (Err(trouble), Ok(mut kept)) = (result, self.trouble.lock()) {
            *kept = Some(trouble.to_string());
        }
    }
}

/// Reads a file that nobody else may be able to read; none when there is no file.
pub fn read_private(path: &Path) -> Result<Option<String>, Trouble> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Trouble::file(path, error)),
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let meta = fs::metadata(path).map_err(|error| Trouble::file(path, error))?;
        let mode = meta.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(Trouble::Exposed { path: path.to_owned(), mode });
        }
    }
    Ok(Some(text))
}

/// Writes a file of mode 0600 in one move: whoever reads it sees the old text or the new one, never half of it.
pub fn write(path: &Path, text: &str) -> Result<(), Trouble> {
    let failed = |error| Trouble::file(path, error);
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(failed)?;
    let draft = folder.join(format!(".{}.{}", uuid::Uuid::new_v4().simple(), std::process::id()));
    let mut options = OpenOptions::new();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&draft).map_err(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
    fs::rename(&draft, path).map_err(failed)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_token_is_kept_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens/acme.json");
        let store = TokenFile::at(path.clone());
        assert!(store.load().is_none());
        let token = Token { text: "pnl_x".into(), expires_at: Some(Time(7_000_000)) };
        store.save(Some(&token));
        assert_eq!((store.load(), store.take_trouble()), (Some(token), None));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        assert!(matches!(store.read(), Err(Trouble::Exposed { mode: 0o640, .. })));
        store.save(None);
        assert!(!path.exists());
    }
}
