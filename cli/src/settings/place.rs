//! Where files are: as the XDG rules say, or below `PANELCTL_HOME`.

use std::path::PathBuf;

use crate::failure::{Done, Failure};

fn below(own: &str, system: Option<PathBuf>) -> Done<PathBuf> {
    if let Some(home) = std::env::var_os("PANELCTL_HOME").filter(|home| !home.is_empty()) {
        return Ok(PathBuf::from(home).join(own));
    }
    let folder = system.ok_or_else(|| Failure::failed("There is no home folder; set PANELCTL_HOME."))?;
    Ok(folder.join("panelctl"))
}

/// `~/.config/panelctl`.
pub(crate) fn config() -> Done<PathBuf> {
    below("config", dirs::config_dir())
}

/// `~/.local/state/panelctl/runs`.
pub(crate) fn runs() -> Done<PathBuf> {
    Ok(below("state", dirs::state_dir().or_else(dirs::data_local_dir))?.join("runs"))
}
