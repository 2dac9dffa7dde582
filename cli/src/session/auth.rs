//! `auth`: signing in and out, and who one is.

use clap::{Arg, ArgAction};
use panel_client::profiles::config;
use panel_client::token::TokenStore as _;
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::session::{
    ChangeOwnPassword, ConfirmProfile, GetProfile, Logout, Refresh, UpdateOwnProfile,
};
use panel_contract::session::{OwnPasswordInput, OwnProfileInput};
use serde_json::json;

use crate::command::call::{Call, Write, of, opt, wish};
use crate::command::confirm::{Danger, dry_run};
use crate::command::text::text_arg;
use crate::command::{Cmd, Noun, Own};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{Done, Failure};
use crate::output::column::{Column, Kind};
use crate::session::login::{LOGIN, secret_as};
use crate::session::{confirm, password_links};

/// `auth`.
pub(crate) const NOUN: Noun = Noun {
    name: "auth",
    alias: None,
    about: "Signing in and out",
    verbs: &[
        Cmd::Own(&LOGIN),
        Cmd::Own(&STATUS),
        Cmd::Own(&CONFIRM),
        Cmd::Own(&LOGOUT),
        Cmd::Own(&REFRESH),
        Cmd::Call(&WHOAMI),
        Cmd::Call(&UPDATE_PROFILE),
        Cmd::Call(&CHANGE_PASSWORD),
        Cmd::Call(&password_links::FORGOT),
        Cmd::Own(&password_links::SET),
    ],
};

const WHOAMI: Call = Call {
    name: "whoami",
    about: "Shows who is signed in",
    examples: &[("auth whoami --jq .email", "for a script")],
    op: GetProfile::OP,
    args: |command| command,
    request: |_, _| of::<GetProfile>((), &NoQuery {}, &NoBody {}),
    at: "/data",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("email", Kind::Text),
        Column::more("locale", Kind::Word).titled("language"),
        Column::more("time_zone", Kind::Text).titled("time zone"),
    ],
    write: None,
};

const UPDATE_PROFILE: Call = Call {
    name: "update-profile",
    about: "Changes your own name, and the language and time zone of your console",
    examples: &[
        ("auth update-profile --language de --time-zone Europe/Berlin", "for every browser you sign in with"),
        ("auth update-profile --language none", "the language of the browser again"),
    ],
    op: UpdateOwnProfile::OP,
    args: |command| {
        command.args([
            Arg::new("name").long("name").value_name("TEXT").help("Your name"),
            Arg::new("language")
                .long("language")
                .value_name("LOCALE")
                .help("One of `dictionaries locales`, or none for that of the browser"),
            text_arg("time-zone", "An IANA name, such as Europe/Berlin, or none for that of the browser"),
        ])
    },
    request: |_, matches| {
        let body = OwnProfileInput {
            name: opt(matches, "name"),
            locale: wish(matches, "language")?,
            time_zone: wish(matches, "time-zone")?,
            updated_at: None,
        };
        if body == OwnProfileInput::default() {
            return Err(Failure::usage("Say what to change: --name, --language or --time-zone."));
        }
        of::<UpdateOwnProfile>((), &dry_run(matches), &body)
    },
    write: Some(Write {
        question: |_| "Change your profile?".to_owned(),
        danger: Danger::Reversible("The same command with the old values"),
        said: |_| "Your profile is changed.".to_owned(),
        rehearses: true,
    }),
    ..WHOAMI
};

const CHANGE_PASSWORD: Call = Call {
    name: "change-password",
    about: "Changes your own password, and ends your other sessions",
    examples: &[
        ("auth change-password", "asks for the current one and the new one"),
        (
            "auth change-password --password-stdin --yes < passwords.txt",
            "the current one and the new one, a line each",
        ),
    ],
    op: ChangeOwnPassword::OP,
    args: |command| {
        command.arg(
            Arg::new("password-stdin")
                .long("password-stdin")
                .action(ArgAction::SetTrue)
                .help("Reads the current password and the new one, two lines of standard input"),
        )
    },
    request: |_, matches| {
        let body = OwnPasswordInput {
            current_password: secret_as(matches, "Current password: ")?,
            password: secret_as(matches, "New password: ")?,
        };
        of::<ChangeOwnPassword>((), &dry_run(matches), &body)
    },
    at: "",
    columns: &[],
    write: Some(Write {
        question: |_| "Change your password and end your other sessions?".to_owned(),
        danger: Danger::Reversible("Changing it again"),
        said: |_| "Your password is changed, and your other sessions have ended.".to_owned(),
        rehearses: true,
    }),
};

const STATUS: Own = Own {
    name: "status",
    about: "Shows the panel, the account, its permissions and when the sign-in ends",
    examples: &[("auth status", "exit code 4 where the profile is not signed in")],
    reaches: &[GetProfile::OP],
    args: |command| command,
    run: |ctx, _| Box::pin(status(ctx)),
};

