//! `config.toml`: the profiles, and the name of the current one.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::profiles::{ProfileError, paths, token_file};

/// Name of the profile that applies if neither the user nor the configuration names one.
pub const DEFAULT_PROFILE: &str = "default";
/// URL of the panel that `panel-server demo` starts.
pub const DEMO_SERVER: &str = "http://127.0.0.1:8080";

/// The file `config.toml`, which holds no tokens. Unknown keys are errors.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Name of the profile that applies if the user names none; `None` for `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<String>,
    /// Each profile under the name that `--profile` takes.
    #[serde(default)]
    pub profiles: BTreeMap<String, Profile>,
}

/// A panel and the user who signs in to it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// URL of the panel, such as `https://panel.example`.
    pub server: String,
    /// Email address of the user who signed in last; `None` before the first sign-in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Whether the user must enter the name of the profile to confirm a write.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub protected: bool,
    /// Whether the programs reject every write.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
}

impl Config {
    /// Name of the profile that applies: `requested`, otherwise `current`, otherwise `default`. Fails if the name is invalid.
    pub fn profile_name(&self, requested: Option<&str>) -> Result<String, ProfileError> {
        let name = requested.or(self.current.as_deref()).unwrap_or(DEFAULT_PROFILE).to_owned();
        check_name(&name)?;
        Ok(name)
    }

    /// URL of the panel of profile `name`; `None` without such a profile. The profile `demo` exists without configuration.
    #[must_use]
    pub fn server_url(&self, name: &str) -> Option<String> {
        let server = self.profiles.get(name).map(|profile| profile.server.clone());
        server.or_else(|| (name == "demo").then(|| DEMO_SERVER.to_owned()))
    }
}

/// Whether the user allows plain http to other machines: `PANELCTL_ALLOW_HTTP` is `1`, `true` or `on`.
#[must_use]
pub fn allows_http() -> bool {
    std::env::var("PANELCTL_ALLOW_HTTP").is_ok_and(|value| is_enabled_value(&value))
}

fn is_enabled_value(value: &str) -> bool {
    ["1", "true", "on"].iter().any(|enabled| value.trim().eq_ignore_ascii_case(enabled))
}

/// Path of `config.toml`. Fails if the home folder is unknown.
pub fn path() -> Result<PathBuf, ProfileError> {
    Ok(paths::config_dir()?.join("config.toml"))
}

/// Reads `config.toml`; a missing file is an empty configuration. Fails if the file cannot be read or is invalid.
pub fn load() -> Result<Config, ProfileError> {
    let path = path()?;
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Config::default()),
        Err(error) => return Err(ProfileError::from_io(&path, error)),
    };
    toml::from_str(&text).map_err(|error| ProfileError::Invalid { path, reason: error.message().to_owned() })
}

/// Replaces `config.toml`. Fails if the file cannot be written.
pub fn save(config: &Config) -> Result<(), ProfileError> {
    let path = path()?;
    match toml::to_string(config) {
        Ok(text) => token_file::write_private(&path, &text),
        Err(error) => Err(ProfileError::Invalid { path, reason: error.to_string() }),
    }
}

/// Fails unless `name` can be the name of a profile, which is also a file name: 1 to 64 letters, digits, `-`, `_` or `.`, and no
/// dot at the start.
pub fn check_name(name: &str) -> Result<(), ProfileError> {
    let is_allowed =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.');
    let is_valid =
        !name.is_empty() && name.len() <= 64 && name.chars().all(is_allowed) && !name.starts_with('.');
    if is_valid { Ok(()) } else { Err(ProfileError::InvalidName(name.to_owned())) }
}

/// Whether two URLs are the same except for slashes at the end. A token for one panel must not be sent to another one.
#[must_use]
pub fn is_same_panel(first_url: &str, second_url: &str) -> bool {
    first_url.trim_end_matches('/') == second_url.trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_needs_an_explicit_value() {
        assert!(["1", "true", "ON", " on "].iter().all(|value| is_enabled_value(value)));
        assert!(!["", "0", "false", "off", "no", "2"].iter().any(|value| is_enabled_value(value)));
    }

    #[test]
    fn accepts_only_plain_file_names() {
        for valid in ["default", "acme-prod", "a.b_c1"] {
            assert!(check_name(valid).is_ok(), "{valid}");
        }
        for invalid in ["", ".hidden", "a/b", "../x", "ä", "a b", &"x".repeat(65)] {
            assert!(check_name(invalid).is_err(), "{invalid}");
        }
    }

    #[test]
    fn the_name_of_a_profile_selects_its_panel() {
        let mut config: Config = toml::from_str(
            "current = \"acme\"\n[profiles.acme]\nserver = \"https://acme.example\"\nprotected = true\n",
        )
        .unwrap();
        assert_eq!(config.profile_name(None).unwrap(), "acme");
        assert_eq!(config.profile_name(Some("other")).unwrap(), "other");
        assert!(config.profile_name(Some("../other")).is_err());
        assert_eq!(config.server_url("acme").as_deref(), Some("https://acme.example"));
        assert_eq!((config.server_url("demo").as_deref(), config.server_url("x")), (Some(DEMO_SERVER), None));
        config.current = None;
        assert_eq!(config.profile_name(None).unwrap(), DEFAULT_PROFILE);
        assert!(toml::from_str::<Config>("surprise = 1").is_err());
        assert!(is_same_panel("https://a.example/", "https://a.example"));
        assert!(!is_same_panel("https://a.example", "http://a.example"));
    }
}
