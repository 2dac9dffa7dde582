//! Which panel, as whom: from panelctl's profiles and tokens, or from the sign-in form, kept where panelctl finds it.
//!
//! A profile's token is never carried to another panel than the profile's.

use std::time::Duration;

use panel_client::profiles::config::{self, Config};
use panel_client::profiles::secret::TokenFile;
use panel_client::retry::Retry;
use panel_client::token::TokenStore as _;
use panel_client::world::{RealWorld, World as _};
use panel_client::{Client, Error};
use panel_contract::endpoint::{NoBody, NoQuery};
use panel_contract::moment::Time;
use panel_contract::second_factor::SecondFactorMethod;
use panel_contract::session::{LoginInput, Profile};
use panel_kernel::backoff::{Backoff, Chance};

use crate::job::Answer;
use crate::runner::identity::Questions;
use crate::runner::live::ANSWER_WITHIN;
use crate::runner::mail::{Letter, Out};
use crate::runner::trouble::{sentence, trouble};
use crate::session::{Connection, SignIn, Who};

/// Somebody waits for every answer: better to say soon that there is none.
const RETRY: Retry = Retry {
    attempts: 3,
    first_wait: Duration::from_millis(200),
    longest_wait: Duration::from_secs(3),
    // Lists are read again by themselves, and what was pressed is answered at once.
    outage_limit: Duration::ZERO,
};
/// Between two calls to a panel that does not answer.
const RETRY_BACKOFF: Backoff<'static> = Backoff::doubling(Duration::from_secs(1), Duration::from_secs(30));

/// An open session.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) client: Client,
    pub(crate) who: Who,
    /// What the client asks the person.
    pub(crate) questions: Questions,
}

/// Where to sign in.
#[derive(Debug, Clone, Default)]
pub(crate) struct Place {
    /// The profile asked for.
    pub(crate) profile: Option<String>,
    /// An address in the place of the profile's.
    pub(crate) server: Option<String>,
}

/// A profile, read.
struct Known {
    config: Config,
    name: String,
    server: Option<String>,
    /// The address is the profile's own, or becomes it: its token file may be used.
    own: bool,
}

impl Place {
    fn read(&self) -> Result<Known, String> {
        let config = config::load().map_err(|trouble| trouble.to_string())?;
        let name = config.name(self.profile.as_deref()).map_err(|trouble| trouble.to_string())?;
        let server = self.server.clone().or_else(|| config.server(&name));
        let known = config.server(&name);
        let own = match (&server, &known) {
            (Some(server), Some(known)) => config::is_same(server, known),
            _ => true,
        };
        Ok(Known { config, name, server, own })
    }

    fn needs(&self, known: Option<&Known>, message: Option<String>) -> Answer {
        let user = known.and_then(|known| known.config.profiles.get(&known.name)?.user.clone());
        Answer::SignInNeeded {
            profile: known.map(|known| known.name.clone()).or(self.profile.clone()).unwrap_or_default(),
            address: known.and_then(|known| known.server.clone()).unwrap_or_default(),
            email: user.unwrap_or_default(),
            message,
            otp: false,
        }
    }

    /// A profile by its name; an error says which there are.
    pub(crate) fn named(name: &str) -> Result<Self, String> {
        let config = config::load().map_err(|trouble| trouble.to_string())?;
        if config.server(name).is_none() {
            let known: Vec<&str> = config.profiles.keys().map(String::as_str).collect();
            let known = known.join(", ");
            return Err(format!(
                "There is no profile {name}. There are: {known}. panelctl auth login makes more."
            ));
        }
        Ok(Self { profile: Some(name.to_owned()), server: None })
    }

    /// Asks for a sign-in.
    pub(crate) fn ask(&self, out: &Out, message: Option<String>) {
        let known = self.read();
        out.answer(self.needs(known.as_ref().ok(), message));
    }
}

/// Goes on with the session that is kept, or asks for a sign-in. Tries for ever while the panel does not answer.
pub(crate) async fn begin(place: Place, out: Out) {
    let known = match place.read() {
        Ok(known) => known,
        Err(message) => return out.answer(place.needs(None, Some(message))),
    };
    let questions = Questions::new(&out);
    let client = match client(&known, &questions) {
        Ok(Some(client)) => client,
        Ok(None) => return out.answer(place.needs(Some(&known), None)),
        Err(message) => return out.answer(place.needs(Some(&known), Some(message))),
    };
    for failures in 1.. {
        let wait = RETRY_BACKOFF.delay(failures, Chance::NONE);
        let asked = tokio::time::timeout(ANSWER_WITHIN, client.profile((), &NoQuery {}, &NoBody {})).await;
        let Ok(answer) = asked else {
            out.connection(Connection::Offline(after(wait)));
            RealWorld.sleep(wait).await;
            continue;
        };
        match answer {
            Ok(profile) => {
                let who = who(&known, &client, &profile.data);
                return out.send(Letter::Session(Box::new(Session { client, who, questions })));
            }
            Err(error) if error.is_transient() => {
                out.connection(away(&error, after(wait)));
                RealWorld.sleep(wait).await;
            }
            Err(error) if error.is_unauthenticated() => {
                let message = "Your sign-in has ended; sign in again.".to_owned();
                return out.answer(place.needs(Some(&known), Some(message)));
            }
            Err(error) => return out.answer(place.needs(Some(&known), Some(sentence(&error)))),
        }
    }
}

