//! The context of a command: the global flags, the client of the server, and the output.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use panel_client::Client;
use panel_client::builder::Builder;
use panel_client::bulk::folder::RunFolder;
use panel_client::events::ClientEvent;
use panel_client::profiles::config::{self, Config, Profile};
use panel_client::profiles::paths;
use panel_client::profiles::token_file::{TokenFile, read_private};
use panel_client::retry::RetryPolicy;
use panel_contract::moment::Time;

use crate::failure::{CommandResult, Failure};
use crate::interrupt::Interrupt;
use crate::output::Output;
use crate::root::GlobalFlags;

pub(crate) struct Ctx {
    pub(crate) globals: GlobalFlags,
    pub(crate) out: Output,
    pub(crate) interrupt: Interrupt,
    /// The command line without the program's name, for journals of bulk runs.
    pub(crate) command: String,
    client: OnceLock<Client>,
    token_file: OnceLock<TokenFile>,
}

impl Ctx {
    pub(crate) fn new(globals: GlobalFlags, out: Output, command: String) -> Self {
        Self {
            globals,
            out,
            interrupt: Interrupt::default(),
            command,
            client: OnceLock::new(),
            token_file: OnceLock::new(),
        }
    }

    pub(crate) fn config(&self) -> CommandResult<Config> {
        Ok(config::load()?)
    }

    /// The name of the selected profile.
    pub(crate) fn profile_name(&self, config: &Config) -> CommandResult<String> {
        Ok(config.profile_name(self.globals.profile.as_deref())?)
    }

    /// The name of the selected profile, and its settings if the configuration file has any.
    pub(crate) fn profile(&self) -> CommandResult<(String, Option<Profile>)> {
        let config = self.config()?;
        let name = self.profile_name(&config)?;
        let profile = config.profiles.get(&name).cloned();
        Ok((name, profile))
    }

    /// The server's address, from `--server` or the profile.
    pub(crate) fn server(&self) -> CommandResult<Option<String>> {
        if let Some(server) = &self.globals.server {
            return Ok(Some(server.clone()));
        }
        let config = self.config()?;
        Ok(config.server_url(&self.profile_name(&config)?))
    }

    /// The client. It uses the token of `--token-file`, of `PANELCTL_TOKEN`, or of the profile, in this order.
    pub(crate) fn client(&self) -> CommandResult<Client> {
        if let Some(client) = self.client.get() {
            return Ok(client.clone());
        }
        let server = self.server()?.ok_or_else(|| {
            Failure::not_signed_in("No server is configured.")
                .hint("panelctl auth login --server https://panel.example")
        })?;
        let client = self.client_for(&server)?;
        Ok(self.client.get_or_init(|| client).clone())
    }

    fn client_for(&self, server: &str) -> CommandResult<Client> {
        let mut builder = self.client_builder(server);
        if let Some(text) = self.explicit_token()? {
            builder = builder.token(text);
        } else {
            let token_file = self.token_file()?;
            // The token of a profile is only for the server of that profile. If `--server` names another server, panelctl must not
            // send the token.
            if self.is_server_of_profile(server)? {
                token_file.read()?;
                builder = builder.token_store(token_file);
            }
        }
        Ok(builder.build()?)
    }

    /// A client that sends no token, for the sign-in.
    pub(crate) fn client_without_token(&self, server: &str) -> CommandResult<Client> {
        Ok(self.client_builder(server).build()?)
    }

    fn client_builder(&self, server: &str) -> Builder {
        let (out, verbose) = (self.out.clone(), self.globals.verbose);
        let user_agent = concat!("panelctl/", env!("CARGO_PKG_VERSION"));
        let mut retry_policy = RetryPolicy::default();
        if self.globals.no_wait {
            retry_policy.max_outage_wait = Duration::ZERO;
        }
        let outage_notice = OutageNotice::default();
        let builder = Client::builder(server)
            .user_agent(user_agent)
            .retry_policy(retry_policy)
            .allow_http(config::allows_http());
        builder.confirm_with(crate::session::password_confirmation::ask_password).on_event(move |event| {
            match outage_notice.message_for(event, retry_policy.max_outage_wait) {
                Some(message) => out.print_message(&message),
                None => report_event(&out, verbose, event),
            }
        })
    }

    /// Whether `server` is the server of the selected profile, or the profile has no server yet.
    pub(crate) fn is_server_of_profile(&self, server: &str) -> CommandResult<bool> {
        let profile_server = self.profile()?.1.map(|profile| profile.server);
        Ok(profile_server.is_none_or(|profile_server| config::is_same_panel(&profile_server, server)))
    }

