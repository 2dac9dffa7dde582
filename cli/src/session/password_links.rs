//! `auth forgot-password` and `auth set-password`: set a password without the current one, with a link from an email. The link is
//! read from a prompt or standard input and is never a flag.

use clap::{Arg, ArgAction, ArgMatches};
use panel_contract::endpoint::{EmptyQuery, Endpoint as _};
use panel_contract::endpoints::session::{RequestPasswordReset, ShowPasswordLink, UsePasswordLink};
use panel_contract::password_links::{PasswordByLinkInput, PasswordLinkInput, PasswordResetInput};

use crate::command::CustomCommand;
use crate::command::confirm::Reversibility;
use crate::command::request_command::{
    RequestCommand, WriteSpec, build_request, optional_value, required_value,
};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CommandResult, Failure};
use crate::session::login::read_password_with_prompt;

pub(crate) const REQUEST_PASSWORD_RESET: RequestCommand = RequestCommand {
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
        let body = PasswordResetInput { email: required_value(matches, "email")?, captcha: None };
        build_request::<RequestPasswordReset>((), &EmptyQuery {}, &body)
    },
    json_pointer: "",
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| {
            format!("Send a link to {}?", optional_value::<String>(matches, "email").unwrap_or_default())
        },
        reversibility: Reversibility::Reversible("ignore the email"),
        success: |_| {
            "If a staff member has this email address, they will get an email with a link.".to_owned()
        },
        has_dry_run: false,
    }),
};

pub(crate) const SET_PASSWORD: CustomCommand = CustomCommand {
    name: "set-password",
    about: "Set your password with the link from a reset or invitation email",
    examples: &[
        ("auth set-password", "ask for the link and the new password"),
        (
            "auth set-password --password-stdin < lines.txt",
            "read the link and the new password from a file, one per line",
        ),
    ],
    operations: &[ShowPasswordLink::OP, UsePasswordLink::OP],
    args: |command| {
        command.arg(
            Arg::new("password-stdin")
                .long("password-stdin")
                .action(ArgAction::SetTrue)
                .help("Read the link and the new password from standard input, one per line"),
        )
    },
    run: |ctx, matches| Box::pin(set_password(ctx, matches)),
};

async fn set_password(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    let client = ctx.client()?;
    let token = parse_token_from_link(&ask_secret(matches, "Link from the email: ").await?);
    let response =
        client.show_password_link((), &EmptyQuery {}, &PasswordLinkInput { token: token.clone() }).await?;
    let link = response.data;
    ctx.out.print_message(&format!("This link sets the password of {} ({}).", link.name, link.email));
    let password = ask_secret(matches, "New password: ").await?;
    client.use_password_link((), &EmptyQuery {}, &PasswordByLinkInput { token, password }).await?;
    ctx.out.print_message(&format!("Password set. Sign in with: panelctl auth login --email {}", link.email));
    Ok(Exit::Ok)
}

async fn ask_secret(matches: &ArgMatches, question: &'static str) -> CommandResult<String> {
    let matches = matches.clone();
    let secret = tokio::task::spawn_blocking(move || read_password_with_prompt(&matches, question));
    secret.await.map_err(|error| Failure::failed(error.to_string()))?
}

/// Returns the token of a complete link, or the text itself if it is only the token.
fn parse_token_from_link(link: &str) -> String {
    link.trim().rsplit("#token=").next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_a_link_or_only_its_token() {
        for text in ["https://panel.example/set-password#token=ab_c", " ab_c\n", "ab_c"] {
            assert_eq!(parse_token_from_link(text), "ab_c");
        }
    }
}
