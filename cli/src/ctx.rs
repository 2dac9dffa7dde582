//! The context of a command: the global flags, the client of the panel, and the output.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use panel_client::Client;
use panel_client::builder::Builder;
use panel_client::bulk::folder::Folder;
use panel_client::profiles::config::{self, Config, Profile};
use panel_client::profiles::place;
use panel_client::profiles::secret::{TokenFile, read_private};
use panel_client::retry::Retry;
use panel_client::watch::ClientEvent;
use panel_contract::moment::Time;

use crate::failure::{CmdResult, Failure};
use crate::interrupt::Interrupt;
use crate::output::Out;
use crate::root::Globals;

pub(crate) struct Ctx {
    pub(crate) globals: Globals,
    pub(crate) out: Out,
    pub(crate) interrupt: Interrupt,
    /// The command line without the program's name, for journals of bulk runs.
    pub(crate) command: String,
    client: OnceLock<Client>,
    store: OnceLock<TokenFile>,
}

impl Ctx {
    pub(crate) fn new(globals: Globals, out: Out, command: String) -> Self {
        Self {
            globals,
            out,
            interrupt: Interrupt::default(),
            command,
            client: OnceLock::new(),
            store: OnceLock::new(),
        }
    }

    pub(crate) fn config(&self) -> CmdResult<Config> {
        Ok(config::load()?)
    }

    /// The name of the selected profile.
    pub(crate) fn profile_name(&self, config: &Config) -> CmdResult<String> {
        Ok(config.name(self.globals.profile.as_deref())?)
    }

    /// The name of the selected profile, and its settings if the configuration file has any.
    pub(crate) fn profile(&self) -> CmdResult<(String, Option<Profile>)> {
        let config = self.config()?;
        let name = self.profile_name(&config)?;
        let profile = config.profiles.get(&name).cloned();
        Ok((name, profile))
    }

    /// The panel's address, from `--server` or the profile.
    pub(crate) fn server(&self) -> CmdResult<Option<String>> {
        if let Some(server) = &self.globals.server {
            return Ok(Some(server.clone()));
        }
        let config = self.config()?;
        Ok(config.server(&self.profile_name(&config)?))
    }

    /// The client. It uses the token of `--token-file`, of `PANELCTL_TOKEN`, or of the profile, in this order.
    pub(crate) fn client(&self) -> CmdResult<Client> {
        if let Some(client) = self.client.get() {
            return Ok(client.clone());
        }
        let server = self.server()?.ok_or_else(|| {
            Failure::not_signed_in("No panel is configured.")
                .hint("panelctl auth login --server https://panel.example")
        })?;
        let client = self.client_for(&server)?;
        Ok(self.client.get_or_init(|| client).clone())
    }

    fn client_for(&self, server: &str) -> CmdResult<Client> {
        let mut builder = self.builder(server);
        if let Some(text) = self.explicit_token()? {
            builder = builder.token(text);
        } else {
            let store = self.store()?;
            // A profile's token is only for that profile's panel: `--server` must not send it to another one.
            if self.is_profiles_own(server)? {
                store.read()?;
                builder = builder.token_store(store);
            }
        }
        Ok(builder.build()?)
    }

    /// A client without a token, to sign in.
    pub(crate) fn client_without_token(&self, server: &str) -> CmdResult<Client> {
        Ok(self.builder(server).build()?)
    }

    fn builder(&self, server: &str) -> Builder {
        let (out, verbose) = (self.out.clone(), self.globals.verbose);
        let name = concat!("panelctl/", env!("CARGO_PKG_VERSION"));
        let mut retry = Retry::default();
        if self.globals.no_wait {
            retry.outage_limit = Duration::ZERO;
        }
        let outage = OutageNotice::default();
        let builder = Client::builder(server).user_agent(name).retry(retry).allow_http(config::allows_http());
        builder.confirm_with(crate::session::confirm::ask).watch(move |seen| {
            match outage.line(seen, retry.outage_limit) {
                Some(line) => out.print_message(&line),
                None => report_event(&out, verbose, seen),
            }
        })
    }

