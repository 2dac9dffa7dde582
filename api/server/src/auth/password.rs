//! Hashes passwords with Argon2id, on blocking threads and a few at a time, and checks new passwords.

use std::sync::Arc;
use std::time::Duration;

use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use argon2::{Argon2, PasswordHash};
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::RejectionKind;
use sha2::{Digest as _, Sha256};
use tokio::sync::Semaphore;

/// How long a request waits until it may compute a hash.
const PERMIT_TIMEOUT: Duration = Duration::from_secs(2);
/// Minimum length of a password, in characters.
pub const MIN_CHARS: usize = 8;
/// Maximum length of a password, in characters.
pub const MAX_CHARS: usize = 256;
/// The 100,000 most common passwords, without the passwords that are too short. `scripts/common-passwords` writes the file: it contains
/// the first `HASH_BYTES` bytes of the SHA-256 of each password in lower case, sorted.
const COMMON_PASSWORD_HASHES: &[u8] = include_bytes!("common_passwords.bin");
const HASH_BYTES: usize = 5;
/// Minimum length of a word of a [`Context`]. Shorter words are ignored, because many good passwords contain them.
const MIN_WORD_CHARS: usize = 3;
/// Minimum number of letters that a password must have besides the words of its [`Context`].
const MIN_OTHER_LETTERS: usize = 4;

/// Computes and verifies password hashes.
#[derive(Debug, Clone)]
pub struct Passwords {
    hashing_permits: Arc<Semaphore>,
    /// If an email address is unknown, its password is compared with this hash, so that the response takes equally long.
    dummy_hash: Arc<str>,
}

impl Passwords {
    /// Computes at most `workers` hashes at a time.
    #[must_use]
    pub fn new(workers: usize) -> Self {
        let dummy_hash = Argon2::default()
            .hash_password(b"no account has this password")
            .map(|hash| hash.to_string())
            .unwrap_or_default();
        Self { hashing_permits: Arc::new(Semaphore::new(workers.max(1))), dummy_hash: dummy_hash.into() }
    }

    pub async fn hash(&self, password: &str) -> Result<String> {
        let password = password.to_owned();
        self.run_blocking(move || {
            Argon2::default().hash_password(password.as_bytes()).map(|hash| hash.to_string())
        })
        .await?
        .map_err(|error| Error::Internal(error.to_string()))
    }

    /// Whether `password` matches `hash`. If `hash` is `None`, returns false after the same work.
    pub async fn verify(&self, password: &str, hash: Option<&str>) -> Result<bool> {
        let (password, has_hash) = (password.to_owned(), hash.is_some());
        let hash = hash.map_or_else(|| self.dummy_hash.to_string(), str::to_owned);
        let matches = self.run_blocking(move || {
            PasswordHash::new(&hash)
                .is_ok_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok())
        });
        Ok(matches.await? && has_hash)
    }

    /// Whether `hash` has the current algorithm, version and parameters.
    #[must_use]
    pub fn is_current(&self, hash: &str) -> bool {
        algorithm_and_parameters(hash) == algorithm_and_parameters(&self.dummy_hash)
    }

    /// Runs `compute` with a permit. The permit belongs to the blocking task, so that it is not released early if the client
    /// disconnects.
    async fn run_blocking<T: Send + 'static>(
        &self,
        compute: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        let busy_error = || {
            Error::rejected(
                RejectionKind::Unavailable,
                "busy",
                "Too many sign-ins are in progress. Try again in a few seconds.",
            )
        };
        let acquire_result =
            tokio::time::timeout(PERMIT_TIMEOUT, Arc::clone(&self.hashing_permits).acquire_owned())
                .await
                .map_err(|_| busy_error())?;
        let permit = acquire_result.map_err(|_| busy_error())?;
        let task = tokio::task::spawn_blocking(move || {
            let result = compute();
            drop(permit);
            result
        });
        task.await.map_err(|error| Error::Internal(error.to_string()))
    }
}

/// Returns the part of a hash before its salt and output.
fn algorithm_and_parameters(hash: &str) -> &str {
    hash.rsplitn(3, '$').nth(2).unwrap_or_default()
}

/// Words of the account and of the panel name. An attacker tries passwords with these words first.
#[derive(Debug, Default)]
pub struct Context {
    /// The words in lower case, the longest first.
    words: Vec<String>,
}

