//! `auth`: sign in and out, and show the signed-in user.

use clap::{Arg, ArgAction};
use panel_client::profiles::config;
use panel_client::token::TokenStore as _;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::session::{
    ChangeOwnPassword, ConfirmProfile, GetProfile, Logout, Refresh, UpdateOwnProfile,
};
use panel_contract::session::{OwnPasswordInput, OwnProfileInput};
use serde_json::json;

use crate::command::confirm::{Reversibility, dry_run_query};
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, optional_value, parse_value_or_none,
};
use crate::command::text::text_arg;
use crate::command::{CommandGroup, CommandSpec, CustomCommand};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CommandResult, Failure};
use crate::output::column::{Column, DisplayKind};
use crate::session::login::{LOGIN, read_password_with_prompt};
use crate::session::{password_confirmation, password_links};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "auth",
    alias: None,
    about: "Sign in and out, and manage your account",
    commands: &[
        CommandSpec::Custom(&LOGIN),
        CommandSpec::Custom(&STATUS),
        CommandSpec::Custom(&CONFIRM),
        CommandSpec::Custom(&LOGOUT),
        CommandSpec::Custom(&REFRESH),
        CommandSpec::Request(&WHOAMI),
        CommandSpec::Request(&UPDATE_PROFILE),
        CommandSpec::Request(&CHANGE_PASSWORD),
        CommandSpec::Request(&password_links::REQUEST_PASSWORD_RESET),
        CommandSpec::Custom(&password_links::SET_PASSWORD),
    ],
};

const ACCOUNT_COLUMNS: &[Column] = &[
    Column::new("id", DisplayKind::Id),
    Column::new("name", DisplayKind::Text),
    Column::new("email", DisplayKind::Text),
    Column::hidden("locale", DisplayKind::Enum).with_title("language"),
    Column::hidden("time_zone", DisplayKind::Text).with_title("time zone"),
];

const WHOAMI: RequestCommand = RequestCommand {
    name: "whoami",
    about: "Show the signed-in user",
    examples: &[("auth whoami --jq .email", "print only the email, for a script")],
    op: GetProfile::OP,
    args: |command| command,
    request: |_, _| build_request::<GetProfile>((), &EmptyQuery {}, &EmptyBody {}),
    json_pointer: "/data",
    columns: ACCOUNT_COLUMNS,
    write: None,
};

