//! `auth login`: a password or a token is asked for or read from standard input, never taken from a flag.

use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_client::profiles::config::{self, Profile};
use panel_client::retry::Retry;
use panel_client::token::{Token, TokenStore as _};
use panel_client::{Client, Error};
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::session::{GetProfile, Login};
use panel_contract::second_factor::SecondFactorMethod;
use panel_contract::session::LoginInput;

use crate::command::Own;
use crate::command::call::opt;
use crate::command::confirm::prompt;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{Done, Failure};
use crate::output::can_ask;

/// `auth login`.
pub(crate) const LOGIN: Own = Own {
    name: "login",
    about: "Signs in, and keeps the token for this profile",
    examples: &[
        ("auth login --server https://panel.example", "asks for email and password"),
        ("auth login --profile acme --server https://acme.example", "another panel beside the first"),
        ("auth login --email bot@panel.example --password-stdin < secret.txt", "from a script"),
    ],
    reaches: &[Login::OP, GetProfile::OP],
    args,
    run: |ctx, matches| Box::pin(run(ctx, matches)),
};

fn args(command: Command) -> Command {
    let switch = |flag: &'static str, help: &'static str| {
        Arg::new(flag).long(flag).action(ArgAction::SetTrue).help(help)
    };
    command.args([
        Arg::new("email")
            .long("email")
            .value_name("EMAIL")
            .help("The email address to sign in with [default: asks]"),
        switch("password-stdin", "Reads the password from the first line of standard input"),
        Arg::new("otp")
            .long("otp")
            .value_name("DIGITS")
            .help("The six digits of the second factor [default: asks]"),
        switch("with-token", "Reads a token from standard input instead; it is not extended")
            .conflicts_with_all(["email", "password-stdin", "otp"]),
    ])
}

async fn run(ctx: &Ctx, matches: &ArgMatches) -> Done {
    let name = ctx.profile()?.0;
    if ctx.given_token()?.is_some() {
        ctx.out.say(
            "PANELCTL_TOKEN or --token-file takes precedence over the stored token; unset it afterwards.",
        );
    }
    let server = server(ctx).await?;
    let client = ctx.client_without_token(&server)?;
    let replaced = if ctx.is_profiles_own(&server)? { ctx.store()?.read().ok().flatten() } else { None };
    let email = if matches.get_flag("with-token") {
        with_token(ctx, &server).await?
    } else {
        let email = with_password(ctx, matches, &client).await?;
        let store = ctx.store()?;
        store.save(client.token().as_ref());
        ctx.complain()?;
        email
    };
    end_replaced(&server, replaced).await?;
    let mut config = config::load()?;
    let before = config.profiles.remove(&name).unwrap_or_default();
    let server = client.base().as_str().trim_end_matches('/').to_owned();
    ctx.out.say(&format!("Signed in to {server} as {email} (profile {name})."));
    config.profiles.insert(name.clone(), Profile { server, user: Some(email), ..before });
    config.current.get_or_insert(name);
    config::save(&config)?;
    Ok(Exit::Ok)
}

/// Ends the session that the new sign-in replaces, as nothing here has its token any more. A token that was given by hand has no
/// end, and is not this program's to end. The session may be over by itself, so a failure is none of the new sign-in.
async fn end_replaced(server: &str, replaced: Option<Token>) -> Done<()> {
    let Some(token) = replaced.filter(|token| token.expires_at.is_some()) else { return Ok(()) };
    let client = Client::builder(server).token(token.text).allow_http(config::allows_http());
    drop(client.retry(Retry::NEVER).build()?.logout((), &NoQuery {}, &NoBody {}).await);
    Ok(())
}

async fn server(ctx: &Ctx) -> Done<String> {
    match ctx.server()? {
        Some(server) => Ok(server),
        None if can_ask() => prompt("Address of the panel: ").await,
        None => {
            Err(Failure::usage("Which panel?").hint("panelctl auth login --server https://panel.example"))
        }
    }
}

