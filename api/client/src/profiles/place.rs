//! Where the files are: as the XDG rules say, or below `PANELCTL_HOME`.

use std::path::PathBuf;

use crate::profiles::Trouble;

fn below(own: &str, system: Option<PathBuf>) -> Result<PathBuf, Trouble> {
    if let Some(home) = std::env::var_os("PANELCTL_HOME").filter(|home| !home.is_empty()) {
        return Ok(PathBuf::from(home).join(own));
    }
    Ok(system.ok_or(Trouble::NoHome)?.join("panelctl"))
}

/// `~/.config/panelctl`.
pub fn config() -> Result<PathBuf, Trouble> {
    below("config", dirs::config_dir())
}

/// `~/.local/state/panelctl/runs`.
pub fn runs() -> Result<PathBuf, Trouble> {
    Ok(below("state", dirs::state_dir().or_else(dirs::data_local_dir))?.join("runs"))
}
