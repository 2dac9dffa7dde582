//! Folders of the files: below `PANELCTL_HOME`, otherwise in the XDG base directories.

use std::path::PathBuf;

use crate::profiles::ProfileError;

fn base_dir(name_below_home: &str, xdg_dir: Option<PathBuf>) -> Result<PathBuf, ProfileError> {
    if let Some(home) = std::env::var_os("PANELCTL_HOME").filter(|home| !home.is_empty()) {
        return Ok(PathBuf::from(home).join(name_below_home));
    }
    Ok(xdg_dir.ok_or(ProfileError::NoHome)?.join("panelctl"))
}

/// Folder of the configuration, such as `~/.config/panelctl`. Fails if the home folder is unknown.
pub fn config_dir() -> Result<PathBuf, ProfileError> {
    base_dir("config", dirs::config_dir())
}

/// Folder of the journals of bulk runs, such as `~/.local/state/panelctl/runs`. Fails if the home folder is unknown.
pub fn runs_dir() -> Result<PathBuf, ProfileError> {
    Ok(base_dir("state", dirs::state_dir().or_else(dirs::data_local_dir))?.join("runs"))
}
