//! `second-factor`: the authenticator app and recovery codes of the signed-in user.

use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::second_factor::{
    BeginSecondFactor, ConfirmSecondFactor, GetSecondFactor, RemoveSecondFactor, RenewRecoveryCodes,
};
use panel_contract::second_factor::{ConfirmSecondFactorInput, SecondFactorProof};

use crate::command::confirm::{self, Reversibility};
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, required_value,
};
use crate::command::{CommandGroup, CommandSpec, CustomCommand};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::CommandResult;
use crate::output::Format;
use crate::output::column::{Column, DisplayKind};
use crate::output::qr_code;
use crate::session::login;

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "second-factor",
    alias: None,
    about: "Manage your authenticator app and recovery codes",
    commands: &[
        CommandSpec::Request(&STATUS),
        CommandSpec::Custom(&BEGIN_SETUP),
        CommandSpec::Request(&CONFIRM),
        CommandSpec::Request(&RECOVERY_CODES),
        CommandSpec::Request(&REMOVE),
    ],
};

const STATUS: RequestCommand = RequestCommand {
    name: "status",
    about: "Show whether your account has a second factor",
    examples: &[("second-factor status", "also shows the number of unused recovery codes")],
    op: GetSecondFactor::OP,
    args: |command| command,
    request: |_, _| build_request::<GetSecondFactor>((), &EmptyQuery {}, &EmptyBody {}),
    json_pointer: "/data",
    columns: &[],
    write: None,
};

const BEGIN_SETUP: CustomCommand = CustomCommand {
    name: BEGIN_SETUP_REQUEST.name,
    about: BEGIN_SETUP_REQUEST.about,
    examples: BEGIN_SETUP_REQUEST.examples,
    operations: &[BeginSecondFactor::OP],
    args: confirm::safety_args,
    run: |ctx, matches| Box::pin(begin_setup(ctx, matches)),
};

/// Creates a secret and shows it, on a terminal also as a QR code.
async fn begin_setup(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    let request = (BEGIN_SETUP_REQUEST.request)(ctx, matches)?;
    let Some(response) = BEGIN_SETUP_REQUEST.confirm_and_send(ctx, matches, request).await? else {
        return Ok(Exit::Ok);
    };
    BEGIN_SETUP_REQUEST.print_response(ctx, &response)?;
    let is_interactive =
        ctx.out.format == Format::Table && ctx.out.stdout_is_terminal && ctx.out.jq.is_none();
    if let Some(otpauth_url) = response["data"]["otpauth_url"].as_str().filter(|_| is_interactive) {
        qr_code::print(&ctx.out, otpauth_url)?;
    }
    Ok(Exit::Ok)
}

const BEGIN_SETUP_REQUEST: RequestCommand = RequestCommand {
    name: "begin",
    about: "Create a secret for your authenticator app and show it once; enable it with \"second-factor confirm\"",
    examples: &[("second-factor begin", "scan the QR code with the app, or type the secret into it")],
    op: BeginSecondFactor::OP,
    request: |_, _| build_request::<BeginSecondFactor>((), &EmptyQuery {}, &EmptyBody {}),
    columns: &[Column::new("secret", DisplayKind::Text), Column::new("otpauth_url", DisplayKind::Text)],
    write: Some(WriteSpec {
        question: |_| "Create a secret for an authenticator app?".to_owned(),
        reversibility: Reversibility::Reversible("panelctl second-factor begin"),
        success: |_| {
            "Secret created. Within fifteen minutes, scan the QR code or type the secret into your app, then run: panelctl second-factor confirm DIGITS"
                .to_owned()
        },
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const CONFIRM: RequestCommand = RequestCommand {
    name: "confirm",
    about: "Enable your second factor with a code of the app, and end your other sessions",
    examples: &[("second-factor confirm 123456", "enable it and show ten recovery codes once")],
    op: ConfirmSecondFactor::OP,
    args: |command| command.arg(otp_arg("Six-digit code that the app shows now")),
    request: |_, matches| {
        let body = ConfirmSecondFactorInput { otp: required_value(matches, "otp")? };
        build_request::<ConfirmSecondFactor>((), &EmptyQuery {}, &body)
    },
    columns: RECOVERY_CODE_COLUMNS,
    write: Some(WriteSpec {
        question: |_| "Enable your second factor?".to_owned(),
        reversibility: Reversibility::Reversible("panelctl second-factor remove"),
        success: |_| {
            "Second factor enabled. Save the recovery codes now: they are not shown again.".to_owned()
        },
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const RECOVERY_CODES: RequestCommand = RequestCommand {
    name: "recovery-codes",
    about: "Replace your recovery codes; asks for your password or reads it from standard input",
    examples: &[("second-factor recovery-codes 123456", "show ten new codes once")],
    op: RenewRecoveryCodes::OP,
    args: password_and_code_args,
    request: |_, matches| {
        build_request::<RenewRecoveryCodes>((), &EmptyQuery {}, &read_password_and_code(matches)?)
    },
    columns: RECOVERY_CODE_COLUMNS,
    write: Some(WriteSpec {
        question: |_| "Replace your recovery codes?".to_owned(),
        reversibility: Reversibility::Irreversible,
        success: |_| {
            "Recovery codes replaced; the old ones no longer work. Save the new ones now: they are not shown again."
                .to_owned()
        },
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const REMOVE: RequestCommand = RequestCommand {
    name: "remove",
    about: "Remove your authenticator app; asks for your password or reads it from standard input",
    examples: &[(
        "second-factor remove 123456 --password-stdin --yes < password.txt",
        "remove it from a script",
    )],
    op: RemoveSecondFactor::OP,
    args: password_and_code_args,
    request: |_, matches| {
        build_request::<RemoveSecondFactor>((), &EmptyQuery {}, &read_password_and_code(matches)?)
    },
    write: Some(WriteSpec {
        question: |_| "Remove your authenticator app?".to_owned(),
        reversibility: Reversibility::Reversible("panelctl second-factor begin"),
        success: |_| "Authenticator app removed.".to_owned(),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const RECOVERY_CODE_COLUMNS: &[Column] = &[Column::new("recovery_codes", DisplayKind::Text)];

fn otp_arg(help: &'static str) -> Arg {
    Arg::new("otp").value_name("DIGITS").required(true).help(help)
}

pub(crate) fn password_and_code_args(command: Command) -> Command {
    let password_stdin = Arg::new("password-stdin").long("password-stdin").action(ArgAction::SetTrue);
    command
        .arg(otp_arg("Six-digit code of the app, or a recovery code"))
        .arg(password_stdin.help("Read the password from the first line of standard input"))
}

pub(crate) fn read_password_and_code(matches: &ArgMatches) -> CommandResult<SecondFactorProof> {
    Ok(SecondFactorProof {
        password: login::read_password(matches)?,
        otp: Some(required_value(matches, "otp")?),
        passkey: None,
    })
}
