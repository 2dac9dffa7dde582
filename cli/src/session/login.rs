//! `auth login`: asks for a password or token, or reads it from standard input. Neither is ever a flag.

use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_client::profiles::config::{self, Profile};
use panel_client::retry::RetryPolicy;
use panel_client::token::{Token, TokenStore as _};
use panel_client::{Client, Error};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::session::{GetProfile, Login};
use panel_contract::second_factor::SecondFactorMethod;
use panel_contract::session::LoginInput;

use crate::command::CustomCommand;
use crate::command::confirm::prompt;
use crate::command::request_command::optional_value;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CommandResult, Failure};
use crate::output::can_prompt;

pub(crate) const LOGIN: CustomCommand = CustomCommand {
    name: "login",
    about: "Sign in and store the token for this profile",
    examples: &[
        ("auth login --server https://panel.example", "ask for email and password"),
        ("auth login --profile acme --server https://acme.example", "add another server"),
        ("auth login --email bot@panel.example --password-stdin < secret.txt", "sign in from a script"),
    ],
    operations: &[Login::OP, GetProfile::OP],
    args,
    run: |ctx, matches| Box::pin(log_in(ctx, matches)),
};

fn args(command: Command) -> Command {
    let switch = |flag: &'static str, help: &'static str| {
        Arg::new(flag).long(flag).action(ArgAction::SetTrue).help(help)
    };
    command.args([
        Arg::new("email")
            .long("email")
            .value_name("EMAIL")
            .help("Email address of the account [default: ask]"),
        switch("password-stdin", "Read the password from the first line of standard input"),
        Arg::new("otp")
            .long("otp")
            .value_name("DIGITS")
            .help("Six-digit code of the authenticator app [default: ask]"),
        switch("with-token", "Read a token from standard input instead; it cannot be refreshed")
            .conflicts_with_all(["email", "password-stdin", "otp"]),
    ])
}

async fn log_in(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    let profile_name = ctx.profile()?.0;
    if ctx.explicit_token()?.is_some() {
        ctx.out.print_message(
            "PANELCTL_TOKEN or --token-file takes precedence over the stored token. Unset it after signing in.",
        );
    }
    let server = read_or_ask_server(ctx).await?;
    let client = ctx.client_without_token(&server)?;
    let replaced_token =
        if ctx.is_server_of_profile(&server)? { ctx.token_file()?.read().ok().flatten() } else { None };
    let email = if matches.get_flag("with-token") {
        sign_in_with_token(ctx, &server).await?
    } else {
        let email = sign_in_with_password(ctx, matches, &client).await?;
        let token_file = ctx.token_file()?;
        token_file.save(client.token().as_ref());
        ctx.check_token_saved()?;
        email
    };
    end_replaced_session(&server, replaced_token).await?;
    let mut config = config::load()?;
    let old_profile = config.profiles.remove(&profile_name).unwrap_or_default();
    let server = client.base_url().as_str().trim_end_matches('/').to_owned();
    ctx.out.print_message(&format!("Signed in to {server} as {email} (profile {profile_name})."));
    config.profiles.insert(profile_name.clone(), Profile { server, user: Some(email), ..old_profile });
    config.current.get_or_insert(profile_name);
    config::save(&config)?;
    Ok(Exit::Ok)
}

/// Ends the session of the token that the new token replaces, because the old token is no longer stored. A token of `auth login
/// --with-token` (recognized by its missing expiry) was created elsewhere, so its session continues. A failure is ignored, since
/// the session may have expired.
async fn end_replaced_session(server: &str, replaced_token: Option<Token>) -> CommandResult<()> {
    let Some(token) = replaced_token.filter(|token| token.expires_at.is_some()) else { return Ok(()) };
    let client = Client::builder(server).token(token.text).allow_http(config::allows_http());
    drop(client.retry_policy(RetryPolicy::NEVER).build()?.logout((), &EmptyQuery {}, &EmptyBody {}).await);
    Ok(())
}

async fn read_or_ask_server(ctx: &Ctx) -> CommandResult<String> {
    match ctx.server()? {
        Some(server) => Ok(server),
        None if can_prompt() => prompt("Address of the server: ").await,
        None => Err(Failure::usage("Specify the address of the server.")
            .hint("panelctl auth login --server https://panel.example")),
    }
}