/// How the connection is after an error that may pass.
pub(crate) fn away(error: &Error, until: Time) -> Connection {
    if error.is_outage() { Connection::DatabaseAway(until) } else { Connection::Offline(until) }
}

/// The time after a wait.
pub(crate) fn after(wait: Duration) -> Time {
    Time(RealWorld.now().0.saturating_add(i64::try_from(wait.as_micros()).unwrap_or(i64::MAX)))
}

/// The client of a profile; none when there is no token or no address.
fn client(known: &Known, questions: &Questions) -> Result<Option<Client>, String> {
    let Some(server) = &known.server else { return Ok(None) };
    let builder = builder(server, questions);
    let given = std::env::var("PANELCTL_TOKEN").ok().map(|token| token.trim().to_owned());
    let builder = match given.filter(|token| !token.is_empty()) {
        Some(token) => builder.token(token),
        None if known.own => {
            let store = TokenFile::of(&known.name).map_err(|trouble| trouble.to_string())?;
            store.read().map_err(|trouble| trouble.to_string())?;
            builder.token_store(store)
        }
        None => builder,
    };
    let client = builder.build().map_err(|error| sentence(&error))?;
    Ok(client.token().is_some().then_some(client))
}

fn builder(server: &str, questions: &Questions) -> panel_client::builder::Builder {
    let questions = questions.clone();
    Client::builder(server)
        .user_agent(concat!("panel-tui/", env!("CARGO_PKG_VERSION")))
        .retry(RETRY)
        .allow_http(config::allows_http())
        .confirm_with(move || questions.clone().ask())
}

fn who(known: &Known, client: &Client, profile: &Profile) -> Who {
    let kept = known.config.profiles.get(&known.name).filter(|_| known.own);
    Who {
        profile: if known.own { known.name.clone() } else { client.base().host_str().unwrap_or("").into() },
        address: client.base().to_string(),
        protected: kept.is_some_and(|kept| kept.protected),
        readonly: kept.is_some_and(|kept| kept.read_only),
        email: profile.email.clone(),
        permissions: profile.all_permissions.iter().map(|held| held.name).collect(),
    }
}

/// Signs in and keeps the session where panelctl finds it.
pub(crate) async fn sign_in(place: Place, input: SignIn, out: Out) {
    if let Err((message, otp)) = try_sign_in(&place, &input, &out).await {
        let known = place.read();
        let mut answer = place.needs(known.as_ref().ok(), Some(message));
        if let Answer::SignInNeeded { otp: wanted, .. } = &mut answer {
            *wanted = otp;
        }
        out.answer(answer);
    }
}

async fn try_sign_in(place: &Place, input: &SignIn, out: &Out) -> Result<(), (String, bool)> {
    let plain = |message: String| (message, false);
    let mut known = place.read().map_err(plain)?;
    // Without the kept token: it may be another panel's.
    let questions = Questions::new(out);
    let client = builder(&input.address, &questions).build().map_err(|error| plain(sentence(&error)))?;
    let login = LoginInput {
        email: input.email.clone(),
        password: input.password.clone(),
        captcha: None,
        otp: (!input.otp.is_empty()).then(|| input.otp.clone()),
        passkey: None,
    };
    let signed = client.login((), &NoQuery {}, &login).await.map_err(|error| refused(&error, input))?;
    // An address from the command line is for this time; one that was typed belongs to the profile.
    let passing = place.server.as_ref().is_some_and(|server| config::is_same(server, &input.address));
    let passing = passing && !known.own;
    known.own = !passing;
    let client =
        if passing { client } else { keep(&mut known, input, &client, &questions).map_err(plain)? };
    let who = who(&known, &client, &signed.user);
    out.send(Letter::Session(Box::new(Session { client, who, questions })));
    Ok(())
}

/// Keeps the token and the profile; the client that refreshes what is kept.
fn keep(known: &mut Known, input: &SignIn, signed: &Client, questions: &Questions) -> Result<Client, String> {
    let store = TokenFile::of(&known.name).map_err(|trouble| trouble.to_string())?;
    let address = signed.base().as_str().trim_end_matches('/').to_owned();
    let profile = known.config.profiles.entry(known.name.clone()).or_default();
    profile.server = address.clone();
    profile.user = Some(input.email.clone());
    known.config.current.get_or_insert_with(|| known.name.clone());
    config::save(&known.config).map_err(|trouble| trouble.to_string())?;
    store.save(signed.token().as_ref());
    if let Some(trouble) = store.take_trouble() {
        return Err(trouble);
    }
    known.server = Some(address.clone());
    builder(&address, questions).token_store(store).build().map_err(|error| sentence(&error))
}

/// The second factor that the account asks for. A passkey needs a browser, so a recovery code takes its place here.
fn second_factor_hint(error: &Error) -> &'static str {
    let choice = error.refused().and_then(|refused| refused.problem.second_factor.as_deref());
    let has = |method| choice.is_some_and(|choice| choice.methods.contains(&method));
    match has(SecondFactorMethod::Passkey) && !has(SecondFactorMethod::Totp) {
        true => "This account has a passkey, which needs a browser. Type a recovery code here.",
        false => "This account also asks for the six digits of its authenticator app.",
    }
}

fn refused(error: &Error, input: &SignIn) -> (String, bool) {
    let otp = error.code() == Some("otp_required");
    let message = match error.code() {
        Some("otp_required") if input.otp.is_empty() => second_factor_hint(error).to_owned(),
        _ => trouble(error).message,
    };
    (message, otp)
}
