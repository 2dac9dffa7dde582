//! `config.toml`: which panels there are, and which one is meant when nothing is said.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::failure::{Done, Failure};
use crate::settings::{place, secret};

/// The whole file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    /// The profile used when none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) current: Option<String>,
    /// By name.
    #[serde(default)]
    pub(crate) profiles: BTreeMap<String, Profile>,
}

/// One panel, as one person.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Profile {
    /// Its address.
    pub(crate) server: String,
    /// Who signed in last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) user: Option<String>,
    /// Writes ask for the profile's name, and `--yes` counts only beside `--profile`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) protected: bool,
    /// Writes are refused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) read_only: bool,
}

/// The file's path.
pub(crate) fn path() -> Done<PathBuf> {
    Ok(place::config()?.join("config.toml"))
}

/// Reads it; an absent file is an empty one.
pub(crate) fn load() -> Done<Config> {
    let path = path()?;
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Config::default()),
        Err(error) => return Err(Failure::failed(format!("{}: {error}", path.display()))),
    };
    toml::from_str(&text).map_err(|error| {
        let why = error.message().to_owned();
        Failure::usage(format!("{} is not valid: {why}.", path.display())).hint("correct or remove that file")
    })
}

/// Writes it.
pub(crate) fn save(config: &Config) -> Done<()> {
    let text = toml::to_string(config).map_err(|error| Failure::failed(error.to_string()))?;
    secret::write(&path()?, &text)
}

/// Whether a profile may be called so: it names a file as well.
pub(crate) fn check_name(name: &str) -> Done<()> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    if !name.is_empty() && name.len() <= 64 && name.chars().all(plain) && !name.starts_with('.') {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{name:?} cannot be a profile's name: use letters, digits, dashes and underscores."
    )))
}