/// Signs in with a password; returns the email address of the account.
async fn sign_in_with_password(ctx: &Ctx, matches: &ArgMatches, client: &Client) -> CommandResult<String> {
    let email = match optional_value::<String>(matches, "email") {
        Some(email) => email,
        None if can_prompt() => prompt("Email: ").await?,
        None => {
            return Err(Failure::usage("Specify the account: there is no terminal to ask for it.")
                .hint("--email EMAIL --password-stdin"));
        }
    };
    let password = read_password_in_background(matches).await?;
    let mut input =
        LoginInput { email, password, captcha: None, otp: optional_value(matches, "otp"), passkey: None };
    loop {
        let session = match client.login((), &EmptyQuery {}, &input).await {
            Ok(session) => session,
            Err(error) if error.code() == Some("otp_required") && input.otp.is_none() && can_prompt() => {
                if let Some(advice) = advise_passkey_user(&error) {
                    ctx.out.print_message(advice);
                }
                input.otp =
                    Some(prompt("Six-digit code of your authenticator app, or a recovery code: ").await?);
                continue;
            }
            // Restores the server's message: `Failure::from` would report that the session has expired, but the password is wrong.
            Err(error) => {
                let message = error.to_string();
                let passkey_advice_text = advise_passkey_user(&error);
                let failure = Failure::from(error);
                let hint = match failure.code.as_str() {
                    "captcha_required" => {
                        Some("sign in once with a browser on this network, then try again".into())
                    }
                    "otp_required" if passkey_advice_text.is_some() => passkey_advice_text
                        .map(|advice| format!("{advice} Or run the command with --otp CODE.").into()),
                    code if code.starts_with("otp") => Some("run the command with --otp DIGITS".into()),
                    _ => None,
                };
                return Err(Failure { message, hint, ..failure });
            }
        };
        if ctx.globals.verbose > 0 {
            ctx.out.print_message(&format!("Session valid until {} UTC.", session.expires_at));
        }
        return Ok(session.user.email);
    }
}

/// Returns advice if the account has passkeys and no authenticator app, because panelctl cannot use a passkey.
fn advise_passkey_user(error: &Error) -> Option<&'static str> {
    let choice = error.api_error()?.problem.second_factor.as_deref()?;
    let has_method = |method| choice.methods.contains(&method);
    (has_method(SecondFactorMethod::Passkey) && !has_method(SecondFactorMethod::Totp)).then_some(
        "A passkey requires a browser: sign in to the console with it. To sign in here, use a recovery code once, then add an authenticator app in your profile.",
    )
}

async fn read_password_in_background(matches: &ArgMatches) -> CommandResult<String> {
    let matches = matches.clone();
    let password = tokio::task::spawn_blocking(move || read_password(&matches));
    password.await.map_err(|error| Failure::failed(error.to_string()))?
}

/// Reads a password: the first line of standard input with `--password-stdin`, otherwise from a prompt. Never a flag.
pub(crate) fn read_password(matches: &ArgMatches) -> CommandResult<String> {
    read_password_with_prompt(matches, "Password: ")
}

/// Like [`read_password`], with another prompt.
pub(crate) fn read_password_with_prompt(matches: &ArgMatches, question: &str) -> CommandResult<String> {
    if matches.get_flag("password-stdin") {
        return read_stdin_line("password");
    }
    if !can_prompt() {
        return Err(
            Failure::usage("There is no terminal to ask for the password.").hint("--password-stdin < FILE")
        );
    }
    Ok(rpassword::prompt_password(question)?)
}

fn read_stdin_line(noun: &str) -> CommandResult<String> {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    let line = line.trim_end_matches(['\n', '\r']);
    if line.is_empty() {
        return Err(Failure::usage(format!("Standard input has no {noun}.")));
    }
    Ok(line.to_owned())
}

/// Stores a token after the server accepted it.
async fn sign_in_with_token(ctx: &Ctx, server: &str) -> CommandResult<String> {
    let text = read_stdin_line("token")?.trim().to_owned();
    let client = Client::builder(server).token(text.clone()).allow_http(config::allows_http()).build()?;
    let user = client.profile((), &EmptyQuery {}, &EmptyBody {}).await?.data;
    let token_file = ctx.token_file()?;
    token_file.save(Some(&Token { text, expires_at: None }));
    ctx.check_token_saved()?;
    Ok(user.email)
}

#[cfg(test)]
mod tests {
    use panel_client::error::ApiError;
    use panel_contract::error::ErrorBody;
    use panel_contract::second_factor::SecondFactorChoice;

    use super::*;

    #[test]
    fn a_passkey_without_an_authenticator_app_requires_a_browser() {
        let advice = |methods: &[SecondFactorMethod]| {
            let choice = SecondFactorChoice { methods: methods.to_vec(), passkey: None };
            let problem = ErrorBody {
                message: "Use your passkey.".into(),
                errors: std::collections::BTreeMap::default(),
                skipped: Vec::new(),
                second_factor: Some(Box::new(choice)),
                code: "otp_required".into(),
                request_id: String::new(),
            };
            advise_passkey_user(&Error::Api(Box::new(ApiError { status: 422, problem, retry_after: None })))
        };
        use SecondFactorMethod::{Passkey, RecoveryCode, Totp};
        assert!(advice(&[Passkey, RecoveryCode]).is_some_and(|advice| advice.contains("browser")));
        assert_eq!(advice(&[Totp, Passkey, RecoveryCode]), None);
        assert_eq!(advice(&[RecoveryCode]), None);
    }
}
