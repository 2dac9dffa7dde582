//! Passwords: Argon2id, worked out off the async threads and only a few at a time.

use std::sync::Arc;
use std::time::Duration;

use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use argon2::{Argon2, PasswordHash};
use tokio::sync::Semaphore;

use crate::http::error::{ApiError, Result};

/// How long a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(2);
/// Shortest password.
pub const SHORTEST: usize = 8;
/// Longest password.
pub const LONGEST: usize = 256;
/// The commonest passwords of eight characters and more; guessing starts with these.
const COMMON: &str = include_str!("common_passwords.txt");

/// Works out password hashes.
#[derive(Debug, Clone)]
pub struct Passwords {
    turns: Arc<Semaphore>,
    /// What an unknown e-mail's password is compared with, so that it takes as long.
    decoy: Arc<str>,
}

impl Passwords {
    /// At most `workers` at a time.
    #[must_use]
    pub fn new(workers: usize) -> Self {
        let decoy = Argon2::default()
            .hash_password(b"nobody has this password")
            .map(|hash| hash.to_string())
            .unwrap_or_default();
        Self { turns: Arc::new(Semaphore::new(workers.max(1))), decoy: decoy.into() }
    }

    /// Hashes a new password.
    pub async fn hash(&self, password: &str) -> Result<String> {
        let password = password.to_owned();
        self.work(move || Argon2::default().hash_password(password.as_bytes()).map(|hash| hash.to_string()))
            .await?
            .map_err(|error| ApiError::Fault(error.to_string()))
    }

    /// Whether `password` belongs to `hash`; without a hash the same work is done for nothing.
    pub async fn verify(&self, password: &str, hash: Option<&str>) -> Result<bool> {
        let (password, known) = (password.to_owned(), hash.is_some());
        let hash = hash.map_or_else(|| self.decoy.to_string(), str::to_owned);
        let matches = self.work(move || {
            PasswordHash::new(&hash)
                .is_ok_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok())
        });
        Ok(matches.await? && known)
    }

    /// Whether `hash` was made the way hashes are made today (algorithm, version, parameters).
    #[must_use]
    pub fn is_current(&self, hash: &str) -> bool {
        made_with(hash) == made_with(&self.decoy)
    }

    /// The permit moves into the task: a caller who goes away does not free it early.
    async fn work<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        let busy = || {
            ApiError::told(
                axum::http::StatusCode::SERVICE_UNAVAILABLE,
                "busy",
                "Too many people sign in; try again in a moment.",
            )
        };
        let turn = tokio::time::timeout(PATIENCE, Arc::clone(&self.turns).acquire_owned())
            .await
            .map_err(|_| busy())?;
        let permit = turn.map_err(|_| busy())?;
        let task = tokio::task::spawn_blocking(move || {
            let answer = work();
            drop(permit);
            answer
        });
        task.await.map_err(|error| ApiError::Fault(error.to_string()))
    }
}

/// A hash without its salt and its output.
fn made_with(hash: &str) -> &str {
    hash.rsplitn(3, '$').nth(2).unwrap_or_default()
}

/// Refuses passwords that are too short, too long or too common.
pub fn check(password: &str) -> std::result::Result<(), String> {
    if password.is_empty() {
        return Err(format!("Give a password of {SHORTEST} to {LONGEST} characters."));
    }
    if !(SHORTEST..=LONGEST).contains(&password.chars().count()) {
        return Err(format!("Take a password of {SHORTEST} to {LONGEST} characters."));
    }
    if COMMON.lines().any(|common| common.eq_ignore_ascii_case(password)) {
        return Err("This password is one of the first that are guessed; take another.".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn hashes_and_verifies() {
        let passwords = Passwords::new(2);
        let hash = passwords.hash("correct horse").await.unwrap();
        assert!(hash.starts_with("$argon2id$"));
        assert!(passwords.verify("correct horse", Some(&hash)).await.unwrap());
        assert!(!passwords.verify("wrong horse", Some(&hash)).await.unwrap());
        assert!(!passwords.verify("nobody has this password", None).await.unwrap());
        assert!(passwords.is_current(&hash) && hash.contains("m=19456,t=2,p=1"));
        assert!(!passwords.is_current("$argon2id$v=19$m=4096,t=3,p=1$c2FsdHNhbHQ$aGFzaA"));
        assert!(!passwords.is_current("not a hash"));
    }

    #[test]
    fn refuses_weak_passwords() {
        assert!(check("short").is_err() && check("Password1").is_err() && check(&"x".repeat(257)).is_err());
        assert!(check("four words and some").is_ok() && check(&"ж".repeat(256)).is_ok());
    }
}
