//! The command line.

use clap::Parser;

use crate::session::Options;
use crate::theme::Theme;

/// A live dashboard and moderation queue in the terminal.
///
/// Profiles and sign-ins are panelctl's; without one it asks for them. Keys: press ? inside.
#[derive(Debug, Clone, Default, Parser)]
#[command(name = "panel-tui", version, after_help = AFTER)]
pub struct Args {
    /// The profile: which panel, as whom.
    #[arg(short, long, env = "PANELCTL_PROFILE", value_name = "NAME")]
    pub profile: Option<String>,
    /// The panel's address, instead of the profile's.
    #[arg(short, long, env = "PANELCTL_SERVER", value_name = "URL")]
    pub server: Option<String>,
    /// Change nothing, whatever is pressed.
    #[arg(long)]
    pub readonly: bool,
    /// Leave the mouse to the terminal.
    #[arg(long)]
    pub no_mouse: bool,
    /// Draw with ASCII only.
    #[arg(long)]
    pub ascii: bool,
}

const AFTER: &str = "Environment: NO_COLOR switches colours off; PANELCTL_TOKEN is a token to use as it is; \
                     PANELCTL_HOME is another place for profiles and tokens; PANELCTL_ALLOW_HTTP=1 allows \
                     http beyond this machine.";

impl Args {
    /// What of it the dashboard needs.
    #[must_use]
    pub fn options(&self) -> Options {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Options {
            readonly: self.readonly,
            no_mouse: self.no_mouse,
            theme: Theme { colour: !plain, ascii: self.ascii },
        }
    }
}