    /// The file that stores the profile's token.
    pub(crate) fn token_file(&self) -> CommandResult<TokenFile> {
        if let Some(token_file) = self.token_file.get() {
            return Ok(token_file.clone());
        }
        let config = self.config()?;
        let token_file = TokenFile::for_profile(&self.profile_name(&config)?)?;
        Ok(self.token_file.get_or_init(|| token_file).clone())
    }

    /// Returns the error of the last attempt to write the token. The client library only remembers this error, because it saves tokens
    /// within other requests.
    pub(crate) fn check_token_saved(&self) -> CommandResult<()> {
        self.token_file()?.take_last_error().map_or(Ok(()), |error| Err(Failure::failed(error)))
    }

    /// The token of `--token-file` or `PANELCTL_TOKEN`. It is used unchanged and never stored or replaced.
    pub(crate) fn explicit_token(&self) -> CommandResult<Option<String>> {
        if let Some(path) = &self.globals.token_file {
            let text = read_private(path)?;
            let text = text
                .ok_or_else(|| Failure::usage(format!("--token-file {}: no such file.", path.display())))?;
            if text.trim().is_empty() {
                return Err(Failure::usage(format!("--token-file {}: the file is empty.", path.display())));
            }
            return Ok(Some(text.trim().to_owned()));
        }
        Ok(std::env::var("PANELCTL_TOKEN").ok().map(|token| token.trim().to_owned()))
    }

    /// The folder with the journals of bulk runs.
    pub(crate) fn run_folder(&self) -> CommandResult<RunFolder> {
        Ok(RunFolder::open(paths::runs_dir()?)?)
    }

    pub(crate) fn now(&self) -> Time {
        use panel_client::environment::{Environment as _, SystemEnvironment};
        SystemEnvironment.now()
    }
}

/// Prints requests with `-v`. Always prints a wait of a second or more, so that the program does not seem to hang.
fn report_event(out: &Output, verbose: u8, event: &ClientEvent<'_>) {
    match event {
        ClientEvent::RequestEnded { method, target, status, duration, attempt } if verbose > 0 => {
            let status = status.map_or("no response".to_owned(), |status| status.to_string());
            let attempt = if *attempt > 1 { format!(" (attempt {attempt})") } else { String::new() };
            out.print_message(&format!("{method} {target} {status} {} ms{attempt}", duration.as_millis()));
        }
        // `OutageNotice` reports an outage once.
        ClientEvent::Waiting { is_outage: true, .. } if verbose == 0 => {}
        ClientEvent::Waiting { error, delay, .. } if verbose > 0 || delay.as_secs() >= 1 => {
            out.print_message(&format!(
                "{}; retrying in {} s.",
                error.trim_end_matches('.'),
                delay.as_secs_f32().ceil()
            ));
        }
        ClientEvent::TokenRefreshed if verbose > 0 => out.print_message("Session refreshed."),
        _ => {}
    }
}

/// Prints one message when the server's database becomes unreachable and one when the database is reachable again, regardless of the
/// number of waiting requests.
#[derive(Debug, Default)]
struct OutageNotice {
    is_outage_reported: AtomicBool,
}

impl OutageNotice {
    /// The message to print for an event; `None` if the event does not begin or end an outage.
    fn message_for(&self, event: &ClientEvent<'_>, max_wait: Duration) -> Option<String> {
        match event {
            ClientEvent::Waiting { is_outage: true, .. } => (!self.is_outage_reported.swap(true, Ordering::Relaxed)).then(|| {
                format!(
                    "The server's database is unreachable. Waiting up to {} s; use --no-wait to fail at once.",
                    max_wait.as_secs()
                )
            }),
            ClientEvent::RequestEnded { status: Some(status), .. } if *status != 503 => {
                let was_unreachable = self.is_outage_reported.swap(false, Ordering::Relaxed);
                was_unreachable.then(|| "The server's database is reachable again.".to_owned())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_an_outage_once_and_its_end_once() {
        let notice = OutageNotice::default();
        let max_wait = Duration::from_secs(120);
        let waiting_event = ClientEvent::Waiting {
            error: "database unreachable",
            delay: Duration::from_secs(2),
            attempt: 1,
            is_outage: true,
        };
        let response_event = |status| ClientEvent::RequestEnded {
            method: "GET",
            target: "/",
            status: Some(status),
            duration: Duration::ZERO,
            attempt: 1,
        };
        assert_eq!(notice.message_for(&response_event(200), max_wait), None);
        assert!(notice.message_for(&waiting_event, max_wait).is_some_and(|line| line.contains("120 s")));
        assert_eq!(
            [
                notice.message_for(&response_event(503), max_wait),
                notice.message_for(&waiting_event, max_wait)
            ],
            [None, None]
        );
        assert_eq!(
            notice.message_for(&response_event(200), max_wait).as_deref(),
            Some("The server's database is reachable again.")
        );
        assert_eq!(notice.message_for(&response_event(200), max_wait), None);
    }
}
