//! Sessions: resumed from the profiles and tokens of panelctl, or started by the sign-in form and stored for panelctl.
//!
//! The token of a profile must never be sent to another server than the one of the profile.

use std::time::Duration;

use panel_client::profiles::config::{self, Config};
use panel_client::profiles::secret::TokenFile;
use panel_client::retry::Retry;
use panel_client::token::TokenStore as _;
use panel_client::world::{Environment as _, SystemEnvironment};
use panel_client::{Client, Error};
use panel_contract::endpoint::{EmptyBody, EmptyQuery};
use panel_contract::moment::Time;
use panel_contract::second_factor::SecondFactorMethod;
use panel_contract::session::{LoginInput, Profile};
use panel_kernel::backoff::{Backoff, Chance};

use crate::job::Answer;
use crate::runner::failures::{failure_from, sentence};
use crate::runner::identity::IdentityPrompts;
use crate::runner::live::ANSWER_TIMEOUT;
use crate::runner::message_channel::{MessageSender, RunnerMessage};
use crate::session::{Connection, SessionInfo, SignIn};

/// A staff member waits for every answer, so a failure must be shown soon.
const RETRY: Retry = Retry {
    attempts: 3,
    first_wait: Duration::from_millis(200),
    longest_wait: Duration::from_secs(3),
    // Lists are refreshed automatically, and actions must report a failure at once.
    outage_limit: Duration::ZERO,
};
/// The pauses between two calls to a panel that does not respond.
const RETRY_BACKOFF: Backoff<'static> = Backoff::doubling(Duration::from_secs(1), Duration::from_secs(30));

#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) client: Client,
    pub(crate) info: SessionInfo,
    /// Password prompts of the client.
    pub(crate) identity_prompts: IdentityPrompts,
}

/// The profile and server to use.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProfileTarget {
    /// The requested profile; `None` for the current one.
    pub(crate) profile: Option<String>,
    /// A server instead of the server of the profile.
    pub(crate) server: Option<String>,
}

struct ResolvedProfile {
    config: Config,
    name: String,
    server: Option<String>,
    /// Whether `server` is the server of the profile. Only then its token file may be used.
    is_own_server: bool,
}

impl ProfileTarget {
    fn resolve(&self) -> Result<ResolvedProfile, String> {
        let config = config::load().map_err(|error| error.to_string())?;
        let name = config.name(self.profile.as_deref()).map_err(|error| error.to_string())?;
        let server = self.server.clone().or_else(|| config.server(&name));
        let own_server = config.server(&name);
        let is_own_server = match (&server, &own_server) {
            (Some(server), Some(own_server)) => config::is_same(server, own_server),
            _ => true,
        };
        Ok(ResolvedProfile { config, name, server, is_own_server })
    }

    fn sign_in_needed(&self, resolved: Option<&ResolvedProfile>, message: Option<String>) -> Answer {
        let user = resolved.and_then(|resolved| resolved.config.profiles.get(&resolved.name)?.user.clone());
        Answer::SignInNeeded {
            profile: resolved
                .map(|resolved| resolved.name.clone())
                .or(self.profile.clone())
                .unwrap_or_default(),
            address: resolved.and_then(|resolved| resolved.server.clone()).unwrap_or_default(),
            email: user.unwrap_or_default(),
            message,
            otp: false,
        }
    }

    /// The profile with this name; the error lists the existing profiles.
    pub(crate) fn named(name: &str) -> Result<Self, String> {
        let config = config::load().map_err(|error| error.to_string())?;
        if config.server(name).is_none() {
            let profiles: Vec<&str> = config.profiles.keys().map(String::as_str).collect();
            let profiles = profiles.join(", ");
            return Err(format!(
                "There is no profile {name}. Profiles: {profiles}. Create one with panelctl auth login."
            ));
        }
        Ok(Self { profile: Some(name.to_owned()), server: None })
    }

    pub(crate) fn request_sign_in(&self, sender: &MessageSender, message: Option<String>) {
        let resolved = self.resolve();
        sender.answer(self.sign_in_needed(resolved.as_ref().ok(), message));
    }
}

