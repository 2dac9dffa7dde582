//! Tokens in files that only their owner can read. A file that others can read is refused, not used.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use panel_client::token::{Token, TokenStore};
use panel_contract::moment::Time;
use serde::{Deserialize, Serialize};

use crate::failure::{Done, Failure};
use crate::settings::place;

#[derive(Serialize, Deserialize)]
struct Kept {
    token: String,
    expires_at: Option<Time>,
}

/// The token of one profile.
#[derive(Debug)]
pub(crate) struct TokenFile {
    path: PathBuf,
    /// Why the last write failed: the client library has nobody to tell.
    trouble: Mutex<Option<String>>,
}

impl TokenFile {
    /// The file of a profile's token.
    pub(crate) fn of(profile: &str) -> Done<Self> {
        let path = place::config()?.join("tokens").join(format!("{profile}.json"));
        Ok(Self { path, trouble: Mutex::new(None) })
    }

    /// The token; an error when others can read the file.
    pub(crate) fn read(&self) -> Done<Option<Token>> {
        let Some(text) = read_private(&self.path)? else { return Ok(None) };
        let kept: Kept = serde_json::from_str(&text).map_err(|_| {
            Failure::not_signed_in(format!("{} holds no token any more.", self.path.display()))
        })?;
        Ok(Some(Token { text: kept.token, expires_at: kept.expires_at }))
    }

    /// Forgets the token.
    pub(crate) fn remove(&self) -> Done<()> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The trouble of the last write, as a failure.
    pub(crate) fn complain(&self) -> Done<()> {
        let trouble = self.trouble.lock().ok().and_then(|mut trouble| trouble.take());
        trouble.map_or(Ok(()), |what| Err(Failure::failed(what)))
    }

    fn write(&self, token: &Token) -> Done<()> {
        let kept = Kept { token: token.text.clone(), expires_at: token.expires_at };
        let text = serde_json::to_string(&kept).map_err(|error| Failure::failed(error.to_string()))?;
        write(&self.path, &text)
    }
}

impl TokenStore for TokenFile {
    fn load(&self) -> Option<Token> {
        self.read().ok().flatten()
    }

    fn save(&self, token: Option<&Token>) {
        let result = token.map_or_else(|| self.remove(), |token| self.write(token));
        if let (Err(failure), Ok(mut trouble)) = (result, self.trouble.lock()) {
            *trouble = Some(failure.what);
        }
    }
}

/// A store that many hold: the client, and the command that asks for trouble afterwards.
#[derive(Debug, Clone)]
pub(crate) struct Shared(pub(crate) std::sync::Arc<TokenFile>);

impl TokenStore for Shared {
    fn load(&self) -> Option<Token> {
        self.0.load()
    }
    fn save(&self, token: Option<&Token>) {
        self.0.save(token);
    }
}

/// Reads a file that nobody else may be able to read; none when there is no file.
pub(crate) fn read_private(path: &Path) -> Done<Option<String>> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Failure::failed(format!("{}: {error}", path.display()))),
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(path)?.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(Failure::failed(format!(
                "{} can be read by others (mode {mode:o}); the token in it is not used.",
                path.display()
            ))
            .hint(format!(
                "chmod 600 {}   (and sign in again if somebody may have read it)",
                path.display()
            )));
        }
    }
    Ok(Some(text))
}

/// Writes a file of mode 0600 in one move: whoever reads it sees the old text or the new one, never half of it.
pub(crate) fn write(path: &Path, text: &str) -> Done<()> {
    let failed = |error: std::io::Error| Failure::failed(format!("{}: {error}", path.display()));
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
