//! Sessions: resumes the session of a panelctl profile, or signs in with the form and stores the session for panelctl.
//!
//! It must never send the token of a profile to any server except the server of the profile.

use std::time::Duration;

use panel_client::environment::{Environment as _, SystemEnvironment};
use panel_client::profiles::config::{self, Config};
use panel_client::profiles::token_file::TokenFile;
use panel_client::retry::RetryPolicy;
use panel_client::token::TokenStore as _;
use panel_client::{Client, Error};
use panel_contract::endpoint::{EmptyBody, EmptyQuery};
use panel_contract::moment::Time;
use panel_contract::second_factor::SecondFactorMethod;
use panel_contract::session::{LoginInput, Profile};
use panel_kernel::backoff::{Backoff, JitterFraction};

use crate::job::RunnerEvent;
use crate::runner::failures::{error_message, to_failure};
use crate::runner::identity::IdentityPrompts;
use crate::runner::live::RESPONSE_TIMEOUT;
use crate::runner::message_channel::{MessageSender, RunnerMessage};
use crate::session::{Connection, SessionInfo, SignInInput};

/// The policy for failed requests. A staff member waits for every response, so the dashboard must show a failure soon.
const RETRY_POLICY: RetryPolicy = RetryPolicy {
    max_attempts: 3,
    initial_delay: Duration::from_millis(200),
    max_delay: Duration::from_secs(3),
    // Lists are refreshed automatically, and actions must report a failure at once.
    max_outage_wait: Duration::ZERO,
};
/// The delays between two requests to a server that does not respond.
const RETRY_BACKOFF: Backoff<'static> = Backoff::doubling(Duration::from_secs(1), Duration::from_secs(30));

#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) client: Client,
    pub(crate) info: SessionInfo,
    /// The password prompts for the requests of the client.
    pub(crate) identity_prompts: IdentityPrompts,
}

/// The profile and server to use.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProfileTarget {
    /// The requested profile; `None` for the current one.
    pub(crate) profile: Option<String>,
    /// A server to use instead of the server of the profile.
    pub(crate) server: Option<String>,
}

struct ResolvedProfile {
    config: Config,
    name: String,
    server: Option<String>,
    /// Whether `server` is the server of the profile. Only then may the session use the token file of the profile.
    is_profile_server: bool,
}

impl ProfileTarget {
    fn resolve(&self) -> Result<ResolvedProfile, String> {
        let config = config::load().map_err(|error| error.to_string())?;
        let name = config.profile_name(self.profile.as_deref()).map_err(|error| error.to_string())?;
        let server = self.server.clone().or_else(|| config.server_url(&name));
        let profile_server = config.server_url(&name);
        let is_profile_server = match (&server, &profile_server) {
            (Some(server), Some(profile_server)) => config::is_same_panel(server, profile_server),
            _ => true,
        };
        Ok(ResolvedProfile { config, name, server, is_profile_server })
    }

    fn build_sign_in_needed(
        &self,
        resolved: Option<&ResolvedProfile>,
        message: Option<String>,
    ) -> RunnerEvent {
        let user = resolved.and_then(|resolved| resolved.config.profiles.get(&resolved.name)?.user.clone());
        RunnerEvent::SignInNeeded {
            profile: resolved
                .map(|resolved| resolved.name.clone())
                .or(self.profile.clone())
                .unwrap_or_default(),
            address: resolved.and_then(|resolved| resolved.server.clone()).unwrap_or_default(),
            email: user.unwrap_or_default(),
            message,
            needs_otp: false,
        }
    }