const CONFIRM: Own = Own {
    name: "confirm",
    about: "Confirms who you are with your password: for ten minutes, sensitive actions do not ask for it",
    examples: &[("auth confirm", "before a script that pays out, so that it does not stop to ask")],
    reaches: &[ConfirmProfile::OP],
    args: |command| command,
    run: |ctx, _| Box::pin(confirm(ctx)),
};

const LOGOUT: Own = Own {
    name: "logout",
    about: "Ends the sign-in of the profile in use",
    examples: &[("auth logout --profile acme", "another profile's")],
    reaches: &[Logout::OP],
    args: |command| command,
    run: |ctx, _| Box::pin(logout(ctx)),
};

const REFRESH: Own = Own {
    name: "refresh",
    about: "Replaces the token by a new one; happens by itself a day before its end",
    examples: &[],
    reaches: &[Refresh::OP],
    args: |command| command,
    run: |ctx, _| Box::pin(refresh(ctx)),
};

const STATUS_COLUMNS: &[Column] = &[
    Column::new("profile", Kind::Word),
    Column::new("server", Kind::Text),
    Column::new("user.id", Kind::Id),
    Column::new("user.name", Kind::Text),
    Column::new("user.email", Kind::Text),
    Column::new("roles", Kind::Text),
    Column::new("permissions", Kind::Text),
    Column::new("token", Kind::Text),
    Column::new("expires_at", Kind::Time),
    Column::new("protected", Kind::Word),
    Column::new("read_only", Kind::Word),
];

async fn status(ctx: &Ctx) -> Done {
    let client = ctx.client()?;
    let user = client.profile((), &NoQuery {}, &NoBody {}).await?.data;
    let (name, profile) = ctx.profile()?;
    let token = client.token();
    let from = match (ctx.given_token()?, &ctx.globals.token_file) {
        (Some(_), Some(path)) => path.display().to_string(),
        (Some(_), None) => "PANELCTL_TOKEN".to_owned(),
        (None, _) => ctx.store()?.path().display().to_string(),
    };
    let names =
        |permission: &panel_contract::permission::PermissionEntry| permission.name.as_str().to_owned();
    let value = json!({
        "profile": name,
        "server": client.base().as_str().trim_end_matches('/'),
        "user": { "id": user.id, "name": user.name, "email": user.email },
        "roles": user.roles.iter().map(|role| role.name.clone()).collect::<Vec<_>>(),
        "permissions": user.all_permissions.iter().map(names).collect::<Vec<_>>(),
        "token": from,
        "expires_at": token.and_then(|token| token.expires_at),
        "protected": profile.as_ref().is_some_and(|profile| profile.protected),
        "read_only": profile.as_ref().is_some_and(|profile| profile.read_only),
    });
    ctx.out.record(&value, STATUS_COLUMNS)?;
    Ok(Exit::Ok)
}

async fn confirm(ctx: &Ctx) -> Done {
    let input = confirm::ask().await.ok_or_else(|| {
        Failure::usage("There is no terminal to ask for the password in.")
            .hint("PANELCTL_PASSWORD=… panelctl auth confirm")
    })?;
    let until = ctx.client()?.confirm_profile((), &NoQuery {}, &input).await?.data.confirmed_until;
    ctx.out.say(&format!("Confirmed until {until} UTC."));
    Ok(Exit::Ok)
}

async fn logout(ctx: &Ctx) -> Done {
    if ctx.given_token()?.is_some() {
        return Err(Failure::usage("A given token is not this program's to end; unset PANELCTL_TOKEN."));
    }
    let store = ctx.store()?;
    if store.read()?.is_none() {
        ctx.out.say("You were not signed in.");
        return Ok(Exit::Ok);
    }
    let answer = ctx.client()?.logout((), &NoQuery {}, &NoBody {}).await;
    store.save(None);
    ctx.complain()?;
    match answer {
        Err(error) if !error.is_unauthenticated() => {
            ctx.out
                .say(&format!("The token is deleted here, but the panel could not end the session: {error}"));
            Ok(Exit::Failed)
        }
        _ => {
            ctx.out.say("Signed out.");
            Ok(Exit::Ok)
        }
    }
}

async fn refresh(ctx: &Ctx) -> Done {
    if ctx.given_token()?.is_some() {
        return Err(Failure::usage("A given token is used as it is; sign in to have one that is extended."));
    }
    let signed_in = ctx.client()?.refresh((), &NoQuery {}, &NoBody {}).await?;
    ctx.complain()?;
    let (name, mut config) = (ctx.profile()?.0, config::load()?);
    if let Some(profile) = config.profiles.get_mut(&name) {
        profile.user = Some(signed_in.user.email);
        config::save(&config)?;
    }
    ctx.out.say(&format!("The sign-in is good until {} UTC.", signed_in.expires_at));
    Ok(Exit::Ok)
}