/// Resumes the stored session, or requests a sign-in. Retries without end while the panel does not respond.
pub(crate) async fn resume(target: ProfileTarget, sender: MessageSender) {
    let resolved = match target.resolve() {
        Ok(resolved) => resolved,
        Err(message) => return sender.answer(target.sign_in_needed(None, Some(message))),
    };
    let identity_prompts = IdentityPrompts::new(&sender);
    let client = match client(&resolved, &identity_prompts) {
        Ok(Some(client)) => client,
        Ok(None) => return sender.answer(target.sign_in_needed(Some(&resolved), None)),
        Err(message) => return sender.answer(target.sign_in_needed(Some(&resolved), Some(message))),
    };
    for failures in 1.. {
        let wait = RETRY_BACKOFF.delay(failures, Chance::NONE);
        let response =
            tokio::time::timeout(ANSWER_TIMEOUT, client.profile((), &EmptyQuery {}, &EmptyBody {})).await;
        let Ok(answer) = response else {
            sender.connection(Connection::Offline(time_after(wait)));
            SystemEnvironment.sleep(wait).await;
            continue;
        };
        match answer {
            Ok(profile) => {
                let session_info = session_info(&resolved, &client, &profile.data);
                return sender.send(RunnerMessage::Session(Box::new(Session {
                    client,
                    info: session_info,
                    identity_prompts,
                })));
            }
            Err(error) if error.is_transient() => {
                sender.connection(outage_connection(&error, time_after(wait)));
                SystemEnvironment.sleep(wait).await;
            }
            Err(error) if error.is_unauthenticated() => {
                let message = "Your session has expired. Sign in again.".to_owned();
                return sender.answer(target.sign_in_needed(Some(&resolved), Some(message)));
            }
            Err(error) => {
                return sender.answer(target.sign_in_needed(Some(&resolved), Some(sentence(&error))));
            }
        }
    }
}

/// The connection state after a transient error.
pub(crate) fn outage_connection(error: &Error, until: Time) -> Connection {
    if error.is_outage() { Connection::DatabaseDown(until) } else { Connection::Offline(until) }
}

/// The current time plus `wait`.
pub(crate) fn time_after(wait: Duration) -> Time {
    Time(SystemEnvironment.now().0.saturating_add(i64::try_from(wait.as_micros()).unwrap_or(i64::MAX)))
}

/// The client of a profile; `None` without a token or a server.
fn client(resolved: &ResolvedProfile, identity_prompts: &IdentityPrompts) -> Result<Option<Client>, String> {
    let Some(server) = &resolved.server else { return Ok(None) };
    let builder = builder(server, identity_prompts);
    let env_token = std::env::var("PANELCTL_TOKEN").ok().map(|token| token.trim().to_owned());
    let builder = match env_token.filter(|token| !token.is_empty()) {
        Some(token) => builder.token(token),
        None if resolved.is_own_server => {
            let store = TokenFile::of(&resolved.name).map_err(|error| error.to_string())?;
            store.read().map_err(|error| error.to_string())?;
            builder.token_store(store)
        }
        None => builder,
    };
    let client = builder.build().map_err(|error| sentence(&error))?;
    Ok(client.token().is_some().then_some(client))
}

fn builder(server: &str, identity_prompts: &IdentityPrompts) -> panel_client::builder::Builder {
    let identity_prompts = identity_prompts.clone();
    Client::builder(server)
        .user_agent(concat!("panel-tui/", env!("CARGO_PKG_VERSION")))
        .retry(RETRY)
        .allow_http(config::allows_http())
        .confirm_with(move || identity_prompts.clone().ask())
}

fn session_info(resolved: &ResolvedProfile, client: &Client, profile: &Profile) -> SessionInfo {
    let stored = resolved.config.profiles.get(&resolved.name).filter(|_| resolved.is_own_server);
    SessionInfo {
        profile: if resolved.is_own_server {
            resolved.name.clone()
        } else {
            client.base().host_str().unwrap_or("").into()
        },
        address: client.base().to_string(),
        protected: stored.is_some_and(|stored| stored.protected),
        readonly: stored.is_some_and(|stored| stored.read_only),
        email: profile.email.clone(),
        permissions: profile.all_permissions.iter().map(|held| held.name).collect(),
    }
}