    /// Whether `server` is the panel of the selected profile, or the profile has none yet.
    pub(crate) fn is_profiles_own(&self, server: &str) -> CmdResult<bool> {
        let own = self.profile()?.1.map(|profile| profile.server);
        Ok(own.is_none_or(|own| config::is_same(&own, server)))
    }

    /// The file that stores the profile's token.
    pub(crate) fn store(&self) -> CmdResult<TokenFile> {
        if let Some(store) = self.store.get() {
            return Ok(store.clone());
        }
        let config = self.config()?;
        let store = TokenFile::of(&self.profile_name(&config)?)?;
        Ok(self.store.get_or_init(|| store).clone())
    }

    /// Returns the error of the last attempt to write the token, which the client library had to postpone.
    pub(crate) fn check_token_saved(&self) -> CmdResult<()> {
        self.store()?.take_trouble().map_or(Ok(()), |what| Err(Failure::failed(what)))
    }

    /// The token of `--token-file` or `PANELCTL_TOKEN`. It is used unchanged and never stored or replaced.
    pub(crate) fn explicit_token(&self) -> CmdResult<Option<String>> {
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
    pub(crate) fn runs(&self) -> CmdResult<Folder> {
        Ok(Folder::open(place::runs()?)?)
    }

    pub(crate) fn now(&self) -> Time {
        use panel_client::world::{Environment as _, SystemEnvironment};
        SystemEnvironment.now()
    }
}

/// Prints requests with `-v`, and waits of at least a second always, so that the program does not seem to hang.
fn report_event(out: &Out, verbose: u8, seen: &ClientEvent<'_>) {
    match seen {
        ClientEvent::Answered { method, target, status, took, attempt } if verbose > 0 => {
            let status = status.map_or("no response".to_owned(), |status| status.to_string());
            let attempt = if *attempt > 1 { format!(" (attempt {attempt})") } else { String::new() };
            out.print_message(&format!("{method} {target} {status} {} ms{attempt}", took.as_millis()));
        }
        // `OutageNotice` reports it once.
        ClientEvent::Waiting { is_outage: true, .. } if verbose == 0 => {}
        ClientEvent::Waiting { why, wait, .. } if verbose > 0 || wait.as_secs() >= 1 => {
            out.print_message(&format!(
                "{}; retrying in {} s.",
                why.trim_end_matches('.'),
                wait.as_secs_f32().ceil()
            ));
        }
        ClientEvent::Refreshed if verbose > 0 => out.print_message("Session refreshed."),
        _ => {}
    }
}

/// Reports once that the panel's database is unreachable, and once that it is back, however many calls wait for it.
#[derive(Debug, Default)]
struct OutageNotice(AtomicBool);

impl OutageNotice {
    /// The message that an event causes, if any.
    fn line(&self, seen: &ClientEvent<'_>, limit: Duration) -> Option<String> {
        match seen {
            ClientEvent::Waiting { is_outage: true, .. } => (!self.0.swap(true, Ordering::Relaxed)).then(|| {
                format!(
                    "The panel's database is unreachable. Waiting up to {} s; use --no-wait to fail at once.",
                    limit.as_secs()
                )
            }),
            ClientEvent::Answered { status: Some(status), .. } if *status != 503 => {
                let was_away = self.0.swap(false, Ordering::Relaxed);
                was_away.then(|| "The panel's database is reachable again.".to_owned())
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
        let limit = Duration::from_secs(120);
        let waiting =
            ClientEvent::Waiting { why: "away", wait: Duration::from_secs(2), attempt: 1, is_outage: true };
        let answered = |status| ClientEvent::Answered {
            method: "GET",
            target: "/",
            status: Some(status),
            took: Duration::ZERO,
            attempt: 1,
        };
        assert_eq!(notice.line(&answered(200), limit), None);
        assert!(notice.line(&waiting, limit).is_some_and(|line| line.contains("120 s")));
        assert_eq!([notice.line(&answered(503), limit), notice.line(&waiting, limit)], [None, None]);
        assert_eq!(
            notice.line(&answered(200), limit).as_deref(),
            Some("The panel's database is reachable again.")
        );
        assert_eq!(notice.line(&answered(200), limit), None);
    }
}
