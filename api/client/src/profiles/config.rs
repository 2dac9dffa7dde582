//! `config.toml`: the panels, and which one is the default.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::profiles::{ProfileError, place, secret};

/// Name of the profile that is used if no other is named.
pub const DEFAULT: &str = "default";
/// URL of the panel that `panel-server demo` starts.
pub const DEMO_SERVER: &str = "http://127.0.0.1:8080";

/// Content of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The profile that is used if none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<String>,
    /// Profiles by name.
    #[serde(default)]
    pub profiles: BTreeMap<String, Profile>,
}

/// A panel and the user who signs in to it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// URL of the panel.
    pub server: String,
    /// Email of the user who signed in last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Whether writes need the profile's name as a confirmation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub protected: bool,
    /// Whether writes are refused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
}

impl Config {
    /// The profile in use: the requested one, else the current one, else `default`. Fails for an invalid name.
    pub fn name(&self, requested: Option<&str>) -> Result<String, ProfileError> {
        let name = requested.or(self.current.as_deref()).unwrap_or(DEFAULT).to_owned();
        check_name(&name)?;
        Ok(name)
    }

    /// URL of a profile's panel, if the profile exists.
    #[must_use]
    pub fn server(&self, name: &str) -> Option<String> {
        let server = self.profiles.get(name).map(|profile| profile.server.clone());
        server.or_else(|| (name == "demo").then(|| DEMO_SERVER.to_owned()))
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

/// Path of the file. Fails without a home folder.
pub fn path() -> Result<PathBuf, ProfileError> {
    Ok(place::config()?.join("config.toml"))
}

/// Reads the file; a missing file is an empty configuration. Fails if it cannot be read or is invalid.
pub fn load() -> Result<Config, ProfileError> {
    let path = path()?;
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Config::default()),
        Err(error) => return Err(ProfileError::file(&path, error)),
    };
    toml::from_str(&text).map_err(|error| ProfileError::Invalid { path, why: error.message().to_owned() })
}

/// Writes the file. Fails if it cannot be written.
pub fn save(config: &Config) -> Result<(), ProfileError> {
    let path = path()?;
    match toml::to_string(config) {
        Ok(text) => secret::write(&path, &text),
        Err(error) => Err(ProfileError::Invalid { path, why: error.to_string() }),
    }
}

/// Checks a profile name, which is also a file name: 1 to 64 letters, digits, `-`, `_` or `.`, not starting with a dot.
pub fn check_name(name: &str) -> Result<(), ProfileError> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let fits = !name.is_empty() && name.len() <= 64 && name.chars().all(plain) && !name.starts_with('.');
    if fits { Ok(()) } else { Err(ProfileError::Name(name.to_owned())) }
}

/// Whether two URLs mean the same panel. A token stored for one panel must not be sent to another.
#[must_use]
pub fn is_same(one: &str, other: &str) -> bool {
    one.trim_end_matches('/') == other.trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http_needs_an_explicit_yes() {
        assert!(["1", "true", "ON", " on "].iter().all(|value| is_on(value)));
        assert!(!["", "0", "false", "off", "no", "2"].iter().any(|value| is_on(value)));
    }

    #[test]
    fn accepts_only_plain_file_names() {
        for good in ["default", "acme-prod", "a.b_c1"] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        for bad in ["", ".hidden", "a/b", "../x", "ä", "a b", &"x".repeat(65)] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn chooses_profile_and_panel() {
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
