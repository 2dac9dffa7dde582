//! The command line.

use clap::Parser;

use crate::session::Options;
use crate::theme::Theme;

/// A live dashboard and moderation queue in the terminal.
///
/// It shares profiles and sessions with panelctl; without a session it shows a sign-in form. Press ? for the keys.
#[derive(Debug, Clone, Default, Parser)]
#[command(name = "panel-tui", version, after_help = ENVIRONMENT_HELP)]
pub struct Args {
    /// The profile to use: server and account.
    #[arg(short, long, env = "PANELCTL_PROFILE", value_name = "NAME")]
    pub profile: Option<String>,
    /// The server to use instead of the server of the profile.
    #[arg(short, long, env = "PANELCTL_SERVER", value_name = "URL")]
    pub server: Option<String>,
    /// Read only: reject every change.
    #[arg(long)]
    pub readonly: bool,
    /// Leave the mouse to the terminal.
    #[arg(long)]
    pub no_mouse: bool,
    /// Draw with ASCII only.
    #[arg(long)]
    pub ascii: bool,
}

const ENVIRONMENT_HELP: &str = "Environment: NO_COLOR disables colors; PANELCTL_TOKEN is a token for this session, which is not stored; \
                     PANELCTL_HOME is the folder of profiles and tokens; PANELCTL_ALLOW_HTTP=1 allows \
                     http:// to other machines.";

impl Args {
    /// The options of the dashboard.
    #[must_use]
    pub fn options(&self) -> Options {
        let disables_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Options {
            readonly: self.readonly,
            no_mouse: self.no_mouse,
            theme: Theme { uses_color: !disables_color, is_ascii: self.ascii },
        }
    }
}