    /// Finds the profile with this name. The error lists the existing profiles.
    pub(crate) fn from_name(name: &str) -> Result<Self, String> {
        let config = config::load().map_err(|error| error.to_string())?;
        if config.server_url(name).is_none() {
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
        sender.send_runner_event(self.build_sign_in_needed(resolved.as_ref().ok(), message));
    }
}

/// Resumes the stored session, or requests a sign-in. Retries without end while the server does not respond.
pub(crate) async fn resume_session(target: ProfileTarget, sender: MessageSender) {
    let resolved = match target.resolve() {
        Ok(resolved) => resolved,
        Err(message) => return sender.send_runner_event(target.build_sign_in_needed(None, Some(message))),
    };
    let identity_prompts = IdentityPrompts::new(&sender);
    let client = match build_client(&resolved, &identity_prompts) {
        Ok(Some(client)) => client,
        Ok(None) => return sender.send_runner_event(target.build_sign_in_needed(Some(&resolved), None)),
        Err(message) => {
            return sender.send_runner_event(target.build_sign_in_needed(Some(&resolved), Some(message)));
        }
    };
    for failures in 1.. {
        let retry_delay = RETRY_BACKOFF.delay(failures, JitterFraction::NONE);
        let response =
            tokio::time::timeout(RESPONSE_TIMEOUT, client.profile((), &EmptyQuery {}, &EmptyBody {})).await;
        let Ok(result) = response else {
            sender.send_connection(Connection::Offline(time_after(retry_delay)));
            SystemEnvironment.sleep(retry_delay).await;
            continue;
        };
        match result {
            Ok(profile) => {
                let session_info = build_session_info(&resolved, &client, &profile.data);
                return sender.send(RunnerMessage::Session(Box::new(Session {
                    client,
                    info: session_info,
                    identity_prompts,
                })));
            }
            Err(error) if error.is_transient() => {
                sender.send_connection(outage_connection(&error, time_after(retry_delay)));
                SystemEnvironment.sleep(retry_delay).await;
            }
            Err(error) if error.is_unauthenticated() => {
                let message = "Your session has expired. Sign in again.".to_owned();
                return sender.send_runner_event(target.build_sign_in_needed(Some(&resolved), Some(message)));
            }
            Err(error) => {
                return sender.send_runner_event(
                    target.build_sign_in_needed(Some(&resolved), Some(error_message(&error))),
                );
            }
        }
    }
}

/// The connection state after a transient error.
pub(crate) fn outage_connection(error: &Error, retry_at: Time) -> Connection {
    if error.is_outage() { Connection::DatabaseDown(retry_at) } else { Connection::Offline(retry_at) }
}

/// The current time plus `delay`.
pub(crate) fn time_after(delay: Duration) -> Time {
    Time(SystemEnvironment.now().0.saturating_add(i64::try_from(delay.as_micros()).unwrap_or(i64::MAX)))
}

/// Builds the client of a profile; `None` without a token or a server.
fn build_client(
    resolved: &ResolvedProfile,
    identity_prompts: &IdentityPrompts,
) -> Result<Option<Client>, String> {
    let Some(server) = &resolved.server else { return Ok(None) };
    let builder = client_builder(server, identity_prompts);
    let env_token = std::env::var("PANELCTL_TOKEN").ok().map(|token| token.trim().to_owned());
    let builder = match env_token.filter(|token| !token.is_empty()) {
        Some(token) => builder.token(token),
        None if resolved.is_profile_server => {
            let store = TokenFile::for_profile(&resolved.name).map_err(|error| error.to_string())?;
            store.read().map_err(|error| error.to_string())?;
            builder.token_store(store)
        }
        None => builder,
    };
    let client = builder.build().map_err(|error| error_message(&error))?;
    Ok(client.token().is_some().then_some(client))
}

fn client_builder(server: &str, identity_prompts: &IdentityPrompts) -> panel_client::builder::Builder {
    let identity_prompts = identity_prompts.clone();
    Client::builder(server)
        .user_agent(concat!("panel-tui/", env!("CARGO_PKG_VERSION")))
        .retry_policy(RETRY_POLICY)
        .allow_http(config::allows_http())
        .confirm_with(move || identity_prompts.clone().request_password())
}

fn build_session_info(resolved: &ResolvedProfile, client: &Client, profile: &Profile) -> SessionInfo {
    let profile_config = resolved.config.profiles.get(&resolved.name).filter(|_| resolved.is_profile_server);
    SessionInfo {
        profile: if resolved.is_profile_server {
            resolved.name.clone()
        } else {
            client.base_url().host_str().unwrap_or("").into()
        },
        address: client.base_url().to_string(),
        is_protected: profile_config.is_some_and(|config| config.protected),
        readonly: profile_config.is_some_and(|config| config.read_only),
        email: profile.email.clone(),
        permissions: profile.all_permissions.iter().map(|permission| permission.name).collect(),
    }
}

/// Signs in and stores the session, so that panelctl can use it too.
pub(crate) async fn sign_in(target: ProfileTarget, input: SignInInput, sender: MessageSender) {
    if let Err((message, is_otp_required)) = try_sign_in(&target, &input, &sender).await {
        let resolved = target.resolve();
        let mut event = target.build_sign_in_needed(resolved.as_ref().ok(), Some(message));
        if let RunnerEvent::SignInNeeded { needs_otp, .. } = &mut event {
            *needs_otp = is_otp_required;
        }
        sender.send_runner_event(event);
    }
}

async fn try_sign_in(
    target: &ProfileTarget,
    input: &SignInInput,
    sender: &MessageSender,
) -> Result<(), (String, bool)> {
    let without_otp = |message: String| (message, false);
    let mut resolved = target.resolve().map_err(without_otp)?;
    // This client has no stored token, because the token may belong to another server.
    let identity_prompts = IdentityPrompts::new(sender);
    let client = client_builder(&input.address, &identity_prompts)
        .build()
        .map_err(|error| without_otp(error_message(&error)))?;
    let login = LoginInput {
        email: input.email.clone(),
        password: input.password.clone(),
        captcha: None,
        otp: (!input.otp.is_empty()).then(|| input.otp.clone()),
        passkey: None,
    };
    let signed_in =
        client.login((), &EmptyQuery {}, &login).await.map_err(|error| login_failure(&error, input))?;
    // Only a server from the form is stored in the profile, not a server from the command line.
    let is_one_time =
        target.server.as_ref().is_some_and(|server| config::is_same_panel(server, &input.address));
    let is_one_time = is_one_time && !resolved.is_profile_server;
    resolved.is_profile_server = !is_one_time;
    let client = if is_one_time {
        client
    } else {
        store_session(&mut resolved, input, &client, &identity_prompts).map_err(without_otp)?
    };
    let session_info = build_session_info(&resolved, &client, &signed_in.user);
    sender.send(RunnerMessage::Session(Box::new(Session { client, info: session_info, identity_prompts })));
    Ok(())
}

/// Stores the token and the profile. Returns a client that updates the stored token.
fn store_session(
    resolved: &mut ResolvedProfile,
    input: &SignInInput,
    signed_in: &Client,
    identity_prompts: &IdentityPrompts,
) -> Result<Client, String> {
    let store = TokenFile::for_profile(&resolved.name).map_err(|error| error.to_string())?;
    let address = signed_in.base_url().as_str().trim_end_matches('/').to_owned();
    let profile = resolved.config.profiles.entry(resolved.name.clone()).or_default();
    profile.server = address.clone();
    profile.user = Some(input.email.clone());
    resolved.config.current.get_or_insert_with(|| resolved.name.clone());
    config::save(&resolved.config).map_err(|error| error.to_string())?;
    store.save(signed_in.token().as_ref());
    if let Some(message) = store.take_last_error() {
        return Err(message);
    }
    resolved.server = Some(address.clone());
    client_builder(&address, identity_prompts)
        .token_store(store)
        .build()
        .map_err(|error| error_message(&error))
}

/// The message that asks for the second factor. A passkey needs a browser, so a recovery code replaces it here.
fn second_factor_hint(error: &Error) -> &'static str {
    let second_factor = error.api_error().and_then(|api_error| api_error.problem.second_factor.as_deref());
    let has_method = |method| second_factor.is_some_and(|choice| choice.methods.contains(&method));
    match has_method(SecondFactorMethod::Passkey) && !has_method(SecondFactorMethod::Totp) {
        true => "This account uses a passkey, which needs a browser. Enter a recovery code instead.",
        false => "Enter the six-digit code from your authenticator app.",
    }
}

fn login_failure(error: &Error, input: &SignInInput) -> (String, bool) {
    let is_otp_required = error.code() == Some("otp_required");
    let message = match error.code() {
        Some("otp_required") if input.otp.is_empty() => second_factor_hint(error).to_owned(),
        _ => to_failure(error).message,
    };
    (message, is_otp_required)
}
