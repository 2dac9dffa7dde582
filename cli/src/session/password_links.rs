//! `auth forgot-password` and `auth set-password`: set a password without the current one, with a link from an email. The link is
//! read from a prompt or standard input and is never a flag.

use clap::{Arg, ArgAction, ArgMatches};
use panel_contract::endpoint::{EmptyQuery, Endpoint as _};
use panel_contract::endpoints::session::{RequestPasswordReset, ShowPasswordLink, UsePasswordLink};
use panel_contract::password_links::{PasswordByLinkInput, PasswordLinkInput, PasswordResetInput};

use crate::command::Custom;
use crate::command::call::{Call, Write, arg, of, opt};
use crate::command::confirm::Danger;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CmdResult, Failure};
use crate::session::login::secret_as;

pub(crate) const FORGOT: Call = Call {
    name: "forgot-password",
    about: "Send a staff member an email with a link to set a new password",
    examples: &[(
        "auth forgot-password olga@panel.example",
        "open the link in a browser, or pass it to panelctl auth set-password",
    )],
    op: RequestPasswordReset::OP,
    args: |command| {
        command.arg(Arg::new("email").value_name("EMAIL").required(true).help("Email address of the account"))
    },
    request: |_, matches| {
        let body = PasswordResetInput { email: arg(matches, "email")?, captcha: None };
        of::<RequestPasswordReset>((), &EmptyQuery {}, &body)
    },
    pointer: "",
    columns: &[],
    write: Some(Write {
        question: |matches| {
            format!("Send a link to {}?", opt::<String>(matches, "email").unwrap_or_default())
        },
        danger: Danger::Reversible("ignore the email"),
        success: |_| {
            "If a staff member has this email address, they will get an email with a link.".to_owned()
        },
        has_dry_run: false,
    }),
};

pub(crate) const SET: Custom = Custom {
    name: "set-password",
    about: "Set your password with the link from a reset or invitation email",
    examples: &[
        ("auth set-password", "ask for the link and the new password"),
        (
            "auth set-password --password-stdin < lines.txt",
            "read the link and the new password from a file, one per line",
        ),
    ],
    ops: &[ShowPasswordLink::OP, UsePasswordLink::OP],
    args: |command| {
        command.arg(
            Arg::new("password-stdin")
                .long("password-stdin")
                .action(ArgAction::SetTrue)
                .help("Read the link and the new password from standard input, one per line"),
        )
    },
    run: |ctx, matches| Box::pin(set(ctx, matches)),
};

async fn set(ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
    let client = ctx.client()?;
    let token = token_of(&ask(matches, "Link from the email: ").await?);
    let shown =
        client.show_password_link((), &EmptyQuery {}, &PasswordLinkInput { token: token.clone() }).await?;
    let link = shown.data;
    ctx.out.print_message(&format!("This link sets the password of {} ({}).", link.name, link.email));
    let password = ask(matches, "New password: ").await?;
    client.use_password_link((), &EmptyQuery {}, &PasswordByLinkInput { token, password }).await?;
    ctx.out.print_message(&format!("Password set. Sign in with: panelctl auth login --email {}", link.email));
    Ok(Exit::Ok)
}

async fn ask(matches: &ArgMatches, question: &'static str) -> CmdResult<String> {
    let matches = matches.clone();
    let answer = tokio::task::spawn_blocking(move || secret_as(&matches, question));
    answer.await.map_err(|error| Failure::failed(error.to_string()))?
}

/// The token of a complete link, or the token itself.
fn token_of(link: &str) -> String {
    link.trim().rsplit("#token=").next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_a_link_or_its_token() {
        for text in ["https://panel.example/set-password#token=ab_c", " ab_c\n", "ab_c"] {
            assert_eq!(token_of(text), "ab_c");
        }
    }
}
