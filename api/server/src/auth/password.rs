//! Passwords: Argon2id, worked out off the async threads and only a few at a time.

use std::sync::Arc;
use std::time::Duration;

use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use argon2::{Argon2, PasswordHash};
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::RejectionKind;
use sha2::{Digest as _, Sha256};
use tokio::sync::Semaphore;

/// How long a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(2);
/// Shortest password.
pub const SHORTEST: usize = 8;
/// Longest password.
pub const LONGEST: usize = 256;
/// Those of the 100,000 most common passwords that are long enough, as `scripts/common-passwords` writes them: the first
/// bytes of the SHA-256 of each in lower case, sorted.
const COMMON: &[u8] = include_bytes!("common_passwords.bin");
const HASH_BYTES: usize = 5;
/// Shorter words of a context are part of many good passwords, too.
const SHORTEST_WORD: usize = 3;
/// A password needs so many letters beside the words of its context.
const MIN_OWN_CHARS: usize = 4;

/// Works out password hashes.
#[derive(Debug, Clone)]
pub struct Passwords {
    turns: Arc<Semaphore>,
    /// What an unknown email's password is compared with, so that it takes as long.
    decoy: Arc<str>,
}

impl Passwords {
    /// At most `workers` at a time.
    #[must_use]
    pub fn new(workers: usize) -> Self {
        let decoy = Argon2::default()
            .hash_password(b"no account has this password")
            .map(|hash| hash.to_string())
            .unwrap_or_default();
        Self { turns: Arc::new(Semaphore::new(workers.max(1))), decoy: decoy.into() }
    }

    /// Hashes a new password.
    pub async fn hash(&self, password: &str) -> Result<String> {
        let password = password.to_owned();
        self.work(move || Argon2::default().hash_password(password.as_bytes()).map(|hash| hash.to_string()))
            .await?
            .map_err(|error| Error::Fault(error.to_string()))
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
            Error::rejected(
                RejectionKind::Unavailable,
                "busy",
                "Too many people are signing in. Try again in a moment.",
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
        task.await.map_err(|error| Error::Fault(error.to_string()))
    }
}

/// A hash without its salt and its output.
fn made_with(hash: &str) -> &str {
    hash.rsplitn(3, '$').nth(2).unwrap_or_default()
}

/// Words of the account and of the panel, which guessing tries first.
#[derive(Debug, Default)]
pub struct Context {
    /// In lower case, the longest first.
    words: Vec<String>,
}

impl Context {
    /// Of an account on the panel of this name.
    #[must_use]
    pub fn new(panel_name: &str, email: &str, name: &str) -> Self {
        let local = email.split('@').next().unwrap_or_default();
        let texts = ["panel", panel_name, local, name].map(str::to_lowercase);
        let parts = texts.iter().flat_map(|text| text.split(|char: char| !char.is_alphanumeric()));
        let whole = texts.iter().map(|text| text.split_whitespace().collect::<String>());
        let mut words: Vec<String> = parts.map(str::to_owned).chain(whole).collect();
        words.retain(|word| word.chars().count() >= SHORTEST_WORD);
        words.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
        Self { words }
    }

    /// Whether `password` (lower case) is such words with little else: fewer than four letters of its own.
    fn is_all_of(&self, password: &str) -> bool {
        let rest = self.words.iter().fold(password.to_owned(), |rest, word| rest.replace(word.as_str(), ""));
        rest.len() < password.len()
            && rest.chars().filter(|char| char.is_alphabetic()).count() < MIN_OWN_CHARS
    }
}

/// Judges a new password: its length, whether it is one of the 100,000 most common, and whether it is more than words of
/// its `context`. No rules of composition, as they make passwords that are no harder to guess.
pub fn check_new(password: &str, context: &Context) -> std::result::Result<(), String> {
    if password.is_empty() {
        return Err(format!("Give a password of {SHORTEST} to {LONGEST} characters."));
    }
    if !(SHORTEST..=LONGEST).contains(&password.chars().count()) {
        return Err(format!("Take a password of {SHORTEST} to {LONGEST} characters."));
    }
    let lower = password.to_lowercase();
    if is_common(&lower) {
        return Err(
            "This password is one of the 100,000 most common; take another, such as four unrelated words."
                .into(),
        );
    }
    if context.is_all_of(&lower) {
        return Err("This password is little more than a name, an email address or the panel's name; take another, such as four unrelated words.".into());
    }
    Ok(())
}

/// Whether the list has a password (in lower case).
fn is_common(password: &str) -> bool {
    let (hashes, _) = COMMON.as_chunks::<HASH_BYTES>();
    let hash = Sha256::digest(password.as_bytes());
    hash.first_chunk().is_some_and(|hash| hashes.binary_search(hash).is_ok())
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
        assert!(!passwords.verify("no account has this password", None).await.unwrap());
        assert!(passwords.is_current(&hash) && hash.contains("m=19456,t=2,p=1"));
        assert!(!passwords.is_current("$argon2id$v=19$m=4096,t=3,p=1$c2FsdHNhbHQ$aGFzaA"));
        assert!(!passwords.is_current("not a hash"));
    }

    #[test]
    fn refuses_passwords_by_length() {
        let check = |password: &str| check_new(password, &Context::default());
        assert!(check("short").is_err() && check("").is_err() && check(&"x".repeat(257)).is_err());
        // No rules of composition: lower-case letters alone, spaces, other scripts and long ones are taken.
        for password in ["four words and some", "kdjwqpzm", "желтый пароль", &"жф".repeat(128)]
        {
            assert_eq!(check(password), Ok(()), "{password}");
        }
    }

    #[test]
    fn refuses_common_passwords_whatever_their_case() {
        let (hashes, rest) = COMMON.as_chunks::<HASH_BYTES>();
        assert!(rest.is_empty() && hashes.len() > 35_000 && hashes.is_sorted(), "{}", hashes.len());
        for common in
            ["Password1", "password", "12345678", "QWERTYUIOP", "iloveyou", "trustno1", "football123"]
        {
            assert!(check_new(common, &Context::default()).unwrap_err().contains("100,000"), "{common}");
        }
    }

    #[test]
    fn refuses_little_more_than_words_of_the_context() {
        let context = Context::new("Corner Shop", "anna.miller@example.com", "Anna Müller-Xu");
        for weak in [
            "annamiller",
            "Anna.Miller!",
            "AnnaMiller2026",
            "cornershop1",
            "Corner-Shop-1",
            "panel-2026",
            "panelpanel",
            "müller99",
            "anna1234abc",
        ] {
            assert!(check_new(weak, &context).unwrap_err().contains("little more"), "{weak}");
        }
        for good in ["panel-demo", "anna likes green tea", "shop of four lamps", "xu8273645", "73645281"] {
            assert_eq!(check_new(good, &context), Ok(()), "{good}");
        }
    }
}