const UPDATE_PROFILE: RequestCommand = RequestCommand {
    name: "update-profile",
    about: "Change your name, language and time zone",
    examples: &[
        (
            "auth update-profile --language de --time-zone Europe/Berlin",
            "set the language and time zone in every browser",
        ),
        ("auth update-profile --language none", "use the language of the browser"),
    ],
    op: UpdateOwnProfile::OP,
    args: |command| {
        command.args([
            Arg::new("name").long("name").value_name("TEXT").help("Your name"),
            Arg::new("language").long("language").value_name("LOCALE").help(
                "Language code from `dictionaries locales`, or none to use the language of the browser",
            ),
            text_arg(
                "time-zone",
                "IANA time zone, such as Europe/Berlin, or none to use the time zone of the browser",
            ),
        ])
    },
    request: |_, matches| {
        let body = OwnProfileInput {
            name: optional_value(matches, "name"),
            locale: parse_value_or_none(matches, "language")?,
            time_zone: parse_value_or_none(matches, "time-zone")?,
            updated_at: None,
        };
        if body == OwnProfileInput::default() {
            return Err(Failure::usage("Nothing to change: set --name, --language or --time-zone."));
        }
        build_request::<UpdateOwnProfile>((), &dry_run_query(matches), &body)
    },
    columns: ACCOUNT_COLUMNS,
    write: Some(WriteSpec {
        question: |_| "Change your profile?".to_owned(),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |_| "Profile updated.".to_owned(),
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

const CHANGE_PASSWORD: RequestCommand = RequestCommand {
    name: "change-password",
    about: "Change your password and end your other sessions",
    examples: &[
        ("auth change-password", "ask for the current and the new password"),
        (
            "auth change-password --password-stdin --yes < passwords.txt",
            "read the current and the new password from a file, one per line",
        ),
    ],
    op: ChangeOwnPassword::OP,
    args: |command| {
        command.arg(
            Arg::new("password-stdin")
                .long("password-stdin")
                .action(ArgAction::SetTrue)
                .help("Read the current and the new password from standard input, one per line"),
        )
    },
    request: |_, matches| {
        let body = OwnPasswordInput {
            current_password: read_password_with_prompt(matches, "Current password: ")?,
            password: read_password_with_prompt(matches, "New password: ")?,
        };
        build_request::<ChangeOwnPassword>((), &dry_run_query(matches), &body)
    },
    json_pointer: "",
    columns: &[],
    write: Some(WriteSpec {
        question: |_| "Change your password and end your other sessions?".to_owned(),
        reversibility: Reversibility::Reversible("change the password again"),
        success: |_| "Password changed. Your other sessions were ended.".to_owned(),
        has_dry_run: true,
    }),
};

const STATUS: CustomCommand = CustomCommand {
    name: "status",
    about: "Show the server, your account and permissions, and when your session expires",
    examples: &[("auth status", "exits with code 4 if you are not signed in")],
    operations: &[GetProfile::OP],
    args: |command| command,
    run: |ctx, _| Box::pin(print_status(ctx)),
};

const CONFIRM: CustomCommand = CustomCommand {
    name: "confirm",
    about: "Confirm your password, so that sensitive actions do not ask for it for ten minutes",
    examples: &[(
        "auth confirm",
        "run this before a script with payouts, so that it does not ask for the password",
    )],
    operations: &[ConfirmProfile::OP],
    args: |command| command,
    run: |ctx, _| Box::pin(confirm_password(ctx)),
};

const LOGOUT: CustomCommand = CustomCommand {
    name: "logout",
    about: "Sign out of the server",
    examples: &[("auth logout --profile acme", "sign out of the server of another profile")],
    operations: &[Logout::OP],
    args: |command| command,
    run: |ctx, _| Box::pin(logout(ctx)),
};

const REFRESH: CustomCommand = CustomCommand {
    name: "refresh",
    about: "Replace the token with a new one; panelctl also does this automatically a day before the token expires",
    examples: &[],
    operations: &[Refresh::OP],
    args: |command| command,
    run: |ctx, _| Box::pin(refresh(ctx)),
};

const STATUS_COLUMNS: &[Column] = &[
    Column::new("profile", DisplayKind::Enum),
    Column::new("server", DisplayKind::Text),
    Column::new("user.id", DisplayKind::Id),
    Column::new("user.name", DisplayKind::Text),
    Column::new("user.email", DisplayKind::Text),
    Column::new("roles", DisplayKind::Text),
    Column::new("permissions", DisplayKind::Text),
    Column::new("token", DisplayKind::Text),
    Column::new("expires_at", DisplayKind::Time),
    Column::new("protected", DisplayKind::Enum),
    Column::new("read_only", DisplayKind::Enum),
];

async fn print_status(ctx: &Ctx) -> CommandResult {
    let client = ctx.client()?;
    let user = client.profile((), &EmptyQuery {}, &EmptyBody {}).await?.data;
    let (profile_name, profile) = ctx.profile()?;
    let token = client.token();
    let token_source = match (ctx.explicit_token()?, &ctx.globals.token_file) {
        (Some(_), Some(path)) => path.display().to_string(),
        (Some(_), None) => "PANELCTL_TOKEN".to_owned(),
        (None, _) => ctx.token_file()?.path().display().to_string(),
    };
    let permission_name =
        |permission: &panel_contract::permission::PermissionInfo| permission.name.as_str().to_owned();
    let status = json!({
        "profile": profile_name,
        "server": client.base_url().as_str().trim_end_matches('/'),
        "user": { "id": user.id, "name": user.name, "email": user.email },
        "roles": user.roles.iter().map(|role| role.name.clone()).collect::<Vec<_>>(),
        "permissions": user.all_permissions.iter().map(permission_name).collect::<Vec<_>>(),
        "token": token_source,
        "expires_at": token.and_then(|token| token.expires_at),
        "protected": profile.as_ref().is_some_and(|profile| profile.protected),
        "read_only": profile.as_ref().is_some_and(|profile| profile.read_only),
    });
    ctx.out.print_record(&status, STATUS_COLUMNS)?;
    Ok(Exit::Ok)
}

async fn confirm_password(ctx: &Ctx) -> CommandResult {
    let input = password_confirmation::ask_password().await.ok_or_else(|| {
        Failure::usage("There is no terminal to ask for the password.")
            .hint("PANELCTL_PASSWORD=… panelctl auth confirm")
    })?;
    let confirmed_until =
        ctx.client()?.confirm_profile((), &EmptyQuery {}, &input).await?.data.confirmed_until;
    ctx.out.print_message(&format!("Password confirmed until {confirmed_until} UTC."));
    Ok(Exit::Ok)
}

async fn logout(ctx: &Ctx) -> CommandResult {
    if ctx.explicit_token()?.is_some() {
        return Err(Failure::usage(
            "auth logout only ends the session of a profile. Unset PANELCTL_TOKEN and omit --token-file.",
        ));
    }
    let token_file = ctx.token_file()?;
    if token_file.read()?.is_none() {
        ctx.out.print_message("You are not signed in.");
        return Ok(Exit::Ok);
    }
    let logout_result = ctx.client()?.logout((), &EmptyQuery {}, &EmptyBody {}).await;
    token_file.save(None);
    ctx.check_token_saved()?;
    match logout_result {
        Err(error) if !error.is_unauthenticated() => {
            ctx.out.print_message(&format!(
                "The token was deleted on this machine, but the server could not end the session: {error}"
            ));
            Ok(Exit::Failed)
        }
        _ => {
            ctx.out.print_message("Signed out.");
            Ok(Exit::Ok)
        }
    }
}

async fn refresh(ctx: &Ctx) -> CommandResult {
    if ctx.explicit_token()?.is_some() {
        return Err(Failure::usage(
            "A token from --token-file or PANELCTL_TOKEN cannot be refreshed. Sign in to get one that can.",
        ));
    }
    let session = ctx.client()?.refresh((), &EmptyQuery {}, &EmptyBody {}).await?;
    ctx.check_token_saved()?;
    let (profile_name, mut config) = (ctx.profile()?.0, config::load()?);
    if let Some(profile) = config.profiles.get_mut(&profile_name) {
        profile.user = Some(session.user.email);
        config::save(&config)?;
    }
    ctx.out.print_message(&format!("Session valid until {} UTC.", session.expires_at));
    Ok(Exit::Ok)
}