impl Context {
    /// The context of an account on the panel `panel_name`.
    #[must_use]
    pub fn new(panel_name: &str, email: &str, name: &str) -> Self {
        let local_part = email.split('@').next().unwrap_or_default();
        let texts = ["panel", panel_name, local_part, name].map(str::to_lowercase);
        let parts = texts.iter().flat_map(|text| text.split(|char: char| !char.is_alphanumeric()));
        let joined_texts = texts.iter().map(|text| text.split_whitespace().collect::<String>());
        let mut words: Vec<String> = parts.map(str::to_owned).chain(joined_texts).collect();
        words.retain(|word| word.chars().count() >= MIN_WORD_CHARS);
        words.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
        Self { words }
    }

    /// Whether `password` (in lower case) contains words of the context and fewer than `MIN_OTHER_LETTERS` other letters.
    fn is_mostly_context(&self, password: &str) -> bool {
        let remaining =
            self.words.iter().fold(password.to_owned(), |text, word| text.replace(word.as_str(), ""));
        remaining.len() < password.len()
            && remaining.chars().filter(|char| char.is_alphabetic()).count() < MIN_OTHER_LETTERS
    }
}

/// Checks a new password: its length, whether it is one of the 100,000 most common passwords, and whether it contains more than words of
/// its `context`. There are no rules about digits or special characters, because they do not make passwords harder to guess.
pub fn check_new_password(password: &str, context: &Context) -> std::result::Result<(), String> {
    if password.is_empty() {
        return Err(format!("Enter a password of {MIN_CHARS} to {MAX_CHARS} characters."));
    }
    if !(MIN_CHARS..=MAX_CHARS).contains(&password.chars().count()) {
        return Err(format!("Choose a password of {MIN_CHARS} to {MAX_CHARS} characters."));
    }
    let lowercase_password = password.to_lowercase();
    if is_common(&lowercase_password) {
        return Err(
            "This password is one of the 100,000 most common. Choose another one, such as four unrelated words."
                .into(),
        );
    }
    if context.is_mostly_context(&lowercase_password) {
        return Err("This password has little more than a name, an email address or the panel's name. Choose another one, such as four unrelated words.".into());
    }
    Ok(())
}

/// Whether `password` (in lower case) is in the list of common passwords.
fn is_common(password: &str) -> bool {
    let (hashes, _) = COMMON_PASSWORD_HASHES.as_chunks::<HASH_BYTES>();
    let hash = Sha256::digest(password.as_bytes());
    hash.first_chunk().is_some_and(|hash| hashes.binary_search(hash).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn hashes_and_verifies_passwords() {
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
    fn rejects_passwords_that_are_too_short_or_too_long() {
        let check = |password: &str| check_new_password(password, &Context::default());
        assert!(check("short").is_err() && check("").is_err() && check(&"x".repeat(257)).is_err());
        // Passwords with only lower-case letters, with spaces, in other scripts, and long passwords are accepted.
        for password in ["four words and some", "kdjwqpzm", "желтый пароль", &"жф".repeat(128)]
        {
            assert_eq!(check(password), Ok(()), "{password}");
        }
    }

    #[test]
    fn rejects_common_passwords_in_any_case() {
        let (hashes, remaining_bytes) = COMMON_PASSWORD_HASHES.as_chunks::<HASH_BYTES>();
        assert!(
            remaining_bytes.is_empty() && hashes.len() > 35_000 && hashes.is_sorted(),
            "{}",
            hashes.len()
        );
        for common_password in
            ["Password1", "password", "12345678", "QWERTYUIOP", "iloveyou", "trustno1", "football123"]
        {
            assert!(
                check_new_password(common_password, &Context::default()).unwrap_err().contains("100,000"),
                "{common_password}"
            );
        }
    }

    #[test]
    fn rejects_passwords_that_consist_of_context_words() {
        let context = Context::new("Corner Shop", "anna.miller@example.com", "Anna Müller-Xu");
        for weak_password in [
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
            assert!(
                check_new_password(weak_password, &context).unwrap_err().contains("little more"),
                "{weak_password}"
            );
        }
        for good_password in
            ["panel-demo", "anna likes green tea", "shop of four lamps", "xu8273645", "73645281"]
        {
            assert_eq!(check_new_password(good_password, &context), Ok(()), "{good_password}");
        }
    }
}
