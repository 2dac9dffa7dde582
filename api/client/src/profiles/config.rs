//! `config.toml`: which panels there are, and which one is meant when nothing is said.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::profiles::{Trouble, place, secret};

/// The profile when nothing names another.
pub const DEFAULT: &str = "default";
/// The panel that `panel-server demo` starts.
pub const DEMO_SERVER: &str = "http://127.0.0.1:8080";

/// The whole file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The profile used when none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<String>,
    /// By name.
    #[serde(default)]
    pub profiles: BTreeMap<String, Profile>,
}

/// One panel, as one person.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Its address.
    pub server: String,
    /// Who signed in last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Writes ask for the profile's name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub protected: bool,
    /// Writes are refused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
}

impl Config {
    /// The profile in use: the one asked for, else the current one, else `default`.
    pub fn name(&self, asked: Option<&str>) -> Result<String, Trouble> {
        let name = asked.or(self.current.as_deref()).unwrap_or(DEFAULT).to_owned();
        check_name(&name)?;
        Ok(name)
    }

    /// The panel's address of a profile, where one is known.
    #[must_use]
    pub fn server(&self, name: &str) -> Option<String> {
        let known = self.profiles.get(name).map(|profile| profile.server.clone());
        known.or_else(|| (name == "demo").then(|| DEMO_SERVER.to_owned()))
    }
}

/// Whether the user allows plain http beyond this machine: `PANELCTL_ALLOW_HTTP` is `1`, `true` or `on`.
#[must_use]
pub fn allows_http() -> bool {
    std::env::var("PANELCTL_ALLOW_HTTP").is_ok_and(|value| is_on(&value))
}

fn is_on(value: &str) -> bool {
    ["1", "true", "on"].iter().any(|word| value.trim().eq_ignore_ascii_case(word))
}

/// The file's path.
pub fn path() -> Result<PathBuf, Trouble> {
    Ok(place::config()?.join("config.toml"))
}

/// Reads it; an absent file is an empty one.
pub fn load() -> Result<Config, Trouble> {
    let path = path()?;
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Config::default()),
        Err(error) => return Err(Trouble::file(&path, error)),
    };
    toml::from_str(&text).map_err(|error| Trouble::Invalid { path, why: error.message().to_owned() })
}

/// Writes it.
pub fn save(config: &Config) -> Result<(), Trouble> {
    let path = path()?;
    match toml::to_string(config) {
        Ok(text) => secret::write(&path, &text),
        Err(error) => Err(Trouble::Invalid { path, why: error.to_string() }),
    }
}

/// Whether a profile may be called so: it names a file as well.
pub fn check_name(name: &str) -> Result<(), Trouble> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let fits = !name.is_empty() && name.len() <= 64 && name.chars().all(plain) && !name.starts_with('.');
    if fits { Ok(()) } else { Err(Trouble::Name(name.to_owned())) }
}

/// Whether two addresses mean the same panel: a token kept for one must not be carried to another.
#[must_use]
pub fn is_same(one: &str, other: &str) -> bool {
    one.trim_end_matches('/') == other.trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http_is_allowed_by_a_clear_yes_only() {
        assert!(["1", "true", "ON", " on "].iter().all(|value| is_on(value)));
        assert!(!["", "0", "false", "off", "no", "2"].iter().any(|value| is_on(value)));
    }

    #[test]
    fn names_are_file_names_and_nothing_more() {
        for good in ["default", "acme-prod", "a.b_c1"] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        for bad in ["", ".hidden", "a/b", "../x", "ä", "a b", &"x".repeat(65)] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn which_profile_and_which_panel() {
        let mut config: Config = toml::from_str(
            "current = \"acme\"\n[profiles.acme]\nserver = \"https://acme.example\"\nprotected = true\n",
        )
        .unwrap();
        assert_eq!(config.name(None).unwrap(), "acme");
        assert_eq!(config.name(Some("other")).unwrap(), "other");
        assert!(config.name(Some("../other")).is_err());
        assert_eq!(config.server("acme").as_deref(), Some("https://acme.example"));
        assert_eq!((config.server("demo").as_deref(), config.server("x")), (Some(DEMO_SERVER), None));
        config.current = None;
        assert_eq!(config.name(None).unwrap(), DEFAULT);
        assert!(toml::from_str::<Config>("surprise = 1").is_err());
        assert!(is_same("https://a.example/", "https://a.example"));
        assert!(!is_same("https://a.example", "http://a.example"));
    }
}
