//! `passkeys`: manages the passkeys of the signed-in user. Adding and using a passkey requires a browser, so only the console does
//! that.

use clap::{Arg, ArgMatches};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::passkeys::{ListPasskeys, RemovePasskey, RenamePasskey};
use panel_contract::passkeys::RenamePasskeyInput;

use crate::command::call::{
    Call, WriteSpec, id_arg, id_for_message, request_for, required_id, required_value,
};
use crate::command::confirm::Reversibility;
use crate::command::{Cmd, CommandGroup};
use crate::output::column::{Column, Kind};
use crate::session::second_factor::{proof_args, read_proof};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "passkeys",
    alias: Some("passkey"),
    about: "Manage your passkeys; add and use them in a browser",
    commands: &[Cmd::Call(&LIST), Cmd::Call(&RENAME), Cmd::Call(&REMOVE)],
};

const COLUMNS: &[Column] = &[
    Column::new("id", Kind::Id),
    Column::new("name", Kind::Text),
    Column::new("created_at", Kind::Time).with_title("added"),
    Column::new("last_used_at", Kind::Time).with_title("last used"),
];

const LIST: Call = Call {
    name: "list",
    about: "List your passkeys, oldest first",
    examples: &[("passkeys list", "list passkeys and when each was last used")],
    op: ListPasskeys::OP,
    args: |command| command,
    request: |_, _| request_for::<ListPasskeys>((), &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data",
    columns: COLUMNS,
    write: None,
};

const RENAME: Call = Call {
    name: "rename",
    about: "Rename a passkey",
    examples: &[("passkeys rename 7 'Work laptop'", "set a new name, which only you see")],
    op: RenamePasskey::OP,
    args: |command| command.arg(id_arg()).arg(name_arg()),
    request: |_, matches| {
        let body = RenamePasskeyInput { name: Some(required_value(matches, "name")?) };
        request_for::<RenamePasskey>(required_id(matches)?, &EmptyQuery {}, &body)
    },
    write: Some(WriteSpec {
        question: |matches| format!("Rename passkey {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("panelctl passkeys rename"),
        success: |matches| format!("Passkey {} renamed.", id_for_message(matches)),
        has_dry_run: false,
    }),
    ..LIST
};

const REMOVE: Call = Call {
    name: "remove",
    about: "Remove a passkey; asks for your password or reads it from standard input",
    examples: &[(
        "passkeys remove 7 123456",
        "confirm with a code of your authenticator app, or a recovery code",
    )],
    op: RemovePasskey::OP,
    args: |command| proof_args(command.arg(id_arg())),
    request: |_, matches| {
        request_for::<RemovePasskey>(required_id(matches)?, &EmptyQuery {}, &read_proof(matches)?)
    },
    pointer: "",
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
