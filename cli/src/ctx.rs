//! What a command works with: the panel, the person's wishes, and where to write.

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
use panel_client::watch::Seen;
use panel_contract::moment::Time;

use crate::failure::{Done, Failure};
use crate::interrupt::Interrupt;
use crate::output::Out;
use crate::root::Globals;

/// What a command works with.
pub(crate) struct Ctx {
    pub(crate) globals: Globals,
    pub(crate) out: Out,
    pub(crate) interrupt: Interrupt,
    /// The command line, without the program's name, for journals.
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

    /// The configuration file.
    pub(crate) fn config(&self) -> Done<Config> {
        Ok(config::load()?)
    }

    /// The name of the profile in use.
    pub(crate) fn profile_name(&self, config: &Config) -> Done<String> {
        Ok(config.name(self.globals.profile.as_deref())?)
    }

    /// The profile in use: its name, and what is known of it.
    pub(crate) fn profile(&self) -> Done<(String, Option<Profile>)> {
        let config = self.config()?;
        let name = self.profile_name(&config)?;
        let profile = config.profiles.get(&name).cloned();
        Ok((name, profile))
    }

    /// The panel's address, where one is known.
    pub(crate) fn server(&self) -> Done<Option<String>> {
        if let Some(server) = &self.globals.server {
            return Ok(Some(server.clone()));
        }
        let config = self.config()?;
        Ok(config.server(&self.profile_name(&config)?))
    }

    /// The client, signed in as the profile, `PANELCTL_TOKEN` or `--token-file` say.
    pub(crate) fn client(&self) -> Done<Client> {
        if let Some(client) = self.client.get() {
            return Ok(client.clone());
        }
        let server = self.server()?.ok_or_else(|| {
            Failure::not_signed_in("No panel is known yet.")
                .hint("panelctl auth login --server https://panel.example")
        })?;
        let client = self.client_for(&server)?;
        Ok(self.client.get_or_init(|| client).clone())
    }

    fn client_for(&self, server: &str) -> Done<Client> {
        let mut builder = self.builder(server);
        if let Some(text) = self.given_token()? {
            builder = builder.token(text);
        } else {
            let store = self.store()?;
            // A profile's token is for the profile's panel: `--server` must not carry it to another.
            if self.is_profiles_own(server)? {
                store.read()?;
                builder = builder.token_store(store);
            }
        }
        Ok(builder.build()?)
    }

    /// A client that nobody is signed in with, to sign in.
    pub(crate) fn client_without_token(&self, server: &str) -> Done<Client> {
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
                Some(line) => out.say(&line),
                None => tell(&out, verbose, seen),
            }
        })
    }

    /// Whether `server` is the panel of the profile in use, or the profile has none yet.
    pub(crate) fn is_profiles_own(&self, server: &str) -> Done<bool> {
        let own = self.profile()?.1.map(|profile| profile.server);
        Ok(own.is_none_or(|own| config::is_same(&own, server)))
    }

    /// Where the profile's token is kept.
    pub(crate) fn store(&self) -> Done<TokenFile> {
        if let Some(store) = self.store.get() {
            return Ok(store.clone());
        }
        let config = self.config()?;
        let store = TokenFile::of(&self.profile_name(&config)?)?;
        Ok(self.store.get_or_init(|| store).clone())
    }

    /// An error when the token could not be written, which the client library had nobody to tell.
    pub(crate) fn complain(&self) -> Done<()> {
        self.store()?.take_trouble().map_or(Ok(()), |what| Err(Failure::failed(what)))
    }

    /// A token from outside: used as it is, never kept or replaced.
    pub(crate) fn given_token(&self) -> Done<Option<String>> {
        if let Some(path) = &self.globals.token_file {
            let text = read_private(path)?;
            let text = text.ok_or_else(|| Failure::usage(format!("There is no {}.", path.display())))?;
            if text.trim().is_empty() {
                return Err(Failure::usage(format!("--token-file {}: the file is empty.", path.display())));
            }
            return Ok(Some(text.trim().to_owned()));
        }
        Ok(std::env::var("PANELCTL_TOKEN").ok().map(|token| token.trim().to_owned()))
    }

    /// Where bulk runs are kept.
    pub(crate) fn runs(&self) -> Done<Folder> {
        Ok(Folder::open(place::runs()?)?)
    }

    /// The time, by the client's clock.
    pub(crate) fn now(&self) -> Time {
        use panel_client::world::{RealWorld, World as _};
        RealWorld.now()
    }
}

/// `-v` shows requests; waits are always told, so that nobody thinks the program hangs.
fn tell(out: &Out, verbose: u8, seen: &Seen<'_>) {
    match seen {
        Seen::Answered { method, target, status, took, attempt } if verbose > 0 => {
            let status = status.map_or("no answer".to_owned(), |status| status.to_string());
            let again = if *attempt > 1 { format!(" (try {attempt})") } else { String::new() };
            out.say(&format!("{method} {target} {status} {} ms{again}", took.as_millis()));
        }
        // Said once, by `OutageNotice`.
        Seen::Waiting { is_outage: true, .. } if verbose == 0 => {}
        Seen::Waiting { why, wait, .. } if verbose > 0 || wait.as_secs() >= 1 => {
            out.say(&format!(
                "{}; trying again in {} s.",
                why.trim_end_matches('.'),
                wait.as_secs_f32().ceil()
            ));
        }
        Seen::Refreshed if verbose > 0 => out.say("The sign-in was extended."),
        _ => {}
    }
}

/// Says once that the panel's database is away, and once that it is back, however many calls wait for it.
#[derive(Debug, Default)]
struct OutageNotice(AtomicBool);

impl OutageNotice {
    /// The line for what was seen just now.
    fn line(&self, seen: &Seen<'_>, limit: Duration) -> Option<String> {
        match seen {
            Seen::Waiting { is_outage: true, .. } => (!self.0.swap(true, Ordering::Relaxed)).then(|| {
                format!(
                    "The panel's database cannot be reached; waiting up to {} s for it (--no-wait fails at once).",
                    limit.as_secs()
                )
            }),
            Seen::Answered { status: Some(status), .. } if *status != 503 => {
                let was_away = self.0.swap(false, Ordering::Relaxed);
                was_away.then(|| "The panel's database is back.".to_owned())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outage_is_one_line_and_its_end_another() {
        let notice = OutageNotice::default();
        let limit = Duration::from_secs(120);
        let waiting =
            Seen::Waiting { why: "away", wait: Duration::from_secs(2), attempt: 1, is_outage: true };
        let answered = |status| Seen::Answered {
            method: "GET",
            target: "/",
            status: Some(status),
            took: Duration::ZERO,
            attempt: 1,
        };
        assert_eq!(notice.line(&answered(200), limit), None);
        assert!(notice.line(&waiting, limit).is_some_and(|line| line.contains("120 s")));
        assert_eq!([notice.line(&answered(503), limit), notice.line(&waiting, limit)], [None, None]);
        assert_eq!(notice.line(&answered(200), limit).as_deref(), Some("The panel's database is back."));
        assert_eq!(notice.line(&answered(200), limit), None);
    }
}
