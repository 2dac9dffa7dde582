//! `passkeys`: manages the passkeys of the signed-in user. Adding and using a passkey requires a browser, so only the console does
//! that.

use clap::{Arg, ArgMatches};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::passkeys::{ListPasskeys, RemovePasskey, RenamePasskey};
use panel_contract::passkeys::RenamePasskeyInput;

use crate::command::confirm::Reversibility;
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, id_arg, id_for_message, required_id,
    required_value,
};
use crate::command::{CommandGroup, CommandSpec};
use crate::output::column::{Column, DisplayKind};
use crate::session::second_factor::{password_and_code_args, read_password_and_code};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "passkeys",
    alias: Some("passkey"),
    about: "Manage your passkeys; add and use them in a browser",
    commands: &[CommandSpec::Request(&LIST), CommandSpec::Request(&RENAME), CommandSpec::Request(&REMOVE)],
};

const COLUMNS: &[Column] = &[
    Column::new("id", DisplayKind::Id),
    Column::new("name", DisplayKind::Text),
    Column::new("created_at", DisplayKind::Time).with_title("added"),
    Column::new("last_used_at", DisplayKind::Time).with_title("last used"),
];

const LIST: RequestCommand = RequestCommand {
    name: "list",
    about: "List your passkeys, oldest first",
    examples: &[("passkeys list", "list passkeys and when each was last used")],
    op: ListPasskeys::OP,
    args: |command| command,
    request: |_, _| build_request::<ListPasskeys>((), &EmptyQuery {}, &EmptyBody {}),
    json_pointer: "/data",
    columns: COLUMNS,
    write: None,
};

const RENAME: RequestCommand = RequestCommand {
    name: "rename",
    about: "Rename a passkey",
    examples: &[("passkeys rename 7 'Work laptop'", "set a new name, which only you see")],
    op: RenamePasskey::OP,
    args: |command| command.arg(id_arg()).arg(name_arg()),
    request: |_, matches| {
        let body = RenamePasskeyInput { name: Some(required_value(matches, "name")?) };
        build_request::<RenamePasskey>(required_id(matches)?, &EmptyQuery {}, &body)
    },
    columns: COLUMNS,
    write: Some(WriteSpec {
        question: |matches| format!("Rename passkey {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("panelctl passkeys rename"),
        success: |matches| format!("Passkey {} renamed.", id_for_message(matches)),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const REMOVE: RequestCommand = RequestCommand {
    name: "remove",
    about: "Remove a passkey; asks for your password or reads it from standard input",
    examples: &[(
        "passkeys remove 7 123456",
        "confirm with a code of your authenticator app, or a recovery code",
    )],
    op: RemovePasskey::OP,
    args: |command| password_and_code_args(command.arg(id_arg())),
    request: |_, matches| {
        build_request::<RemovePasskey>(
            required_id(matches)?,
            &EmptyQuery {},
            &read_password_and_code(matches)?,
        )
    },
    json_pointer: "",
    columns: &[],
    write: Some(WriteSpec {
        question: removal_question,
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("Passkey {} removed.", id_for_message(matches)),
        has_dry_run: false,
    }),
};

fn removal_question(matches: &ArgMatches) -> String {
    format!("Remove passkey {}?", id_for_message(matches))
}

fn name_arg() -> Arg {
    Arg::new("name").value_name("NAME").required(true).help("New name, at most 60 characters")
}
