//! `auth forgot-password` and `auth set-password`: a password without the current one, by a link from an email. The link is
//! read from standard input or asked for, and is never on the command line.

use clap::{Arg, ArgAction, ArgMatches};
use panel_contract::endpoint::{Endpoint as _, NoQuery};
use panel_contract::endpoints::session::{RequestPasswordReset, ShowPasswordLink, UsePasswordLink};
use panel_contract::password_links::{PasswordByLinkInput, PasswordLinkInput, PasswordResetInput};

use crate::command::Own;
use crate::command::call::{Call, Write, arg, of, opt};
use crate::command::confirm::Danger;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{Done, Failure};
use crate::session::login::secret_as;

/// `auth forgot-password`.
pub(crate) const FORGOT: Call = Call {
    name: "forgot-password",
    about: "Emails a member of staff who forgot their password a link to set a new one",
    examples: &[("auth forgot-password olga@panel.example", "then panelctl auth set-password, or a browser")],
    op: RequestPasswordReset::OP,
    args: |command| {
        command.arg(Arg::new("email").value_name("EMAIL").required(true).help("The address of the account"))
    },
    request: |_, matches| {
        let body = PasswordResetInput { email: arg(matches, "email")?, captcha: None };
        of::<RequestPasswordReset>((), &NoQuery {}, &body)
    },
    at: "",
    columns: &[],
    write: Some(Write {
        question: |matches| {
            format!("Send a link to {}?", opt::<String>(matches, "email").unwrap_or_default())
        },
        danger: Danger::Reversible("Ignoring the email"),
        said: |_| "If a member of staff has this address, an email with a link is on its way.".to_owned(),
        rehearses: false,
    }),
};

/// `auth set-password`.
pub(crate) const SET: Own = Own {
    name: "set-password",
    about: "Sets your password by a link from an email, after you forgot it or were invited",
    examples: &[
        ("auth set-password", "asks for the link and the new password"),
        ("auth set-password --password-stdin < lines.txt", "the link and the new password, a line each"),
    ],
    reaches: &[ShowPasswordLink::OP, UsePasswordLink::OP],
    args: |command| {
        command.arg(
            Arg::new("password-stdin")
                .long("password-stdin")
                .action(ArgAction::SetTrue)
                .help("Reads the link and the new password, two lines of standard input"),
        )
    },
    run: |ctx, matches| Box::pin(set(ctx, matches)),
};

async fn set(ctx: &Ctx, matches: &ArgMatches) -> Done {
    let client = ctx.client()?;
    let token = token_of(&ask(matches, "Link of the email: ").await?);
    let shown =
        client.show_password_link((), &NoQuery {}, &PasswordLinkInput { token: token.clone() }).await?;
    let link = shown.data;
    ctx.out.say(&format!("This link sets the password of {} ({}).", link.name, link.email));
    let password = ask(matches, "New password: ").await?;
    client.use_password_link((), &NoQuery {}, &PasswordByLinkInput { token, password }).await?;
    ctx.out.say(&format!("The password is set. Sign in with panelctl auth login --email {}.", link.email));
    Ok(Exit::Ok)
}

async fn ask(matches: &ArgMatches, question: &'static str) -> Done<String> {
    let matches = matches.clone();
    let asked = tokio::task::spawn_blocking(move || secret_as(&matches, question));
    asked.await.map_err(|error| Failure::failed(error.to_string()))?
}

/// The token of a whole link, or the token itself.
fn token_of(link: &str) -> String {
    link.trim().rsplit("#token=").next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_or_its_token_is_taken() {
        for given in ["https://panel.example/set-password#token=ab_c", " ab_c\n", "ab_c"] {
            assert_eq!(token_of(given), "ab_c");
        }
    }
}
