//! `second-factor`: the authenticator app and the recovery codes of one's own account.

use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::second_factor::{
    BeginSecondFactor, ConfirmSecondFactor, GetSecondFactor, RemoveSecondFactor, RenewRecoveryCodes,
};
use panel_contract::second_factor::{ConfirmSecondFactorInput, SecondFactorProof};

use crate::command::call::{Call, Write, arg, of};
use crate::command::confirm::{self, Danger};
use crate::command::{Cmd, Noun, Own};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::Done;
use crate::output::Format;
use crate::output::column::{Column, Kind};
use crate::output::qr_code;
use crate::session::login;

/// `second-factor`.
pub(crate) const NOUN: Noun = Noun {
    name: "second-factor",
    alias: None,
    about: "Your authenticator app and recovery codes, which your sign-in asks for after the password",
    verbs: &[
        Cmd::Call(&STATUS),
        Cmd::Own(&BEGIN),
        Cmd::Call(&CONFIRM),
        Cmd::Call(&RECOVERY_CODES),
        Cmd::Call(&REMOVE),
    ],
};

const STATUS: Call = Call {
    name: "status",
    about: "Shows whether your account has a second factor",
    examples: &[("second-factor status", "with the recovery codes that are left")],
    op: GetSecondFactor::OP,
    args: |command| command,
    request: |_, _| of::<GetSecondFactor>((), &NoQuery {}, &NoBody {}),
    at: "/data",
    columns: &[],
    write: None,
};

const BEGIN: Own = Own {
    name: BEGIN_CALL.name,
    about: BEGIN_CALL.about,
    examples: BEGIN_CALL.examples,
    reaches: &[BeginSecondFactor::OP],
    args: confirm::args,
    run: |ctx, matches| Box::pin(begin(ctx, matches)),
};

/// Makes a secret and shows it; to a person at a terminal also as a QR code.
async fn begin(ctx: &Ctx, matches: &ArgMatches) -> Done {
    let request = (BEGIN_CALL.request)(ctx, matches)?;
    let Some(answer) = BEGIN_CALL.answer(ctx, matches, request).await? else { return Ok(Exit::Ok) };
    BEGIN_CALL.show(ctx, &answer)?;
    let is_for_eyes = ctx.out.format == Format::Table && ctx.out.to_terminal && ctx.out.jq.is_none();
    if let Some(address) = answer["data"]["otpauth_url"].as_str().filter(|_| is_for_eyes) {
        qr_code::show(&ctx.out, address)?;
    }
    Ok(Exit::Ok)
}

const BEGIN_CALL: Call = Call {
    name: "begin",
    about: "Creates a secret for your authenticator app and shows it once; \"second-factor confirm\" switches it on",
    examples: &[("second-factor begin", "then scan the QR code with the app, or type the secret into it")],
    op: BeginSecondFactor::OP,
    request: |_, _| of::<BeginSecondFactor>((), &NoQuery {}, &NoBody {}),
    columns: &[Column::new("secret", Kind::Text), Column::new("otpauth_url", Kind::Text)],
    write: Some(Write {
        question: |_| "Create a secret for an authenticator app?".to_owned(),
        danger: Danger::Reversible("panelctl second-factor begin"),
        said: |_| {
            "Scan the QR code, or type the secret into your app, within fifteen minutes. Then run: panelctl second-factor confirm DIGITS"
                .to_owned()
        },
        rehearses: false,
    }),
    ..STATUS
};

const CONFIRM: Call = Call {
    name: "confirm",
    about: "Switches your second factor on with six digits of the app, and ends your other sessions",
    examples: &[("second-factor confirm 123456", "shows ten recovery codes, once")],
    op: ConfirmSecondFactor::OP,
    args: |command| command.arg(otp_arg("Six digits that the app shows now")),
    request: |_, matches| {
        let body = ConfirmSecondFactorInput { otp: arg(matches, "otp")? };
        of::<ConfirmSecondFactor>((), &NoQuery {}, &body)
    },
    columns: CODES,
    write: Some(Write {
        question: |_| "Switch your second factor on?".to_owned(),
        danger: Danger::Reversible("panelctl second-factor remove"),
        said: |_| {
            "Your second factor is on. Save the recovery codes now: they are not shown again.".to_owned()
        },
        rehearses: false,
    }),
    ..STATUS
};

const RECOVERY_CODES: Call = Call {
    name: "recovery-codes",
    about: "Replaces your recovery codes; asks for your password, or reads it from standard input",
    examples: &[("second-factor recovery-codes 123456", "shows ten new ones, once")],
    op: RenewRecoveryCodes::OP,
    args: proof_args,
    request: |_, matches| of::<RenewRecoveryCodes>((), &NoQuery {}, &proof(matches)?),
    columns: CODES,
    write: Some(Write {
        question: |_| "Replace your recovery codes?".to_owned(),
        danger: Danger::Final,
        said: |_| {
            "The old recovery codes no longer work. Save the new ones now: they are not shown again."
                .to_owned()
        },
        rehearses: false,
    }),
    ..STATUS
};

const REMOVE: Call = Call {
    name: "remove",
    about: "Removes your authenticator app; asks for your password, or reads it from standard input",
    examples: &[("second-factor remove 123456 --password-stdin --yes < password.txt", "from a script")],
    op: RemoveSecondFactor::OP,
    args: proof_args,
    request: |_, matches| of::<RemoveSecondFactor>((), &NoQuery {}, &proof(matches)?),
    write: Some(Write {
        question: |_| "Remove your authenticator app?".to_owned(),
        danger: Danger::Reversible("panelctl second-factor begin"),
        said: |_| "Your authenticator app is removed.".to_owned(),
        rehearses: false,
    }),
    ..STATUS
};

const CODES: &[Column] = &[Column::new("recovery_codes", Kind::Text)];

fn otp_arg(help: &'static str) -> Arg {
    Arg::new("otp").value_name("DIGITS").required(true).help(help)
}

pub(crate) fn proof_args(command: Command) -> Command {
    let password = Arg::new("password-stdin").long("password-stdin").action(ArgAction::SetTrue);
    command
        .arg(otp_arg("Six digits of the app, or a recovery code"))
        .arg(password.help("Reads the password from the first line of standard input"))
}

pub(crate) fn proof(matches: &ArgMatches) -> Done<SecondFactorProof> {
    Ok(SecondFactorProof {
        password: login::secret(matches)?,
        otp: Some(arg(matches, "otp")?),
        passkey: None,
    })
}
