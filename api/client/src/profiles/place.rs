//! Paths of the files, by the XDG base directories or below `PANELCTL_HOME`.

use std::path::PathBuf;

use crate::profiles::ProfileError;

fn below(own: &str, system: Option<PathBuf>) -> Result<PathBuf, ProfileError> {
    if let Some(home) = std::env::var_os("PANELCTL_HOME").filter(|home| !home.is_empty()) {
        return Ok(PathBuf::from(home).join(own));
    }
    Ok(system.ok_or(ProfileError::NoHome)?.join("panelctl"))
}

/// Folder of the configuration, such as `~/.config/panelctl`. Fails without a home folder.
pub fn config() -> Result<PathBuf, ProfileError> {
    below("config", dirs::config_dir())
}

/// Folder of bulk runs, such as `~/.local/state/panelctl/runs`. Fails without a home folder.
pub fn runs() -> Result<PathBuf, ProfileError> {
    Ok(below("state", dirs::state_dir().or_else(dirs::data_local_dir))?.join("runs"))
}