/// Signs in by password; the email address of who that is.
async fn with_password(ctx: &Ctx, matches: &ArgMatches, client: &Client) -> Done<String> {
    let email = match opt::<String>(matches, "email") {
        Some(email) => email,
        None if can_ask() => prompt("E-mail: ").await?,
        None => {
            return Err(Failure::usage("Whose account? There is no terminal to ask in.")
                .hint("--email EMAIL --password-stdin"));
        }
    };
    let password = password(matches).await?;
    let mut input = LoginInput { email, password, captcha: None, otp: opt(matches, "otp"), passkey: None };
    loop {
        let signed_in = match client.login((), &NoQuery {}, &input).await {
            Ok(signed_in) => signed_in,
            Err(error) if error.code() == Some("otp_required") && input.otp.is_none() && can_ask() => {
                if let Some(sentence) = needs_browser(&error) {
                    ctx.out.say(sentence);
                }
                input.otp = Some(prompt("Six digits of your authenticator app, or a recovery code: ").await?);
                continue;
            }
            // A wrong password is no expired sign-in: the panel's own words are the right ones.
            Err(error) => {
                let words = error.to_string();
                let only_passkeys = needs_browser(&error);
                let failure = Failure::from(error);
                let hint = match failure.code.as_str() {
                    "captcha_required" => {
                        Some("sign in with a browser in this network once, then try again here".into())
                    }
                    "otp_required" if only_passkeys.is_some() => only_passkeys
                        .map(|sentence| format!("{sentence} Or: the same command with --otp CODE").into()),
                    code if code.starts_with("otp") => Some("the same command with --otp DIGITS".into()),
                    _ => None,
                };
                return Err(Failure { what: words, hint, ..failure });
            }
        };
        if ctx.globals.verbose > 0 {
            ctx.out.say(&format!("The sign-in is good until {} UTC.", signed_in.expires_at));
        }
        return Ok(signed_in.user.email);
    }
}

/// What to say where the account has passkeys and no authenticator app: a terminal cannot reach an authenticator.
fn needs_browser(error: &Error) -> Option<&'static str> {
    let choice = error.refused()?.problem.second_factor.as_deref()?;
    let has = |method| choice.methods.contains(&method);
    (has(SecondFactorMethod::Passkey) && !has(SecondFactorMethod::Totp)).then_some(
        "A passkey needs a browser: sign in to the console with it. Here a recovery code signs you in once; add an authenticator app in your profile for the next time.",
    )
}

async fn password(matches: &ArgMatches) -> Done<String> {
    let matches = matches.clone();
    let asked = tokio::task::spawn_blocking(move || secret(&matches));
    asked.await.map_err(|error| Failure::failed(error.to_string()))?
}

/// A password: a line of standard input where `--password-stdin` says so, else asked for. Never on the command line.
pub(crate) fn secret(matches: &ArgMatches) -> Done<String> {
    secret_as(matches, "Password: ")
}

/// The same, asked for in these words.
pub(crate) fn secret_as(matches: &ArgMatches, question: &str) -> Done<String> {
    if matches.get_flag("password-stdin") {
        return line_of_input("password");
    }
    if !can_ask() {
        return Err(Failure::usage("There is no terminal to ask for the password in.")
            .hint("--password-stdin < FILE"));
    }
    Ok(rpassword::prompt_password(question)?)
}

fn line_of_input(what: &str) -> Done<String> {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    let line = line.trim_end_matches(['\n', '\r']);
    if line.is_empty() {
        return Err(Failure::usage(format!("There is no {what} on standard input.")));
    }
    Ok(line.to_owned())
}

/// Stores a token after the panel answered whose it is.
async fn with_token(ctx: &Ctx, server: &str) -> Done<String> {
    let text = line_of_input("token")?.trim().to_owned();
    let client = Client::builder(server).token(text.clone()).allow_http(config::allows_http()).build()?;
    let user = client.profile((), &NoQuery {}, &NoBody {}).await?.data;
    let store = ctx.store()?;
    store.save(Some(&Token { text, expires_at: None }));
    ctx.complain()?;
    Ok(user.email)
}

#[cfg(test)]
mod tests {
    use panel_client::error::Refused;
    use panel_contract::error::Problem;
    use panel_contract::second_factor::SecondFactorChoice;

    use super::*;

    #[test]
    fn a_passkey_without_an_app_sends_to_a_browser() {
        let asked = |methods: &[SecondFactorMethod]| {
            let choice = SecondFactorChoice { methods: methods.to_vec(), passkey: None };
            let problem = Problem {
                message: "Use your passkey.".into(),
                errors: std::collections::BTreeMap::default(),
                skipped: Vec::new(),
                second_factor: Some(Box::new(choice)),
                code: "otp_required".into(),
                request_id: String::new(),
            };
            needs_browser(&Error::Refused(Box::new(Refused { status: 422, problem, retry_after: None })))
        };
        use SecondFactorMethod::{Passkey, RecoveryCode, Totp};
        assert!(asked(&[Passkey, RecoveryCode]).is_some_and(|sentence| sentence.contains("browser")));
        assert_eq!(asked(&[Totp, Passkey, RecoveryCode]), None);
        assert_eq!(asked(&[RecoveryCode]), None);
    }
}