/// Signs in and stores the session, which panelctl shares.
pub(crate) async fn sign_in(target: ProfileTarget, input: SignIn, sender: MessageSender) {
    if let Err((message, otp)) = try_sign_in(&target, &input, &sender).await {
        let resolved = target.resolve();
        let mut answer = target.sign_in_needed(resolved.as_ref().ok(), Some(message));
        if let Answer::SignInNeeded { otp: otp_needed, .. } = &mut answer {
            *otp_needed = otp;
        }
        sender.answer(answer);
    }
}

async fn try_sign_in(
    target: &ProfileTarget,
    input: &SignIn,
    sender: &MessageSender,
) -> Result<(), (String, bool)> {
    let without_otp = |message: String| (message, false);
    let mut resolved = target.resolve().map_err(without_otp)?;
    // Without the stored token: it may belong to another panel.
    let identity_prompts = IdentityPrompts::new(sender);
    let client =
        builder(&input.address, &identity_prompts).build().map_err(|error| without_otp(sentence(&error)))?;
    let login = LoginInput {
        email: input.email.clone(),
        password: input.password.clone(),
        captcha: None,
        otp: (!input.otp.is_empty()).then(|| input.otp.clone()),
        passkey: None,
    };
    let signed_in =
        client.login((), &EmptyQuery {}, &login).await.map_err(|error| login_failure(&error, input))?;
    // A server from the command line is used once; a server typed into the form is stored in the profile.
    let is_one_time = target.server.as_ref().is_some_and(|server| config::is_same(server, &input.address));
    let is_one_time = is_one_time && !resolved.is_own_server;
    resolved.is_own_server = !is_one_time;
    let client = if is_one_time {
        client
    } else {
        store_session(&mut resolved, input, &client, &identity_prompts).map_err(without_otp)?
    };
    let session_info = session_info(&resolved, &client, &signed_in.user);
    sender.send(RunnerMessage::Session(Box::new(Session { client, info: session_info, identity_prompts })));
    Ok(())
}

/// Stores the token and the profile; returns a client that keeps the stored token fresh.
fn store_session(
    resolved: &mut ResolvedProfile,
    input: &SignIn,
    signed_in: &Client,
    identity_prompts: &IdentityPrompts,
) -> Result<Client, String> {
    let store = TokenFile::of(&resolved.name).map_err(|error| error.to_string())?;
    let address = signed_in.base().as_str().trim_end_matches('/').to_owned();
    let profile = resolved.config.profiles.entry(resolved.name.clone()).or_default();
    profile.server = address.clone();
    profile.user = Some(input.email.clone());
    resolved.config.current.get_or_insert_with(|| resolved.name.clone());
    config::save(&resolved.config).map_err(|error| error.to_string())?;
    store.save(signed_in.token().as_ref());
    if let Some(message) = store.take_trouble() {
        return Err(message);
    }
    resolved.server = Some(address.clone());
    builder(&address, identity_prompts).token_store(store).build().map_err(|error| sentence(&error))
}

/// Asks for the second factor of the account. A passkey needs a browser, so a recovery code replaces it here.
fn second_factor_hint(error: &Error) -> &'static str {
    let choice = error.refused().and_then(|refused| refused.problem.second_factor.as_deref());
    let has = |method| choice.is_some_and(|choice| choice.methods.contains(&method));
    match has(SecondFactorMethod::Passkey) && !has(SecondFactorMethod::Totp) {
        true => "This account uses a passkey, which needs a browser. Enter a recovery code instead.",
        false => "Enter the six-digit code from your authenticator app.",
    }
}

fn login_failure(error: &Error, input: &SignIn) -> (String, bool) {
    let otp = error.code() == Some("otp_required");
    let message = match error.code() {
        Some("otp_required") if input.otp.is_empty() => second_factor_hint(error).to_owned(),
        _ => failure_from(error).message,
    };
    (message, otp)
}
